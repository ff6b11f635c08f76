//! Models come back to the bit.

use crate::support::*;
use lcca::fit::{Model, View};
use lcca::matrix::Panel;
use lcca::method::{Inner, Method, Settings};
use lcca_io::*;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn view(cols: usize, k: usize, seed: f64, centered: bool) -> View {
    let number = |i: usize, j: usize| (seed + i as f64 * 0.1 + j as f64 / 3.0).sin();
    View {
        weights: Panel::from_fn(cols, k, number),
        loadings: Panel::from_fn(cols, k, |i, j| -number(i, j)),
        mean: centered.then(|| (0..cols).map(|i| number(i, k)).collect()),
    }
}

fn model(k: usize, seed: f64, centered: bool) -> Model {
    let numbers = |from: f64| (0..k).map(|i| (from + i as f64).cos()).collect::<Vec<_>>();
    Model {
        x: view(5, k, seed, centered),
        y: view(3, k, seed + 1.0, centered),
        correlations: numbers(seed),
        objective: numbers(seed * 0.3),
        residuals: numbers(seed * 1e-9),
        total: seed / 7.0,
        rows: u64::MAX,
        settings: Settings { ridge_x: seed.abs() / 3.0, ridge_y: 1e-300, ..Settings::new(Method::als(3), k) },
    }
}

fn provenance() -> Map<String, Value> {
    json!({"x": "data/x.npz", "seconds": 0.1, "files": [1, 2]}).as_object().cloned().unwrap()
}

proptest! {
    #[test]
    fn every_bit_comes_back(k in 1usize..12, seed in -1e3..1e3f64, centered: bool) {
        let (file, model) = (scratch("m.lcca"), model(k, seed, centered));
        write_model(&file.path, &model, &provenance()).unwrap();
        let (back, origin) = read_model(&file.path).unwrap();
        prop_assert_eq!(&back, &model);
        prop_assert_eq!(back.settings.ridge_x.to_bits(), model.settings.ridge_x.to_bits());
        prop_assert_eq!(back.total.to_bits(), model.total.to_bits());
        prop_assert_eq!(origin, provenance());
    }
}

#[test]
fn a_model_written_before_als_had_a_choice_of_solvers_still_opens() {
    let file = scratch("old.lcca");
    write_model(&file.path, &model(2, 0.5, true), &provenance()).unwrap();
    let mut bytes = std::fs::read(&file.path).unwrap();
    let added = br#",\"inner\":\"cholesky\""#;
    let start = bytes.windows(added.len()).position(|window| window == added).expect("the solver is written");
    bytes[start..start + added.len()].fill(b' ');
    std::fs::write(&file.path, bytes).unwrap();
    assert_eq!(read_model(&file.path).unwrap().0, model(2, 0.5, true));
}

#[test]
fn a_model_by_conjugate_gradients_comes_back() {
    let file = scratch("cg.lcca");
    let method = Method::Als { t1: 3, inner: Inner::Cg { t2: 17 } };
    let mut by_cg = model(2, 0.5, false);
    by_cg.settings.method = method;
    write_model(&file.path, &by_cg, &provenance()).unwrap();
    assert_eq!(read_model(&file.path).unwrap().0.settings.method, method);
}

#[test]
fn names_of_columns_travel_with_a_model() {
    let (file, model) = (scratch("m.lcca"), model(2, 0.5, true));
    let names = ModelNames { x: Some(Names::new(["a", "", "é", "d", "e"])), y: None };
    write_model_named(&file.path, &model, &names, &provenance()).unwrap();
    assert_eq!(read_model_names(&file.path).unwrap(), names);
    assert_eq!(read_model(&file.path).unwrap().0, model);
    let Info::Model(info) = describe(&file.path).unwrap() else { panic!("not a model") };
    assert_eq!((info.x_names.map(|names| names[2].clone()), info.y_names), (Some("é".into()), None));
    let names = ModelNames { x: None, y: Some(Names::new(["a"])) };
    let error = write_model_named(&file.path, &model, &names, &provenance()).unwrap_err().to_string();
    assert!(error.contains("y.name_ends: has a side of 1, expected 3"), "{error}");
}

#[test]
fn a_model_describes_itself() {
    let file = scratch("m.safetensors");
    write_model(&file.path, &model(4, 0.5, true), &provenance()).unwrap();
    let Info::Model(info) = describe(&file.path).unwrap() else { panic!("not a model") };
    assert_eq!((info.method, info.k, info.x_cols, info.y_cols), ("als", 4, 5, 3));
    assert_eq!(info.provenance, provenance());
    let json = serde_json::to_value(describe(&file.path).unwrap()).unwrap();
    assert_eq!((&json["kind"], &json["settings"]["method"]["name"]), (&json!("model"), &json!("als")));
    let error = read_matrix(&file.path).err().unwrap().to_string();
    assert!(error.contains("is a model, expected a matrix"), "{error}");
}

#[test]
fn a_matrix_describes_itself_and_is_not_a_model() {
    let file = scratch("m.lcca");
    write_matrix(&file.path, &sparse(&[vec![0.0, 2.0, 0.0]], true)).unwrap();
    let Info::Matrix(info) = describe(&file.path).unwrap() else { panic!("not a matrix") };
    assert_eq!((info.rows, info.cols, info.entries, info.storage), (1, 3, 1, "sparse f32"));
    let error = read_model(&file.path).err().unwrap().to_string();
    assert!(error.contains("is a matrix, expected a model"), "{error}");
}

#[test]
fn a_damaged_model_is_refused_in_one_line() {
    let file = scratch("m.lcca");
    write_model(&file.path, &model(2, 0.5, true), &provenance()).unwrap();
    let bytes = std::fs::read(&file.path).unwrap();
    for len in (0..bytes.len()).step_by(7) {
        std::fs::write(&file.path, &bytes[..len]).unwrap();
        let error = read_model(&file.path).err().unwrap().to_string();
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}
