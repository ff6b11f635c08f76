//! Random inputs and independent dense computations for tests.

use crate::matrix::{DenseRows, DenseValues, Matrix, OneHotRows, Panel, SparseRows, Values};
use crate::random;
use faer::{Mat, MatRef};
use proptest::prelude::*;
use std::ops::Range;

/// A panel of standard normal numbers.
pub fn random_panel(rows: usize, cols: usize, seed: u64) -> Panel {
    random::normal_panel(rows, cols, seed, random::Purpose::Test)
}

/// A dense matrix of standard normal numbers.
pub fn random_mat(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    random_panel(rows, cols, seed).as_mat().to_owned()
}

/// ‖a − b‖/‖b‖, in the Frobenius norm.
pub fn relative_error(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> f64 {
    (a - b).norm_l2() / b.norm_l2().max(f64::MIN_POSITIVE)
}

/// The numbers of a view as a dense matrix.
pub fn to_dense(view: &Matrix) -> Mat<f64> {
    let mut dense = Mat::zeros(view.rows(), view.cols());
    (0..view.rows()).for_each(|row| view.for_each(row, |column, value| dense[(row, column)] = value));
    dense
}

/// A view of dense rows with the numbers of a dense matrix.
pub fn from_dense(dense: MatRef<'_, f64>) -> Matrix {
    let values =
        (0..dense.nrows()).flat_map(|i| (0..dense.ncols()).map(move |j| dense[(i, j)])).collect::<Vec<_>>();
    DenseRows::new(dense.nrows(), dense.ncols(), DenseValues::F64(values.into())).unwrap().into()
}

/// A view of sparse rows with the numbers of a dense matrix. Zeros are not stored.
pub fn sparse_from_dense(dense: MatRef<'_, f64>) -> Matrix {
    let (mut offsets, mut columns, mut values) = (vec![0u64], Vec::new(), Vec::new());
    for i in 0..dense.nrows() {
        for j in (0..dense.ncols()).filter(|&j| dense[(i, j)] != 0.0) {
            columns.push(j as u32);
            values.push(dense[(i, j)]);
        }
        offsets.push(columns.len() as u64);
    }
    SparseRows::new(dense.ncols(), offsets.into(), columns.into(), Values::F64(values.into())).unwrap().into()
}

/// Rows of at most `most` ones, in columns of very different frequency.
pub fn zipf_rows(rows: usize, cols: usize, most: usize, seed: u64) -> Matrix {
    let noise = random_panel(rows, most, seed);
    let (mut offsets, mut columns) = (vec![0u64], Vec::new());
    for i in 0..rows {
        // Squaring a share of the width makes low columns frequent and high ones rare.
        let shares = noise.row(i).iter().map(|v| (v.abs() / 4.0).min(1.0).powi(2));
        let mut row: Vec<u32> = shares.map(|share| ((cols - 1) as f64 * share) as u32).collect();
        row.sort_unstable();
        row.dedup();
        columns.extend(row);
        offsets.push(columns.len() as u64);
    }
    SparseRows::new(cols, offsets.into(), columns.into(), Values::Ones).unwrap().into()
}

/// The entries of a small matrix, with enough zeros for empty rows and columns to occur.
fn entries(rows: usize, cols: usize) -> impl Strategy<Value = Vec<f64>> {
    let entry = prop_oneof![3 => Just(0.0), 2 => (-8i32..8).prop_map(|v| f64::from(v) / 4.0)];
    proptest::collection::vec(entry, rows * cols)
}

/// A matrix in any storage, of a size in the given ranges.
pub fn any_matrix(rows: Range<usize>, cols: Range<usize>) -> impl Strategy<Value = Matrix> {
    (rows, cols).prop_flat_map(|(rows, cols)| any_matrix_of(rows, cols))
}

/// A matrix in any storage, of the given size.
pub fn any_matrix_of(rows: usize, cols: usize) -> impl Strategy<Value = Matrix> {
    (entries(rows, cols), 0..6).prop_map(move |(entries, kind)| stored(kind, rows, cols, &entries))
}

/// Two views with the same number of rows.
pub fn any_views() -> impl Strategy<Value = [Matrix; 2]> {
    (1usize..40, 1usize..12, 1usize..12)
        .prop_flat_map(|(rows, p, q)| [any_matrix_of(rows, p).boxed(), any_matrix_of(rows, q).boxed()])
}

fn stored(kind: i32, rows: usize, cols: usize, entries: &[f64]) -> Matrix {
    let dense = Mat::from_fn(rows, cols, |i, j| entries[i * cols + j]);
    let Matrix::Sparse(sparse) = sparse_from_dense(dense.as_ref()) else { unreachable!() };
    let single = || entries.iter().map(|&v| v as f32).collect::<Vec<_>>();
    let first_column =
        |i: usize| (0..cols).find(|&j| dense[(i, j)] != 0.0).map_or(OneHotRows::EMPTY, |j| j as u32);
    let with_values =
        |values| SparseRows::new(cols, sparse.offsets().clone(), sparse.columns().clone(), values).unwrap();
    match kind {
        0 => with_values(Values::Ones).into(),
        1 => with_values(Values::F32(single().into_iter().filter(|&v| v != 0.0).collect::<Vec<_>>().into()))
            .into(),
        2 => sparse.into(),
        3 => OneHotRows::new(cols, (0..rows).map(first_column).collect::<Vec<_>>().into()).unwrap().into(),
        4 => DenseRows::new(rows, cols, DenseValues::F32(single().into())).unwrap().into(),
        _ => from_dense(dense.as_ref()),
    }
}

/// Random orthonormal columns, which are also orthogonal to the column of ones if `centered`.
pub fn orthonormal(rows: usize, cols: usize, seed: u64, centered: bool) -> Mat<f64> {
    let noise = random_mat(rows, cols, seed);
    let with_ones =
        Mat::from_fn(rows, cols + 1, |i, j| if j == 0 { f64::from(centered) } else { noise[(i, j - 1)] });
    let first = usize::from(centered);
    let stacked = with_ones.subcols(1 - first, cols + first).to_owned();
    stacked.qr().compute_thin_Q().subcols(first, cols).to_owned()
}

/// Centered views with exactly the canonical correlations `d`, mixed by random matrices: X = Q₁A, Y = (Q₁D +
/// Q₂√(1−D²))B.
pub fn with_correlations(rows: usize, d: &[f64], seed: u64) -> (Mat<f64>, Mat<f64>) {
    let p = d.len();
    let q = orthonormal(rows, 2 * p, seed, true);
    let mixed = |seed: u64| {
        let noise = random_mat(p, p, seed);
        Mat::from_fn(p, p, |i, j| 0.5 * noise[(i, j)] + if i == j { 3.0 } else { 0.0 })
    };
    let y = Mat::from_fn(rows, p, |i, j| d[j] * q[(i, j)] + (1.0 - d[j] * d[j]).sqrt() * q[(i, p + j)]);
    (q.subcols(0, p) * mixed(seed + 1), y * mixed(seed + 2))
}

/// Canonical correlations from dense SVDs of the views, cut at their numerical rank. This shares no code
/// with the engine.
pub fn dense_correlations(x: &Mat<f64>, y: &Mat<f64>, center: bool) -> Vec<f64> {
    let basis = |view: &Mat<f64>| {
        let (n, p) = (view.nrows(), view.ncols());
        let mean = |j: usize| if center { (0..n).map(|i| view[(i, j)]).sum::<f64>() / n as f64 } else { 0.0 };
        let means: Vec<f64> = (0..p).map(mean).collect();
        let svd = Mat::from_fn(n, p, |i, j| view[(i, j)] - means[j]).thin_svd().unwrap();
        let rank = (0..svd.S().dim()).take_while(|&i| svd.S()[i] > 1e-10 * svd.S()[0]).count();
        svd.U().subcols(0, rank).to_owned()
    };
    (basis(x).transpose() * basis(y)).singular_values().unwrap()
}

/// Objective values d of regularized CCA without centering, from eigendecompositions of dense C + λ·(tr
/// C/p)·I.
pub fn dense_objective(x: &Mat<f64>, y: &Mat<f64>, ridge: f64) -> Vec<f64> {
    let inverse_root = |view: &Mat<f64>| {
        let c = view.transpose() * view;
        let p = c.nrows();
        let lambda = ridge * (0..p).map(|i| c[(i, i)]).sum::<f64>() / p as f64;
        let eigen = c.self_adjoint_eigen(faer::Side::Lower).unwrap();
        let (s, u) = (eigen.S().column_vector(), eigen.U());
        let scaled = Mat::from_fn(p, p, |i, j| u[(i, j)] / (s[j] + lambda).sqrt());
        scaled * u.transpose()
    };
    (inverse_root(x) * x.transpose() * y * inverse_root(y)).singular_values().unwrap()
}
