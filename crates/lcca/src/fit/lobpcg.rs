//! The default method: block LOBPCG (Knyazev 2001) on the generalized eigenproblem of CCA.
//!
//! Alternating least squares is its power method. Here every iteration takes one fused pass on the preconditioned
//! residuals and then the best answer in the span of three blocks: the current weights W, the residuals T, and the last
//! step P.
//!
//! ```text
//! start:   random weights, smoothed by one D-CCA step
//! repeat:  Tx = Dx⁻¹(Cxy·Wy − Bx·Wx·Θ), Ty likewise           B = C + λI, D its diagonal
//!          one pass on (Tx, Ty)
//!          x and y whitened separately over Sx = [Wx Tx Px], Sy = [Wy Ty Py]
//!          SVD of the small SxᵀCxySy → new W, P, Θ and all their products, without a pass
//! until    what is still missing from Σθ is within the tolerance
//! ```
//!
//! Pairs that have converged stay in W but send no more residuals into the pass.

use super::half::{Half, captured, residuals, sizes};
use super::stopping::Stopping;
use super::{Found, Problem};
use crate::data::{Ask, Pair, Side};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::panels;
use crate::random;
use crate::whiten::whitener;
use faer::{Mat, MatRef};

/// WᵀBW may be this far from I before products are formed afresh from the rows.
const DRIFT: f64 = 1e-7;
/// A pair whose residual is below this share of the tolerance sends no more residuals.
const LOCK: f64 = 1e-2;

/// Both views' weights and their products.
struct Block {
    x: Half,
    y: Half,
}

pub(super) fn lobpcg(problem: &Problem<'_>) -> Result<Found> {
    let settings = problem.settings;
    let inverse = problem.inverse_diagonals()?;
    let mut stopping = Stopping::new(settings.k, settings.tol);
    let mut trace = Vec::new();
    let mut w = start(problem, &inverse)?;
    let mut basis = Vec::new();
    loop {
        basis.insert(0, w);
        let (best, step, theta) = rayleigh_ritz(&basis, problem.block())?;
        w = best;
        let residual = residuals(&w.x, &w.y, &theta);
        let sizes = sizes(&residual, &inverse);
        stopping.look(&theta, &sizes);
        trace.push(problem.trace_row(trace.len() + 1, captured(problem, &w.x, &w.y)));
        let active = stopping.active(&sizes, LOCK);
        if stopping.enough() || stopping.stalls() || problem.is_spent() || active.is_empty() {
            return Ok(Found { weights: [w.x.w, w.y.w], trace, missing: stopping.missing() });
        }
        basis = if drift(&w.x).max(drift(&w.y)) > DRIFT {
            w = Block::measure(problem, [w.x.w, w.y.w])?;
            Vec::new()
        } else {
            step.into_iter().collect()
        };
        basis.insert(0, Block::measure(problem, precondition(residual, &inverse, &active))?);
    }
}

impl Block {
    fn measure(problem: &Problem<'_>, weights: [Panel; 2]) -> Result<Self> {
        let [x, y] = Half::measure_both(problem, weights)?;
        Ok(Block { x, y })
    }
}

/// Random weights of unit-length columns, smoothed by one D-CCA step: three passes.
fn start(problem: &Problem<'_>, inverse: &[Vec<f64>; 2]) -> Result<Block> {
    let [x_normal, y_normal] = problem.normals;
    let mut wx =
        random::normal_panel(x_normal.size(), problem.block(), problem.settings.seed, random::Use::Start);
    panels::scale_rows(&mut wx, &inverse[0].iter().map(|d| d.sqrt()).collect::<Vec<_>>());
    let mut wy = Panel::zeros(y_normal.size(), wx.cols());
    problem.pair.pass(&mut Ask::new().source(Side::X, &wx).to(Side::Y, &mut wy))?;
    panels::scale_rows(&mut wy, &inverse[1]);
    let y = Half::measure(y_normal, wy)?;
    wx = y.across.clone();
    panels::scale_rows(&mut wx, &inverse[0]);
    Ok(Block { x: Half::measure(x_normal, wx)?, y })
}

/// The m best pairs in the span of the blocks, the step that led there from the first block, and the pairs' objective.
fn rayleigh_ritz(basis: &[Block], m: usize) -> Result<(Block, Option<Block>, Vec<f64>)> {
    let (xs, ys): (Vec<&Half>, Vec<&Half>) = basis.iter().map(|block| (&block.x, &block.y)).unzip();
    let (hx, hy) = (whitener(gram(&xs).as_ref()), whitener(gram(&ys).as_ref()));
    let small = hx.transpose() * cross(&xs, &ys) * &hy;
    let svd = small.thin_svd().map_err(|_| Error::Factorization("SxᵀXᵀYSy"))?;
    let m = m.min(svd.S().dim());
    let (cx, cy) = (hx * svd.U().subcols(0, m), hy * svd.V().subcols(0, m));
    let theta = (0..m).map(|i| svd.S()[i]).collect();
    let step = (basis.len() > 1).then(|| {
        let rest = |halves: &[&Half], c: &Mat<f64>| {
            let first = halves[0].w.cols();
            combination(&halves[1..], c.subrows(first, c.nrows() - first))
        };
        Block { x: rest(&xs, &cx), y: rest(&ys, &cy) }
    });
    let best = Block { x: combination(&xs, cx.as_ref()), y: combination(&ys, cy.as_ref()) };
    Ok((best, step, theta))
}

/// SᵀBS of one view, block by block.
fn gram(halves: &[&Half]) -> Mat<f64> {
    let (w, bw): (Vec<&Panel>, Vec<&Panel>) = halves.iter().map(|half| (&half.w, &half.bw)).unzip();
    let product = panels::block_cross(&w, &bw);
    Mat::from_fn(product.nrows(), product.ncols(), |i, j| (product[(i, j)] + product[(j, i)]) / 2.0)
}

/// SxᵀCxySy.
fn cross(xs: &[&Half], ys: &[&Half]) -> Mat<f64> {
    let w: Vec<&Panel> = xs.iter().map(|half| &half.w).collect();
    panels::block_cross(&w, &ys.iter().map(|half| &half.across).collect::<Vec<_>>())
}

/// Σ halfᵢ·cᵢ, where the rows of c belong to the halves one after another.
fn combination(halves: &[&Half], c: MatRef<'_, f64>) -> Half {
    let of = |pick: fn(&Half) -> &Panel| {
        panels::block_times(&halves.iter().map(|half| pick(half)).collect::<Vec<_>>(), c)
    };
    Half { w: of(|half| &half.w), bw: of(|half| &half.bw), across: of(|half| &half.across) }
}

/// D⁻¹R, of the pairs that are still active.
fn precondition(residual: [Panel; 2], inverse: &[Vec<f64>; 2], active: &[usize]) -> [Panel; 2] {
    let mut side = 0;
    residual.map(|r| {
        let mut t = panels::select(&r, active);
        panels::scale_rows(&mut t, &inverse[side]);
        side += 1;
        t
    })
}

/// How far WᵀBW is from I.
fn drift(half: &Half) -> f64 {
    let gram = panels::cross(&half.w, &half.bw);
    (&gram - Mat::<f64>::identity(gram.nrows(), gram.ncols())).norm_max()
}
