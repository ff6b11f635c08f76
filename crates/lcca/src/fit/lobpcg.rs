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

use super::half::{Half, residuals_into, sizes};
use super::precondition::Preconditioner;
use super::stopping::Stopping;
use super::{Checkpoint, Found, Loop, Problem, Snapshot, TraceRow};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::metric;
use crate::panels;
use crate::random;
use crate::whiten::whitener;
use faer::Mat;

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
    let (mut w, mut p) = match problem.from.take() {
        Some(state) => resume(problem, state, &mut trace, &mut stopping)?,
        None => (start(problem, &inverse)?, None),
    };
    let mut t: Option<Block> = None;
    loop {
        let Ritz { coefficients, theta, drift } = rayleigh_ritz(&w, t.as_ref(), p.as_ref())?;
        w.advance(t.as_ref(), &mut p, &coefficients);
        let mut next = t.take().unwrap_or_else(|| w.room()).with_columns(theta.len());
        residuals_into(next.weights_mut(), &w.x, &w.y, &theta);
        let sizes = sizes([&next.x.w, &next.y.w], &inverse);
        stopping.look(&theta, &sizes);
        let captured = captured_by_best(problem, &w, &theta);
        trace.push(problem.trace_row(trace.len() + 1, captured, stopping.missing()));
        let active = stopping.active(&sizes, LOCK);
        let ends = stopping.enough() || stopping.stalls() || problem.is_spent() || active.is_empty();
        problem.checkpoint(snapshot(&w, p.as_ref(), &trace, &stopping), ends);
        if ends {
            let (weights, missing) = ([w.x.w, w.y.w], stopping.missing());
            return Ok(Found { weights, trace, missing, remarks: preconditioner.remarks(), products: None });
        }
        preconditioner.reconsider(stopping.iterations_left())?;
        if trace.len() > 1 && drift > DRIFT {
            let afresh = w.measure_again(problem);
            problem.keep(afresh, snapshot(&w, p.as_ref(), &trace, &stopping))?;
            p = None;
        }
        next = next.select(&active);
        preconditioner.apply(next.weights_mut());
        let measured = next.measure_again(problem);
        problem.keep(measured, snapshot(&w, p.as_ref(), &trace, &stopping))?;
        t = Some(next);
    }
}

impl Block {
    fn measure(problem: &Problem<'_>, weights: [Panel; 2]) -> Result<Self> {
        let [x, y] = Half::measure_both(problem, weights)?;
        Ok(Block { x, y })
    }

    fn measure_again(&mut self, problem: &Problem<'_>) -> Result<()> {
        Half::measure_again(problem, &mut self.x, &mut self.y)
    }

    fn weights_mut(&mut self) -> [&mut Panel; 2] {
        [&mut self.x.w, &mut self.y.w]
    }

    fn columns(&self) -> usize {
        self.x.w.cols()
    }

    /// A block of the same shape, all zero.
    fn room(&self) -> Block {
        let half = |a: &Half, b: &Half| Half::unmeasured(Panel::zeros(a.w.rows(), a.w.cols()), b.w.rows());
        Block { x: half(&self.x, &self.y), y: half(&self.y, &self.x) }
    }

    /// The same panels where they have so many columns, else others.
    fn with_columns(self, columns: usize) -> Block {
        if self.columns() == columns {
            return self;
        }
        let half = |a: &Half, b: &Half| Half::unmeasured(Panel::zeros(a.w.rows(), columns), b.w.rows());
        Block { x: half(&self.x, &self.y), y: half(&self.y, &self.x) }
    }

    /// Some of the columns, their products still to be measured.
    fn select(self, which: &[usize]) -> Block {
        if which.len() == self.columns() {
            return self;
        }
        let [x, y] = [&self.x.w, &self.y.w].map(|w| panels::select(w, which));
        let (p, q) = (x.rows(), y.rows());
        Block { x: Half::unmeasured(x, q), y: Half::unmeasured(y, p) }
    }

