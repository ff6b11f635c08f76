//! The default method: block LOBPCG (Knyazev 2001).
//!
//! Alternating least squares is the power method of CCA's eigenproblem A·w = θ·B·w. Here every iteration takes the best
//! answer in the span of three blocks: the current weights W, the preconditioned residuals T, and the last step P.
//!
//! ```text
//! start:   random weights of unit-length columns
//! repeat:  Rayleigh–Ritz on [W T P] → new W, P, Θ and all their products, without a pass
//!          R = A·W − B·W·Θ
//!          T = M⁻¹R,   M ≈ B − A
//!          measure T: one pass (two if a view is eliminated)
//! until    what is still missing from Σθ is within the tolerance
//! ```
//!
//! Pairs that have converged stay in W but send no more residuals into the pass. What A and B are is in `both_views`
//! and `one_view`, when to stop in `stopping`.

use super::eigenproblem::{Block, Eigenproblem, Ritz};
use super::problem::{Problem, RawFit, Snapshot, Start};
use super::stopping::Stopping;
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use crate::space::Space;
use crate::watch::{Checkpoint, Cost, TraceRow};

/// WᵀBW may be this far from I before products are formed afresh from the rows. The products are carried along by
/// linear combinations, whose rounding adds up; half of the sixteen digits must stay right.
const DRIFT: f64 = 1e-7;
/// A pair whose residual is below this share of the tolerance sends no more residuals. An objective value errs by the
/// square of its residual, so this is far beyond what the tolerance needs.
const LOCK: f64 = 1e-2;

pub(super) fn lobpcg(
    problem: &Problem<'_>,
    equations: &mut dyn Eigenproblem,
    start: Start,
) -> Result<RawFit> {
    let space = problem.space;
    let mut state = State::begin(space, equations, problem.settings.k, start)?;
    let mut t: Option<Block> = None;
    loop {
        let Ritz { theta, drift, .. } = state.advance(t.as_ref())?;
        // The residuals take the place of the T that has just been used.
        let mut next = match t.take() {
            Some(used) if used.columns() == theta.len() => used,
            _ => state.w.zeros_like(space, theta.len())?,
        };
        state.equations.residuals_into(&mut next, &state.w, &theta)?;
        let sizes = state.equations.sizes(&next, &theta)?;
        state.stopping.look(&theta, &sizes);
        let captured = state.equations.captured(&state.w, &theta)?;
        let row = problem.trace_row(state.trace.len() + 1, captured, state.stopping.missing_share());
        state.trace.push(row);
        let stopping = &state.stopping;
        let active = stopping.active(&sizes, LOCK);
        let ends = stopping.enough() || stopping.stalls() || problem.is_spent() || active.is_empty();
        problem.checkpoint(&state, ends)?;
        if ends {
            return state.finish();
        }
        state.equations.reconsider(state.stopping.iterations_left())?;
        if state.trace.len() > 1 && drift > DRIFT {
            let measured = state.equations.measure(&mut state.w);
            problem.keep(measured, &state)?;
            // P was carried along with the products that have drifted.
            state.p = None;
        }
        next = next.select(space, &active)?;
        state.equations.precondition(&mut next)?;
        let measured = state.equations.measure(&mut next);
        problem.keep(measured, &state)?;
        t = Some(next);
    }
}

/// The state of the loop between two iterations.
struct State<'a> {
    space: &'a dyn Space,
    equations: &'a mut dyn Eigenproblem,
    w: Block,
    /// The last step, once there is one.
    p: Option<Block>,
    trace: Vec<TraceRow>,
    stopping: Stopping,
}

impl<'a> State<'a> {
    /// The first weights, measured, with the last step and the history if a checkpoint has them.
    fn begin(
        space: &'a dyn Space,
        equations: &'a mut dyn Eigenproblem,
        k: usize,
        start: Start,
    ) -> Result<Self> {
        let mut stopping = Stopping::new(k, equations.tolerance());
        let (weights, step, trace) = match start {
            Start::Random => (equations.random_weights()?, None, Vec::new()),
            Start::Warm(weights) => (equations.pick_own(weights), None, Vec::new()),
            Start::Resume(Checkpoint { weights, step, mut trace, totals, by_residuals, .. }) => {
                // The last iteration of the checkpoint is looked at again.
                trace.pop();
                stopping.remember(totals, by_residuals);
                let step = step.map(|step| equations.pick_own(step));
                (equations.pick_own(weights), step, trace)
            }
        };
        let columns = weights.first().map_or(0, Panel::cols);
        // Weights and step are measured side by side, in the same pass.
        let all = match &step {
            None => weights,
            Some(step) => weights.iter().zip(step).map(|(w, p)| panels::beside(w, p)).collect(),
        };
        let mut measured = Block::unmeasured(space, all, &equations.image_rows())?;
        equations.measure(&mut measured)?;
        let (w, p) = if step.is_none() {
            (measured, None)
        } else {
            let (first, rest): (Vec<usize>, Vec<usize>) = (0..measured.columns()).partition(|&j| j < columns);
            let p = measured.columns_with_products(space, &rest)?;
            (measured.columns_with_products(space, &first)?, Some(p))
        };
        Ok(State { space, equations, w, p, trace, stopping })
    }

    /// Rayleigh–Ritz on [W T P]; W, P and their products move to the best pairs. Without T, as at the start and after
    /// resuming, W is turned within its own span and P stays.
    fn advance(&mut self, t: Option<&Block>) -> Result<Ritz> {
        let space = self.space;
        let Some(t) = t else {
            let ritz = self.equations.ritz(&[&self.w])?;
            self.w.turn(space, &ritz.coefficients)?;
            return Ok(ritz);
        };
        let basis: Vec<&Block> = [Some(&self.w), Some(t), self.p.as_ref()].into_iter().flatten().collect();
        let ritz = self.equations.ritz(&basis)?;
        let (mut p, p_is_empty) = match self.p.take() {
            Some(p) => (p, false),
            None => (self.w.zeros_like(space, self.w.columns())?, true),
        };
        self.w.advance(space, t, &mut p, &ritz.coefficients, p_is_empty)?;
        self.p = Some(p);
        Ok(ritz)
    }

    fn finish(self) -> Result<RawFit> {
        let weights = self.equations.finish(self.w.weights(self.space)?)?;
        let (missing, decisions) = (self.stopping.missing(), self.equations.decisions());
        Ok(RawFit { weights, trace: self.trace, missing, decisions, products: None })
    }
}

impl Snapshot for State<'_> {
    fn iteration(&self) -> usize {
        self.trace.len()
    }

    fn copy(&self, cost: Cost) -> Result<Checkpoint> {
        let both_views = |block: &Block| Ok(self.equations.to_both_views(block.weights(self.space)?));
        Ok(Checkpoint {
            algorithm: self.equations.algorithm(),
            weights: both_views(&self.w)?,
            step: self.p.as_ref().map(both_views).transpose()?,
            trace: self.trace.clone(),
            totals: self.stopping.totals.clone(),
            by_residuals: self.stopping.by_residuals.clone(),
            cost,
        })
    }
}
