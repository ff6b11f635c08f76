//! LOBPCG on one view alone, the other solved away.
//!
//! Where (Cxx + λI)⁻¹ is at hand, as for a one-hot view, Wx = (Cxx + λI)⁻¹CxyWy·Θ⁻¹ and what is left is
//!
//! ```text
//! Cyx(Cxx + λI)⁻¹Cxy·wy = d²·(Cyy + λI)·wy
//! ```
//!
//! whose panels are as high as Y is wide, and whose gaps are those of d². Two passes an iteration.

use super::stopping::Stopping;
use super::{Checkpoint, Found, Loop, Problem, Snapshot, TraceRow};
use crate::data::{Ask, Normal, Pair, Side};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::panels;
use crate::random;
use crate::solve::{LeastSquares, OneHot};
use crate::whiten::whitener;
use faer::{Mat, MatRef};

/// Iterations are so cheap here that this share of the tolerance is asked for.
const EXTRA_DIGITS: f64 = 1e-5;
/// A pair whose residual is below this share of the tolerance sends no more residuals.
const LOCK: f64 = 1e-2;

/// Weights of the view that is left, and their products.
struct Block {
    w: Panel,
    /// (Cyy + λI)·W
    bw: Panel,
    /// Cyx(Cxx + λI)⁻¹Cxy·W
    aw: Panel,
}

/// What stands for the pair once one view is solved away.
struct OneView<'a> {
    pair: &'a dyn Pair,
    kept: Normal<'a>,
    solver: OneHot,
    /// Stands for the weights that a checkpoint does not hold.
    none: Panel,
}

/// Eliminates `side`, whose rows hold at most one entry each.
pub(super) fn eliminate(problem: &Problem<'_>, side: Side) -> Result<Found> {
    let (gone, kept) = (problem.normals[side as usize], problem.normals[side.other() as usize]);
    let none = Panel::zeros(gone.size(), 0);
    let left = OneView { pair: problem.pair, kept, solver: OneHot::new(gone)?, none };
    let inverse = kept.inverse_diagonal()?;
    let mut stopping = Stopping::new(problem.settings.k, EXTRA_DIGITS * problem.settings.tol);
    let mut trace = Vec::new();
    let (mut w, mut step_before) = match problem.from.take() {
        Some(state) => left.resume(state, &mut trace, &mut stopping)?,
        None => (left.measure(start(problem, kept, &inverse))?, None),
    };
    let mut basis = Vec::new();
    loop {
        basis.insert(0, w);
        let (best, step, theta) = rayleigh_ritz(&basis, problem.block())?;
        w = best;
        let step = step.or_else(|| step_before.take());
        let (residual, sizes) = residuals(&w, &theta, &inverse);
        stopping.look(&theta, &sizes);
        let captured = theta.iter().take(problem.settings.k).sum();
        trace.push(problem.trace_row(trace.len() + 1, captured, stopping.missing()));
        let active = stopping.active(&sizes, LOCK);
        let ends = stopping.enough() || stopping.stalls() || problem.is_spent() || active.is_empty();
        problem.checkpoint(left.snapshot(&w, step.as_ref(), &trace, &stopping), ends);
        if ends {
            let other = left.other(&w.w)?;
            let weights = if side == Side::X { [other, w.w] } else { [w.w, other] };
            return Ok(Found {
                weights,
                trace,
                missing: stopping.missing(),
                remarks: Vec::new(),
                products: None,
            });
        }
        basis = step.into_iter().collect();
        let mut t = panels::select(&residual, &active);
        panels::scale_rows(&mut t, &inverse);
        let t = left.measure(t);
        basis.insert(0, problem.keep(t, left.snapshot(&w, basis.first(), &trace, &stopping))?);
    }
}

/// Random weights of unit-length columns.
fn start(problem: &Problem<'_>, kept: Normal<'_>, inverse: &[f64]) -> Panel {
    let mut w = random::normal_panel(kept.size(), problem.block(), problem.settings.seed, random::Use::Start);
    panels::scale_rows(&mut w, &inverse.iter().map(|d| d.sqrt()).collect::<Vec<_>>());
    w
}

