//! Rows that are few and wide, against a dense answer in row space.

use crate::data::InMemory;
use crate::fit::fit;
use crate::matrix::{Matrix, RowsBuilder};
use crate::method::{Method, Settings};
use crate::outcome::Decision;
use faer::{Mat, Side as Triangle};

const ROWS: usize = 240;
const COLUMNS: usize = 4600;
const RIDGE: f64 = 0.3;

/// Numbers in [0, 1) that look random.
fn noise(seed: u64) -> f64 {
    let mixed = (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (seed >> 7)).wrapping_mul(0xd1b5_4a32_d192_ed03);
    ((mixed ^ (mixed >> 32)) >> 11) as f64 / (1u64 << 53) as f64
}

/// Columns whose frequencies fall like those of words; the views share half of their draws.
fn view(side: u64) -> Matrix {
    let mut rows = RowsBuilder::default();
    for row in 0..ROWS as u64 {
        let draw = |i: u64| {
            let own = i % 2;
            let u = noise(1 + i + 1000 * (row + 1000 * own * (1 + side)));
            ((COLUMNS as f64).powf(u) - 1.0) as u32
        };
        let mut columns: Vec<u32> = (0..160).map(draw).collect();
        columns.sort_unstable();
        columns.dedup();
        columns.into_iter().for_each(|column| rows.push(column, 1.0));
        rows.end_row();
    }
    RowsBuilder::join(vec![rows], COLUMNS, true).unwrap().into()
}

/// H = K(K + 1)⁻¹ with K = XXᵀ/λ of the centered view: d² are the eigenvalues of Hx·Hy.
fn smoother(view: &Matrix, weights: &[f64]) -> Mat<f64> {
    let mut x = Mat::zeros(ROWS, COLUMNS);
    (0..ROWS).for_each(|row| view.for_each(row, |column, value| x[(row, column)] = value));
    let total: f64 = weights.iter().sum();
    for column in 0..COLUMNS {
        let mean = (0..ROWS).map(|row| weights[row] * x[(row, column)]).sum::<f64>() / total;
        (0..ROWS).for_each(|row| x[(row, column)] = weights[row].sqrt() * (x[(row, column)] - mean));
    }
    let ridge = RIDGE * x.squared_norm_l2() / COLUMNS as f64;
    let kernel = (&x * x.transpose()) * faer::Scale(1.0 / ridge);
    mapped(&kernel, |k| k.max(0.0) / (k.max(0.0) + 1.0))
}

/// A function of a symmetric matrix.
fn mapped(mat: &Mat<f64>, f: impl Fn(f64) -> f64) -> Mat<f64> {
    let eigen = mat.self_adjoint_eigen(Triangle::Lower).unwrap();
    let (u, s) = (eigen.U().to_owned(), eigen.S().column_vector().to_owned());
    let scaled = Mat::from_fn(u.nrows(), u.ncols(), |i, j| u[(i, j)] * f(s[j]));
    &scaled * u.transpose()
}

#[test]
fn few_wide_rows_give_the_dense_answer_in_few_passes() {
    let (x, y) = (view(0), view(1));
    let weights: Vec<f64> = (0..ROWS).map(|row| if row % 3 == 0 { 2.0 } else { 1.0 }).collect();
    let (hx, hy) = (smoother(&x, &weights), smoother(&y, &weights));
    let root = mapped(&hx, |h| h.max(0.0).sqrt());
    let squares = (&root * &hy * &root).self_adjoint_eigenvalues(Triangle::Lower).unwrap();
    let k = 4;
    let truth: Vec<f64> = squares.iter().rev().take(k).map(|square| square.sqrt()).collect();
    let pair = InMemory::new(x, y).unwrap().weighted(weights.into()).unwrap();
    for (tol, most) in [(1e-4, 12.0), (1e-9, 20.0)] {
        let settings = Settings { ridge_x: RIDGE, ridge_y: RIDGE, tol, ..Settings::new(Method::lobpcg(), k) };
        let found = fit(&pair, &settings, &()).unwrap();
        let uses_it = |decision: &Decision| matches!(decision, Decision::RowSpace { rows: 240 });
        assert!(found.decisions.iter().any(uses_it), "{:?}", found.decisions);
        assert!(found.cost.passes <= most, "{} passes", found.cost.passes);
        let (total, true_total): (f64, f64) = (found.model.objective.iter().sum(), truth.iter().sum());
        let missing = true_total - total;
        assert!(found.converged && missing >= -1e-8 && missing <= tol * total, "{missing:e} at {tol:e}");
    }
}
