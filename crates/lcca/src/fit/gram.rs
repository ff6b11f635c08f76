//! Classical CCA from Gram matrices: for views so narrow that [X Y]ᵀ[X Y] is small.
//!
//! Both views' Gram matrices are scaled to a unit diagonal and whitened through their eigenvectors, Hᵀ(C + λI)H = I, and
//! HxᵀCxyHy = U·diag(d)·Vᵀ gives W = H·U. Forming C costs half a product where QR of the rows costs four times as much, but
//! it squares the condition number: where an eigenvalue is neither clearly there nor clearly rounding, the answer is left
//! to QR. What is left of the error is refined by the last pass over the rows, which is a Rayleigh-Ritz step.

use super::{Found, Problem};
use crate::data::Pair;
use crate::error::{Error, Result};
use crate::matrix::Panel;
use faer::{Mat, MatRef, Side};

/// Eigenvalues above this, relative to the largest, are there.
const THERE: f64 = 1e-10;
/// Eigenvalues below this are rounding.
const ROUNDING: f64 = 1e-13;

/// The answer, or nothing where conditioning asks for QR.
pub(super) fn gram(problem: &Problem<'_>) -> Result<Option<Found>> {
    let lower = problem.pair.dense_gram(None, problem.settings.memory)?;
    let shape = problem.pair.shape();
    let (p, q) = (shape.x_cols, shape.y_cols);
    let [x_normal, y_normal] = problem.normals;
    let x = whitener(lower.submatrix(0, 0, p, p), x_normal.ridge, &x_normal.diagonal()?)?;
    let y = whitener(lower.submatrix(p, p, q, q), y_normal.ridge, &y_normal.diagonal()?)?;
    let (Some(hx), Some(hy)) = (x, y) else { return Ok(None) };
    // Below the diagonal stands Cyx.
    let small = hx.transpose() * (lower.submatrix(p, 0, q, p).transpose() * &hy);
    let svd = small.thin_svd().map_err(|_| Error::Factorization("HxᵀXᵀYHy"))?;
    let k = problem.settings.k.min(svd.S().dim());
    let weights =
        [&hx * svd.U().subcols(0, k), &hy * svd.V().subcols(0, k)].map(|w| Panel::from_mat(w.as_ref()));
    let total = (0..k).map(|i| svd.S()[i].min(1.0)).sum();
    Ok(Some(Found { weights, trace: vec![problem.trace_row(1, total)], missing: None, remarks: Vec::new() }))
}

/// H with Hᵀ(C + λI)H = I on the range of C + λI, from the lower triangle of C; nothing where that range is not clear.
/// `diagonal` is that of C + λI, 0 for columns that are zero but for rounding.
fn whitener(lower: MatRef<'_, f64>, ridge: f64, diagonal: &[f64]) -> Result<Option<Mat<f64>>> {
    let p = lower.nrows();
    let scale: Vec<f64> = diagonal.iter().map(|&d| if d > 0.0 { d.sqrt().recip() } else { 0.0 }).collect();
    let unit = Mat::from_fn(p, p, |i, j| {
        let value = if i > j { lower[(i, j)] } else { lower[(j, i)] };
        scale[i] * (value + if i == j { ridge } else { 0.0 }) * scale[j]
    });
    let eigen = unit.self_adjoint_eigen(Side::Lower).map_err(|_| Error::Factorization("the Gram matrix"))?;
    let (values, vectors) = (eigen.S().column_vector(), eigen.U());
    let largest = values[p - 1];
    let there: Vec<usize> = (0..p).filter(|&i| values[i] > THERE * largest).collect();
    let unclear = (0..p).any(|i| values[i] > ROUNDING * largest && values[i] <= THERE * largest);
    let h = |i: usize, j: usize| scale[i] * vectors[(i, there[j])] / values[there[j]].sqrt();
    Ok((!unclear).then(|| Mat::from_fn(p, there.len(), h)))
}
