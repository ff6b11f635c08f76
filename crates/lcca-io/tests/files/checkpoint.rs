//! Checkpoints come back to the bit, and only to the fit they belong to.

use crate::support::*;
use lcca::data::{Cost, InMemory};
use lcca::fit::{Checkpoint, Loop, TraceRow};
use lcca::matrix::Panel;
use lcca::method::{Method, Settings};
use lcca_io::{Identity, read_checkpoint, read_matrix, read_model, write_checkpoint};

fn pair(value: f64) -> InMemory {
    let view = |value: f64| sparse(&[vec![value, 0.0, 1.0], vec![0.0, 2.0, 0.0], vec![1.0, 1.0, 0.5]], false);
    InMemory::new(view(value), view(7.0)).unwrap()
}

fn settings() -> Settings {
    Settings::new(Method::l_cca(5, 6, 2), 2).ridges(0.1, 0.0)
}

fn changed(change: impl FnOnce(&mut Settings)) -> Settings {
    let mut settings = settings();
    change(&mut settings);
    settings
}

fn identity(settings: &Settings) -> Identity {
    Identity::new(&pair(3.0), settings).unwrap()
}

fn state(kind: Loop, step: bool, totals: &[f64]) -> Checkpoint {
    let panel =
        |cols: usize, seed: f64| Panel::from_fn(3, cols, |i, j| (seed + i as f64 / 3.0 + j as f64).sin());
    let row = |iteration: usize| {
        let number = iteration as f64 / 7.0;
        TraceRow {
            iteration,
            passes: number,
            gram_passes: number * 2.0,
            work: number * 3.0,
            total: number.cos(),
            missing: (iteration > 2).then_some(number.sin()),
            seconds: 1e-9 * number,
        }
    };
    let x_columns = if kind == Loop::Eliminate { 0 } else { 2 };
    Checkpoint {
        algorithm: kind,
        weights: [panel(x_columns, 0.1), panel(2, 0.2)],
        step: step.then(|| [panel(x_columns, 0.3), panel(2, 0.4)]),
        trace: (1..5).map(row).collect(),
        totals: totals.to_vec(),
        by_residuals: totals.iter().map(|total| total.sin()).collect(),
        cost: Cost { passes: 12.5, gram_passes: 0.1, columns: 1.0 / 3.0 },
    }
}

fn complaint_of(path: &std::path::Path, identity: &Identity) -> String {
    let error = read_checkpoint(path, identity).expect_err("it should be refused");
    assert!(!error.is_machine_failure(), "{error}");
    let message = error.to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    message
}

#[test]
fn a_checkpoint_comes_back_to_the_bit() {
    for (kind, step, totals) in [
        (Loop::Lobpcg, true, &[0.1, 1.0 / 3.0][..]),
        (Loop::Lobpcg, false, &[0.1]),
        (Loop::Eliminate, true, &[f64::MIN_POSITIVE]),
        (Loop::Alternate, false, &[]),
    ] {
        let (file, state) = (scratch("state"), state(kind, step, totals));
        write_checkpoint(&file.path, &state, &identity(&settings())).unwrap();
        assert_eq!(read_checkpoint(&file.path, &identity(&settings())).unwrap(), state);
    }
}

#[test]
fn limits_of_time_and_memory_may_differ() {
    let file = scratch("state");
    write_checkpoint(&file.path, &state(Loop::Alternate, false, &[]), &identity(&settings())).unwrap();
    let mut other = settings().tol(1e-9).max_passes(Some(7.0)).memory(1);
    other.method = Method::l_cca(50, 6, 2);
    assert!(read_checkpoint(&file.path, &identity(&other)).is_ok());
}

#[test]
fn sums_that_differ_in_their_last_digits_are_the_same_data() {
    let file = scratch("state");
    write_checkpoint(&file.path, &state(Loop::Alternate, false, &[]), &identity(&settings())).unwrap();
    let nearly = Identity::new(&pair(3.0 * (1.0 + 1e-13)), &settings()).unwrap();
    assert!(read_checkpoint(&file.path, &nearly).is_ok());
}

