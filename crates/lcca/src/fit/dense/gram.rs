//! Classical CCA from Gram matrices: for views so narrow that [X Y]ᵀ[X Y] is small.
//!
//! Both views' Gram matrices are scaled to a unit diagonal and factorized, C + λI = RᵀR on independent
//! columns. With H = R⁻¹, HxᵀCxyHy = U·diag(d)·Vᵀ gives W = H·U. Forming C costs a quarter of a QR of the
//! rows, and much less if they are sparse, but it squares the condition number. If a column is neither
//! clearly independent of the others nor clearly dependent, the answer is therefore left to QR. Where QR
//! would take minutes because there are too many rows, a column counts as dependent instead if less than
//! 1e-10 of its variance is its own. A Rayleigh–Ritz step on C·W at the end refines the rest of the error.
//! That product is as exact from C as from the rows, because C was centered without loss, so no pass is
//! spent on it: the rows are read once in all.

use super::leading::{Triplets, triplets};
use super::pivoted::{Pivoted, parallelism};
use crate::data::{Normal, Pair};
use crate::error::Result;
use crate::fit::pairs::problem::{Problem, RawFit};
use crate::fit::pairs::products::Products;
use crate::fit::pairs::view_block::ViewBlock;
use crate::matrix::Panel;
use crate::panels;
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatRef};

/// The operations that QR may take if Gram matrices do not tell the rank: about a minute on two cores.
const MOST_FOR_QR: f64 = 2e12;

/// The answer, or `None` if the matrices are too ill conditioned to tell the rank and QR can.
pub(in crate::fit) fn gram(problem: &Problem<'_>) -> Result<Option<RawFit>> {
    let lower = match problem.space.dense_gram(problem.pair)? {
        Some(lower) => lower,
        None => problem.pair.capabilities().require_grams()?.dense_gram(None, problem.settings.memory)?,
    };
    let shape = problem.pair.shape();
    let (p, q) = (shape.x_cols, shape.y_cols);
    let [x_normal, y_normal] = problem.normals;
    let (cxx, cyx, cyy) =
        (lower.submatrix(0, 0, p, p), lower.submatrix(p, 0, q, p), lower.submatrix(p, p, q, q));
    let decides = !can_take_qr(problem);
    let factor = |normal: Normal<'_>, gram: MatRef<'_, f64>| -> Result<Option<Pivoted>> {
        if normal.is_identity {
            return Ok(Some(Pivoted::identity(normal.size(), normal.ridge)));
        }
        Pivoted::new(gram, normal.ridge, &normal.diagonal()?, decides)
    };
    let (x, y) = rayon::join(|| factor(x_normal, cxx), || factor(y_normal, cyy));
    let (Some(x), Some(y)) = (x?, y?) else { return Ok(None) };
    // Hxᵀ·Cxy·Hy, whitened from both sides.
    let ranks = [x.rank(), y.rank()];
    let small = x.whitened(y.whitened(cyx).transpose());
    let Triplets { u, d, v } = triplets(small.as_ref(), problem.settings.k)?;
    let (wx, wy) = (x.weights(u.as_ref())?, y.weights(v.as_ref())?);
    let most = problem.largest_objective();
    let total = problem.unit() * d.iter().map(|d| d.min(most)).sum::<f64>();
    let x = measured(x_normal, &wx, cxx, cyx);
    let y = measured(y_normal, &wy, cyy, cyx.transpose());
    let weights = [x.w.clone(), y.w.clone()];
    let trace = vec![problem.trace_row(1, total, None)];
    Ok(Some(RawFit {
        weights,
        products: Some(Products::Views(Box::new([x, y]))),
        trace,
        end: None,
        decisions: Vec::new(),
        ranks: Some(ranks),
    }))
}

/// Whether QR of the rows takes neither too long nor too much memory.
fn can_take_qr(problem: &Problem<'_>) -> bool {
    let shape = problem.pair.shape();
    let width = (1 + shape.x_cols + shape.y_cols) as f64;
    // A stack of a factor and twice as many rows for each thread, and a copy of it.
    let bytes = 48.0 * rayon::current_num_threads() as f64 * width * width;
    let operations = 2.0 * width * width * (shape.rows as f64 + 3.0 * width);
    let capabilities = problem.pair.capabilities();
    capabilities.triangles.is_some() && operations <= MOST_FOR_QR && bytes <= problem.settings.memory as f64
}

/// Weights with the products that a pass over the rows would give. `own` is the lower triangle of C.
fn measured(normal: Normal<'_>, w: &Mat<f64>, own: MatRef<'_, f64>, other: MatRef<'_, f64>) -> ViewBlock {
    let panel = |m: Mat<f64>| Panel::from_mat(m.as_ref());
    let mut product = Mat::zeros(w.nrows(), w.ncols());
    if !normal.is_identity {
        let (par, full) = (parallelism(w.nrows()), BlockStructure::Rectangular);
        let (lower, upper) = (BlockStructure::TriangularLower, BlockStructure::StrictTriangularUpper);
        matmul(product.as_mut(), full, Accum::Replace, own, lower, w, full, 1.0, par);
        matmul(product.as_mut(), full, Accum::Add, own.transpose(), upper, w, full, 1.0, par);
    }
    let (across, w, mut bw) = (panel(other * w), panel(w.clone()), panel(product));
    panels::add_scaled(&mut bw, normal.ridge, &w);
    ViewBlock { w, bw, across }
}
