//! Classical CCA from Gram matrices: for views so narrow that [X Y]ᵀ[X Y] is small.
//!
//! Both views' Gram matrices are scaled to a unit diagonal and whitened through their eigenvectors, Hᵀ(C + λI)H = I, and
//! HxᵀCxyHy = U·diag(d)·Vᵀ gives W = H·U. Forming C costs a quarter of a QR of the rows, but it squares the condition
//! number: if an eigenvalue is neither clearly significant nor clearly rounding, the answer is left to QR. A Rayleigh–Ritz
//! step on C·W at the end refines the rest of the error. That product is as exact from C as from the rows, which were
//! centered before C was formed, so no pass is spent on it: the rows are read once in all.

use super::problem::{Problem, RawFit};
use super::view_block::ViewBlock;
use crate::data::{Pair, mirrored};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::panels;
use crate::whiten::{Spectrum, inverse_root};
use faer::{Mat, MatRef};

/// Eigenvalues above this, relative to the largest, are significant: rounding of a Gram matrix is a million times smaller.
const SIGNIFICANT: f64 = 1e-10;
/// Eigenvalues below this are rounding. Between the two nothing can be said, and QR has to decide.
const ROUNDING: f64 = 1e-13;

/// The answer, or `None` if the matrices are too ill conditioned to tell the rank.
pub(super) fn gram(problem: &Problem<'_>) -> Result<Option<RawFit>> {
    let lower = problem.pair.capabilities().require_grams()?.dense_gram(None, problem.settings.memory)?;
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
    let (wx, wy) = (&hx * svd.U().subcols(0, k), &hy * svd.V().subcols(0, k));
    let total = (0..k).map(|i| svd.S()[i].min(1.0)).sum();
    let both = mirrored(&lower);
    let (cxx, cxy, cyy) =
        (both.submatrix(0, 0, p, p), both.submatrix(0, p, p, q), both.submatrix(p, p, q, q));
    let x = measured(x_normal.ridge, &wx, cxx, cxy.transpose());
    let y = measured(y_normal.ridge, &wy, cyy, cxy);
    let weights = [x.w.clone(), y.w.clone()];
    let trace = vec![problem.trace_row(1, total, None)];
    Ok(Some(RawFit { weights, products: Some([x, y]), trace, end: None, decisions: Vec::new() }))
}

/// Weights with the products that a pass over the rows would give.
fn measured(ridge: f64, w: &Mat<f64>, own: MatRef<'_, f64>, other: MatRef<'_, f64>) -> ViewBlock {
    let panel = |m: Mat<f64>| Panel::from_mat(m.as_ref());
    let (w, mut bw, across) = (panel(w.clone()), panel(own * w), panel(other * w));
    panels::add_scaled(&mut bw, ridge, &w);
    ViewBlock { w, bw, across }
}

/// H with Hᵀ(C + λI)H = I on the range of C + λI, from the lower triangle of C; `None` if that range is not clear.
/// `diagonal` is that of C + λI, 0 for columns that are zero but for rounding.
fn whitener(lower: MatRef<'_, f64>, ridge: f64, diagonal: &[f64]) -> Result<Option<Mat<f64>>> {
    let mut gram = lower.to_owned();
    (0..gram.nrows()).for_each(|i| gram[(i, i)] += ridge);
    let scale = diagonal.iter().map(|&d| inverse_root(d)).collect();
    let spectrum = Spectrum::new(gram.as_ref(), scale)?;
    let unclear = spectrum.shares.iter().any(|&share| share > ROUNDING && share <= SIGNIFICANT);
    Ok((!unclear).then(|| spectrum.whitener(SIGNIFICANT)))
}