impl OneView<'_> {
    /// Forms all products: two passes.
    fn measure(&self, w: Panel) -> Result<Block> {
        let (own, gone) = (self.kept.side, self.kept.side.other());
        let mut bw = Panel::zeros(w.rows(), w.cols());
        let mut across = Panel::zeros(self.pair.shape().cols(gone), w.cols());
        self.pair.pass(&mut Ask::new().source(own, &w).to(own, &mut bw).to(gone, &mut across))?;
        panels::add_scaled(&mut bw, self.kept.ridge, &w);
        let other = self.solver.solve(&across, None)?.weights;
        let mut aw = Panel::zeros(w.rows(), w.cols());
        self.pair.pass(&mut Ask::new().source(gone, &other).to(own, &mut aw))?;
        Ok(Block { w, bw, aw })
    }

    /// (Cxx + λI)⁻¹Cxy·W, the weights of the view that is gone: one pass.
    fn other(&self, w: &Panel) -> Result<Panel> {
        let (own, gone) = (self.kept.side, self.kept.side.other());
        let mut across = Panel::zeros(self.pair.shape().cols(gone), w.cols());
        self.pair.pass(&mut Ask::new().source(own, w).to(gone, &mut across))?;
        Ok(self.solver.solve(&across, None)?.weights)
    }

    /// The weights and the last step of a checkpoint, whose iteration is looked at again: two passes.
    fn resume(
        &self,
        mut state: Checkpoint,
        trace: &mut Vec<TraceRow>,
        stopping: &mut Stopping,
    ) -> Result<(Block, Option<Block>)> {
        state.recall(trace, stopping);
        let own = |[x, y]: [Panel; 2]| if self.kept.side == Side::X { x } else { y };
        let w = own(state.weights);
        let Some(step) = state.step.map(own) else { return Ok((self.measure(w)?, None)) };
        let both = self.measure(panels::beside(&w, &step))?;
        Ok((both.columns(0, w.cols()), Some(both.columns(w.cols(), both.w.cols()))))
    }

    fn snapshot<'s>(
        &'s self,
        w: &'s Block,
        step: Option<&'s Block>,
        trace: &'s [TraceRow],
        stopping: &'s Stopping,
    ) -> Snapshot<'s> {
        let weights = |block: &'s Block| match self.kept.side {
            Side::X => [&block.w, &self.none],
            Side::Y => [&self.none, &block.w],
        };
        let (weights, step) = (weights(w), step.map(weights));
        let Stopping { totals, by_residuals, .. } = stopping;
        Snapshot { of: Loop::Eliminate, weights, step, trace, totals, by_residuals }
    }
}

impl Block {
    fn columns(&self, from: usize, to: usize) -> Block {
        let of = |panel: &Panel| panels::columns(panel, from, to);
        Block { w: of(&self.w), bw: of(&self.bw), aw: of(&self.aw) }
    }
}

/// The m best directions in the span of the blocks, the step that led there from the first block, and their d.
fn rayleigh_ritz(basis: &[Block], m: usize) -> Result<(Block, Option<Block>, Vec<f64>)> {
    let w: Vec<&Panel> = basis.iter().map(|block| &block.w).collect();
    let h = whitener(
        panels::symmetric_block_cross(&w, &basis.iter().map(|block| &block.bw).collect::<Vec<_>>()).as_ref(),
    );
    let a = panels::symmetric_block_cross(&w, &basis.iter().map(|block| &block.aw).collect::<Vec<_>>());
    let small = h.transpose() * a * &h;
    let eigen = small.self_adjoint_eigen(faer::Side::Lower).map_err(|_| Error::Factorization("SᵀAS"))?;
    let r = small.nrows();
    let m = m.min(r);
    let top = Mat::from_fn(r, m, |i, j| eigen.U()[(i, r - 1 - j)]);
    let theta = (0..m).map(|j| eigen.S().column_vector()[r - 1 - j].max(0.0).sqrt()).collect();
    let c = h * top;
    let step = (basis.len() > 1).then(|| {
        let first = basis[0].w.cols();
        combination(&basis[1..], c.subrows(first, c.nrows() - first))
    });
    Ok((combination(basis, c.as_ref()), step, theta))
}

fn combination(blocks: &[Block], c: MatRef<'_, f64>) -> Block {
    let of =
        |pick: fn(&Block) -> &Panel| panels::block_times(&blocks.iter().map(pick).collect::<Vec<_>>(), c);
    Block { w: of(|b| &b.w), bw: of(|b| &b.bw), aw: of(|b| &b.aw) }
}

/// A·W − B·W·Θ², and its size for each direction as a residual of d instead of d².
fn residuals(w: &Block, theta: &[f64], inverse: &[f64]) -> (Panel, Vec<f64>) {
    let back: Vec<f64> = theta.iter().map(|t| -t * t).collect();
    let mut residual = w.aw.clone();
    panels::add_columns_scaled(&mut residual, &back, &w.bw);
    let squares = panels::weighted_column_dots(&residual, &residual, |i| inverse[i]);
    let sizes = squares.iter().zip(theta).map(|(s, t)| s.sqrt() / (2.0 * t.max(1e-3))).collect();
    (residual, sizes)
}