#[test]
fn a_checkpoint_of_another_fit_is_refused_with_what_differs() {
    let file = scratch("state");
    write_checkpoint(&file.path, &state(Loop::Alternate, false, &[]), &identity(&settings())).unwrap();
    for (other, needle) in [
        (changed(|settings| settings.k = 1), "k is 2 there and 1 here"),
        (settings().ridges(0.25, 0.0), "ridge_x is 0.1 there and 0.25 here"),
        (settings().center(false), "center is true there and false here"),
        (settings().oversample(Some(4)), "oversample is not set there and 4 here"),
        (changed(|settings| settings.method = Method::lobpcg()), "method is l-cca there and lobpcg here"),
        (changed(|settings| settings.method = Method::l_cca(5, 7, 2)), "t2 is 6 there and 7 here"),
    ] {
        let message = complaint_of(&file.path, &identity(&other));
        assert!(message.contains(&format!("state: belongs to another fit: {needle}")), "{message}");
    }
    let message = complaint_of(&file.path, &Identity::new(&pair(3.5), &settings()).unwrap());
    assert!(message.contains("another fit: other data: X held other numbers then"), "{message}");
    let weighted = pair(3.0).weighted(vec![1.0, 1.0, 2.0].into()).unwrap();
    let message = complaint_of(&file.path, &Identity::new(&weighted, &settings()).unwrap());
    assert!(message.contains("another fit: other data: X held other numbers then"), "{message}");
    let wide = || sparse(&[vec![1.0, 0.5, 0.0, 2.0], vec![1.0; 4], vec![0.5, 0.0, 1.0, 0.0]], false);
    let wide = InMemory::new(wide(), wide()).unwrap();
    let message = complaint_of(&file.path, &Identity::new(&wide, &settings()).unwrap());
    assert!(message.contains("columns of X is 3 there and 4 here"), "{message}");
}

#[test]
fn other_rows_with_the_same_moments_are_other_data() {
    let x = [vec![3.0, 0.0, 1.0], vec![0.0, 2.0, 0.0], vec![1.0, 1.0, 0.5]];
    let y = [vec![7.0, 0.0, 1.0], vec![0.0, 2.0, 0.0], vec![1.0, 1.0, 0.5]];
    let order = |rows: &[Vec<f64>; 3], order: [usize; 3]| sparse(&order.map(|row| rows[row].clone()), false);
    let identity = |x_order, y_order| {
        let pair = InMemory::new(order(&x, x_order), order(&y, y_order)).unwrap();
        Identity::new(&pair, &settings()).unwrap()
    };
    let file = scratch("state");
    let original = identity([0, 1, 2], [0, 1, 2]);
    write_checkpoint(&file.path, &state(Loop::Alternate, false, &[]), &original).unwrap();
    let message = complaint_of(&file.path, &identity([0, 1, 2], [1, 0, 2]));
    assert!(message.contains("another fit: other data: rows held other numbers or were paired"), "{message}");
    assert!(
        read_checkpoint(&file.path, &identity([2, 0, 1], [2, 0, 1])).is_ok(),
        "both in the same new order"
    );
}

#[test]
fn a_damaged_checkpoint_is_refused_wherever_the_damage_is() {
    let (file, state) = (scratch("state"), state(Loop::Lobpcg, true, &[0.5, 0.25]));
    write_checkpoint(&file.path, &state, &identity(&settings())).unwrap();
    let bytes = std::fs::read(&file.path).unwrap();
    for len in (0..bytes.len()).step_by(11) {
        std::fs::write(&file.path, &bytes[..len]).unwrap();
        complaint_of(&file.path, &identity(&settings()));
    }
    for index in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[index] ^= 1;
        std::fs::write(&file.path, &damaged).unwrap();
        // Damage in places without meaning changes nothing, such as a blank behind the header or the
        // program's version.
        match read_checkpoint(&file.path, &identity(&settings())) {
            Ok(read) => assert_eq!(read, state, "byte {index}"),
            Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{error}"),
        }
    }
}

#[test]
fn a_checkpoint_is_neither_a_matrix_nor_a_model() {
    let file = scratch("state.safetensors");
    write_checkpoint(&file.path, &state(Loop::Lobpcg, true, &[]), &identity(&settings())).unwrap();
    let refused = [read_matrix(&file.path).err().unwrap(), read_model(&file.path).err().unwrap()];
    for (error, expected) in refused.iter().zip(["matrix", "model"]) {
        assert!(error.to_string().contains(&format!("is a checkpoint, expected a {expected}")), "{error}");
    }
    lcca_io::write_matrix(&file.path, &sparse(&[vec![0.0, 2.0]], false)).unwrap();
    assert!(complaint_of(&file.path, &identity(&settings())).contains("is a matrix, expected a checkpoint"));
}