    /// W ← W·Cw + T·Ct + P·Cp, and P ← what was added; their products with them.
    fn advance(&mut self, t: Option<&Block>, p: &mut Option<Block>, c: &[Mat<f64>; 2]) {
        let Some(t) = t else {
            self.x.turn(c[0].as_ref());
            self.y.turn(c[1].as_ref());
            return;
        };
        let first = p.is_none();
        let p = p.get_or_insert_with(|| self.room());
        self.x.advance(&t.x, &mut p.x, c[0].as_ref(), first);
        self.y.advance(&t.y, &mut p.y, c[1].as_ref(), first);
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

/// The weights and the last step of a checkpoint, whose iteration is looked at again: one pass.
fn resume(
    problem: &Problem<'_>,
    mut state: Checkpoint,
    trace: &mut Vec<TraceRow>,
    stopping: &mut Stopping,
) -> Result<(Block, Option<Block>)> {
    state.recall(trace, stopping);
    let [wx, wy] = state.weights;
    let Some([px, py]) = state.step else { return Ok((Block::measure(problem, [wx, wy])?, None)) };
    let both = Block::measure(problem, [panels::beside(&wx, &px), panels::beside(&wy, &py)])?;
    let ([x, x_step], [y, y_step]) = (both.x.split(wx.cols()), both.y.split(wy.cols()));
    Ok((Block { x, y }, Some(Block { x: x_step, y: y_step })))
}

fn snapshot<'s>(
    w: &'s Block,
    step: Option<&'s Block>,
    trace: &'s [TraceRow],
    stopping: &'s Stopping,
) -> Snapshot<'s> {
    let weights = |block: &'s Block| [&block.x.w, &block.y.w];
    Snapshot {
        of: Loop::Lobpcg,
        weights: weights(w),
        step: step.map(weights),
        trace,
        totals: &stopping.totals,
        by_residuals: &stopping.by_residuals,
    }
}

/// The best pairs in the span of some blocks.
struct Ritz {
    /// For each view, the pairs' weights in terms of the blocks' columns.
    coefficients: [Mat<f64>; 2],
    /// The objective of each pair.
    theta: Vec<f64>,
    /// How far the first block was from WᵀBW = I.
    drift: f64,
}

/// The best pairs in the span of W, T and P, as many as W has columns; of W alone where there is no T.
fn rayleigh_ritz(w: &Block, t: Option<&Block>, p: Option<&Block>) -> Result<Ritz> {
    let blocks = [Some(w), t, p.filter(|_| t.is_some())].into_iter().flatten();
    let (xs, ys): (Vec<&Half>, Vec<&Half>) = blocks.map(|block| (&block.x, &block.y)).unzip();
    let (gx, gy) = (gram(&xs), gram(&ys));
    let drift = [&gx, &gy].map(|g| distance_from_identity(g, w.columns())).into_iter().fold(0.0, f64::max);
    let (hx, hy) = (whitener(gx.as_ref()), whitener(gy.as_ref()));
    let small = hx.transpose() * cross(&xs, &ys) * &hy;
    let svd = small.thin_svd().map_err(|_| Error::Factorization("SxᵀXᵀYSy"))?;
    let m = w.columns().min(svd.S().dim());
    let coefficients = [hx * svd.U().subcols(0, m), hy * svd.V().subcols(0, m)];
    Ok(Ritz { coefficients, theta: (0..m).map(|i| svd.S()[i]).collect(), drift })
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

/// SxᵀCxySy, over the columns of the narrower view.
fn cross(xs: &[&Half], ys: &[&Half]) -> Mat<f64> {
    fn pick<'a>(halves: &[&'a Half], panel: fn(&Half) -> &Panel) -> Vec<&'a Panel> {
        halves.iter().map(|half| panel(half)).collect()
    }
    if xs[0].w.rows() <= ys[0].w.rows() {
        panels::block_cross(&pick(xs, |x| &x.w), &pick(ys, |y| &y.across))
    } else {
        panels::block_cross(&pick(xs, |x| &x.across), &pick(ys, |y| &y.w))
    }
}
