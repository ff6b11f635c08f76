//! The first iterations on wide views run in single precision, but no claim rests on it.

use crate::data::Side;
use crate::fit::tests::*;
use crate::matrix::{Matrix, SparseRows, Values};
use crate::testing::random_panel;

fn is_single(decision: &Decision) -> bool {
    matches!(decision, Decision::SinglePrecisionFirst { iterations } if *iterations > 0)
}

/// Rows about one of 8,400 topics, whose views have a column for each topic and one for every third. In Y the
/// topic may be one of the next eight instead: hardly ever for the first four topics, often for the next, and
/// nearly always from the sixtieth on.
pub(in crate::fit::tests) fn topics(rows: usize) -> InMemory {
    const TOPICS: u64 = 8_400;
    let mut state = 1u64;
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let (mut offsets, mut x, mut y) = (vec![0u64], Vec::new(), Vec::new());
    for row in 0..rows as u64 {
        // Every third row is about one of the first topics, so that these are frequent.
        let topic = if row % 3 == 0 { draw(60) } else { draw(TOPICS) };
        let strays = if topic < 4 { 5 + 2 * topic } else { 30 + topic.min(60) };
        let other = if draw(100) < strays { (topic + 1 + draw(8)) % TOPICS } else { topic };
        x.extend([topic as u32, (TOPICS + topic / 3) as u32]);
        y.extend([other as u32, (TOPICS + draw(2) * (TOPICS / 6) + other / 6) as u32]);
        offsets.push(x.len() as u64);
    }
    let cols = (TOPICS + TOPICS / 3) as usize;
    let view = |columns: Vec<u32>| -> Matrix {
        SparseRows::new(cols, offsets.clone().into(), columns.into(), Values::Ones).unwrap().into()
    };
    let (x, y) = (view(x), view(y));
    InMemory::new(x, y).unwrap()
}

#[test]
fn wide_views_give_the_answer_of_double_precision() {
    let pair = topics(100_000);
    let settings = Settings { ridge_x: 0.1, ridge_y: 0.1, ..Settings::new(Method::lobpcg(), 8) };
    // Passes over rows are in double precision.
    let on_rows = fit(&pair, &Settings { structure: false, tol: 1e-7, ..settings.clone() }, &()).unwrap();
    assert!(on_rows.converged && !decided(&on_rows, is_single), "{:?}", on_rows.decisions);
    let truth: f64 = on_rows.model.objective.iter().sum();
    for tol in [1e-2, 1e-4, 1e-6] {
        let fit = fit(&pair, &Settings { tol, ..settings.clone() }, &()).unwrap();
        assert!(fit.converged && decided(&fit, is_single), "{tol}: {:?}", fit.decisions);
        let short = (truth - fit.model.objective.iter().sum::<f64>()) / truth;
        // No total is above the truth, and the missing share is not understated.
        assert!(short > -1e-7 && short <= fit.missing, "{tol}: {short:e}, {:e}", fit.missing);
    }
}

/// A view with two more columns, which hold the same numbers but for a thousandth of `signal`, in one row of
/// ten.
fn with_twins(view: &Matrix, signal: &[f64], seed: usize) -> Matrix {
    let (mut offsets, mut columns, mut values) = (vec![0u64], Vec::new(), Vec::new());
    let twin = view.cols() as u32;
    for (row, signal) in signal.iter().enumerate() {
        view.for_each(row, |column, value| {
            columns.push(column as u32);
            values.push(value);
        });
        if row % 10 == 3 {
            let own = 1.0 + ((row * 7919 + seed * 104_729) % 1000) as f64 / 500.0;
            columns.extend([twin, twin + 1]);
            values.extend([own, own + 1e-3 * signal]);
        }
        offsets.push(columns.len() as u64);
    }
    let values = Values::F64(values.into());
    SparseRows::new(view.cols() + 2, offsets.into(), columns.into(), values).unwrap().into()
}

#[test]
fn a_pair_that_single_precision_cannot_see_is_found() {
    let (rows, pair) = (100_000, topics(100_000));
    let noise = random_panel(rows, 1, 9);
    let signal: Vec<f64> = (0..rows).map(|row| noise.row(row)[0]).collect();
    let twins = |side: Side, seed: usize| with_twins(pair.view(side), &signal, seed);
    let pair = InMemory::new(twins(Side::X, 1), twins(Side::Y, 2)).unwrap();
    for k in [1, 5] {
        let settings = Settings { ridge_x: 0.0, ridge_y: 0.0, ..Settings::new(Method::lobpcg(), k) };
        let fit = fit(&pair, &settings, &()).unwrap();
        assert!(decided(&fit, is_single), "{:?}", fit.decisions);
        // The differences of the twins are the same signal in both views.
        let best = fit.model.objective[0];
        assert!(fit.converged && best > 1.0 - 1e-3, "k = {k}: {best}, {:?}", fit.decisions);
    }
}

#[test]
fn no_pair_is_lost_because_columns_depend_on_each_other_in_single_precision() {
    // X has eleven columns and one more that differs from the last by 1e-8 of its variance. The difference
    // is a sign that Y knows.
    const Y: u64 = 20_500;
    let rows = 60_000u64;
    let (mut x_offsets, mut x, mut values) = (vec![0u64], Vec::new(), Vec::new());
    let (mut y_offsets, mut y) = (vec![0u64], Vec::new());
    for row in 0..rows {
        let (class, sign) = (row % 12, (row / 12) % 2);
        if class < 11 {
            x.push(class as u32);
            values.push(1.0);
        }
        if class == 10 {
            x.push(11);
            values.push(if sign == 0 { 1.0 + 1e-4 } else { 1.0 - 1e-4 });
        }
        x_offsets.push(x.len() as u64);
        // Every column of Y has rows of one class and mostly of one sign.
        let column = (row / 24 % (Y / 24)) * 24 + 2 * class + sign;
        y.push(column as u32);
        y_offsets.push(y.len() as u64);
    }
    let x = SparseRows::new(12, x_offsets.into(), x.into(), Values::F64(values.into())).unwrap().into();
    let y = SparseRows::new(Y as usize, y_offsets.into(), y.into(), Values::Ones).unwrap().into();
    let pair = InMemory::new(x, y).unwrap();
    let settings = Settings { ridge_y: 0.1, ..Settings::new(Method::lobpcg(), 12) };
    let fit = fit(&pair, &settings, &()).unwrap();
    assert!(decided(&fit, is_single), "{:?}", fit.decisions);
    assert_eq!(fit.model.objective.len(), 12, "{:?}", fit.model.objective);
    assert!(fit.converged && fit.model.objective[11] > 0.5, "{:?}", fit.model.objective);
}
