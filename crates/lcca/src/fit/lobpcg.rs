//! The default method: block LOBPCG (Knyazev 2001) on the generalized eigenproblem of CCA.
//!
//! Alternating least squares is its power method. Here every iteration takes one fused pass on the preconditioned
//! residuals and then the best answer in the span of three blocks: the current weights W, the residuals T, and the last
//! step P.
//!
//! ```text
//! start:   random weights of unit-length columns
//! repeat:  Tx = Dx⁻¹(Cxy·Wy − Bx·Wx·Θ), Ty likewise           B = C + λI, D its diagonal
//!          one pass on (Tx, Ty)
//!          x and y whitened separately over Sx = [Wx Tx Px], Sy = [Wy Ty Py]
//!          SVD of the small SxᵀCxySy → new W, P, Θ and all their products, without a pass
//! until    what is still missing from Σθ is within the tolerance
//! ```
//!
//! Pairs that have converged stay in W but send no more residuals into the pass. In Gram mode D⁻¹ may give way to
//! (B − A)⁻¹: see `precondition`.

use super::half::{Half, residuals, sizes};
use super::precondition::Preconditioner;
use super::stopping::Stopping;
use super::{Found, Problem};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::metric;
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
    let mut preconditioner = Preconditioner::new(problem, &inverse)?;
    let mut stopping = Stopping::new(settings.k, settings.tol);
    let mut trace = Vec::new();
    let mut w = start(problem, &inverse)?;
    let mut basis = Vec::new();
    loop {
        basis.insert(0, w);
        let Ritz { best, step, theta, drift } = rayleigh_ritz(&basis, problem.block())?;
        w = best;
        let residual = residuals(&w.x, &w.y, &theta);
        let sizes = sizes(&residual, &inverse);
        stopping.look(&theta, &sizes);
        trace.push(problem.trace_row(trace.len() + 1, captured_by_best(problem, &w, &theta)));
        let active = stopping.active(&sizes, LOCK);
        if stopping.enough() || stopping.stalls() || problem.is_spent() || active.is_empty() {
            let (weights, missing) = ([w.x.w, w.y.w], stopping.missing());
            return Ok(Found { weights, trace, missing, remarks: preconditioner.remarks() });
        }
        preconditioner.reconsider(stopping.iterations_left())?;
        basis = if trace.len() > 1 && drift > DRIFT {
            w = Block::measure(problem, [w.x.w, w.y.w])?;
            Vec::new()
        } else {
            step.into_iter().collect()
        };
        let active = residual.map(|r| panels::select(&r, &active));
        basis.insert(0, Block::measure(problem, preconditioner.apply(active))?);
    }
}

impl Block {
    fn measure(problem: &Problem<'_>, weights: [Panel; 2]) -> Result<Self> {
        let [x, y] = Half::measure_both(problem, weights)?;
        Ok(Block { x, y })
    }
}

/// Random weights of unit-length columns: one pass.
fn start(problem: &Problem<'_>, inverse: &[Vec<f64>; 2]) -> Result<Block> {
    let [x_normal, y_normal] = problem.normals;
    let mut panels =
        [(x_normal, random::Use::Start), (y_normal, random::Use::StartOfY)].map(|(normal, purpose)| {
            random::normal_panel(normal.size(), problem.block(), problem.settings.seed, purpose)
        });
    panels.iter_mut().zip(inverse).for_each(|(panel, inverse)| {
        panels::scale_rows(panel, &inverse.iter().map(|d| d.sqrt()).collect::<Vec<_>>());
    });
    Block::measure(problem, panels)
}
/// The best pairs in the span of some blocks.
struct Ritz {
    best: Block,
    /// What was added to the first block to get there.
    step: Option<Block>,
    /// The objective of each pair.
    theta: Vec<f64>,
    /// How far the first block was from WᵀBW = I.
    drift: f64,
}

/// The m best pairs in the span of the blocks.
fn rayleigh_ritz(basis: &[Block], m: usize) -> Result<Ritz> {
    let (xs, ys): (Vec<&Half>, Vec<&Half>) = basis.iter().map(|block| (&block.x, &block.y)).unzip();
    let (gx, gy) = (gram(&xs), gram(&ys));
    let drift = distance_from_identity(&gx, xs[0].w.cols()).max(distance_from_identity(&gy, ys[0].w.cols()));
    let (hx, hy) = (whitener(gx.as_ref()), whitener(gy.as_ref()));
    let small = hx.transpose() * cross(&xs, &ys) * &hy;
    let svd = small.thin_svd().map_err(|_| Error::Factorization("SxᵀXᵀYSy"))?;
    let m = m.min(svd.S().dim());
    let (cx, cy) = (hx * svd.U().subcols(0, m), hy * svd.V().subcols(0, m));
    let theta = (0..m).map(|i| svd.S()[i]).collect();
    let (x, x_step) = advance(&xs, &cx);
    let (y, y_step) = advance(&ys, &cy);
    let step = x_step.zip(y_step).map(|(x, y)| Block { x, y });
    Ok(Ritz { best: Block { x, y }, step, theta, drift })
}

/// Σ halfᵢ·cᵢ, and the part of it that does not come from the first half.
fn advance(halves: &[&Half], c: &Mat<f64>) -> (Half, Option<Half>) {
    let first = halves[0].w.cols();
    let mut best = combination(&halves[..1], c.subrows(0, first));
    let step = (halves.len() > 1).then(|| combination(&halves[1..], c.subrows(first, c.nrows() - first)));
    if let Some(step) = &step {
        panels::add_scaled(&mut best.w, 1.0, &step.w);
        panels::add_scaled(&mut best.bw, 1.0, &step.bw);
        panels::add_scaled(&mut best.across, 1.0, &step.across);
    }
    (best, step)
}

/// How far the first `size` rows and columns are from I.
fn distance_from_identity(gram: &Mat<f64>, size: usize) -> f64 {
    (gram.submatrix(0, 0, size, size) - Mat::<f64>::identity(size, size)).norm_max()
}

/// Captured correlation of the k best of whitened pairs, for which WᵀBW = I and WxᵀCxyWy = Θ.
fn captured_by_best(problem: &Problem<'_>, w: &Block, theta: &[f64]) -> f64 {
    let k = problem.settings.k.min(theta.len());
    let [x_ridge, y_ridge] = problem.normals.map(|normal| normal.ridge);
    if x_ridge == 0.0 && y_ridge == 0.0 {
        return theta[..k].iter().sum();
    }
    let gram = |w: &Panel, ridge: f64| {
        let lengths = panels::cross(w, w);
        Mat::from_fn(k, k, |i, j| f64::from(i == j) - ridge * lengths[(i, j)])
    };
    let cross = Mat::from_fn(k, k, |i, j| if i == j { theta[i] } else { 0.0 });
    let (x_gram, y_gram) = (gram(&w.x.w, x_ridge), gram(&w.y.w, y_ridge));
    metric::subspace_correlations(x_gram.as_ref(), y_gram.as_ref(), cross.as_ref()).iter().sum()
}

/// SᵀBS of one view, block by block.
fn gram(halves: &[&Half]) -> Mat<f64> {
    let (w, bw): (Vec<&Panel>, Vec<&Panel>) = halves.iter().map(|half| (&half.w, &half.bw)).unzip();
    panels::symmetric_block_cross(&w, &bw)
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
