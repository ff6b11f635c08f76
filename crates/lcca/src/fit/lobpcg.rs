//! The default method: block LOBPCG (Knyazev 2001).
//!
//! Alternating least squares is the power method of CCA's eigenproblem A·w = θ·B·w. Here every iteration takes the best
//! answer in the span of three blocks: the current weights W, the preconditioned residuals T, and the last step P.
//!
//! ```text
//! start:   random weights of unit-length columns, and pairs on few columns that correlate strongly
//! repeat:  Rayleigh–Ritz on [W T P] → new W, P, Θ and all their products, without a pass
//!          R = A·W − B·W·Θ
//!          T = M⁻¹R,   M ≈ B − A
//!          measure T: one pass (two if a view is eliminated)
//! until    what is still missing from Σθ is within the tolerance, and M can be trusted to say so
//! ```
//!
//! Pairs that have converged stay in W but send no more residuals into the pass. What A and B are is in `both_views`
//! and `one_view`, what M is in `precondition`, when to stop in `stopping`.

use super::eigenproblem::{Block, Eigenproblem, Ritz, SmallProducts};
use super::problem::{End, Problem, RawFit, Snapshot, Start};
use super::stopping::Stopping;
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use crate::space::Space;
use crate::watch::{Checkpoint, Cost, TraceRow};

/// WᵀBW may be this far from I before products are formed afresh from the rows. The products are carried along by
/// linear combinations, whose rounding adds up; half of the sixteen digits must stay right.
const DRIFT: f64 = 1e-7;
/// If little is missing, no more than this share of it; but rounding alone makes `LEAST_DRIFT`.
const DRIFT_OF_MISSING: f64 = 0.1;
const LEAST_DRIFT: f64 = 1e-10;
/// Every so many iterations the small products of W and P, which are carried along as well, are formed from their panels.
const REFRESHED: usize = 8;

/// And in every iteration once less than this share of the total is missing: carried along, they have been wrong by 1e-9, and the last steps of
/// a precise fit gain no more than that.
const CARRIED: f64 = 1e-6;

pub(super) fn lobpcg(
    problem: &Problem<'_>,
    equations: &mut dyn Eigenproblem,
    start: Start,
) -> Result<RawFit> {
    let space = problem.space;
    let mut state = State::begin(space, equations, problem.settings.k, start)?;
    let mut t = state.seeds.take();
    loop {
        let Ritz { theta, drift, .. } = state.advance(t.as_ref())?;
        // The residuals take the place of the T that has just been used.
        let mut next = match t.take().filter(|used| used.columns() == theta.len()) {
            Some(used) => used,
            None => state.w.zeros_like(space, theta.len())?,
        };
        let missed = state.look(&mut next, &theta)?;
        let captured = state.equations.captured(&state.w, &theta)?;
        let row = problem.trace_row(state.trace.len() + 1, captured, state.stopping.missing_share());
        state.trace.push(row);
        let ends = state.is_sure || state.stopping.stalls() || problem.is_spent();
        problem.checkpoint(&state, ends)?;
        if ends {
            drop(next);
            return state.finish();
        }
        if state.trace.len() > 1 && drift > state.allowed_drift() {
            // Without P the next steps would gain much less.
            for measure in [State::measure_weights, State::measure_step] {
                let measured = measure(&mut state);
                problem.keep(measured, &state)?;
            }
        }
        let mut active = state.stopping.active();
        if let Some(missed) = &missed {
            // They take the places of the last pairs, which are not wanted themselves, so that T does not become wider.
            active.truncate(theta.len().saturating_sub(missed[0].cols()));
        }
        next = next.select(space, &active)?;
        if let Some(missed) = missed {
            next = next.beside(space, missed)?;
        }
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
    /// The products of W and P with each other, carried along.
    known: Option<SmallProducts>,
    /// Measured directions that the first iteration begins with besides W.
    seeds: Option<Block>,
    trace: Vec<TraceRow>,
    stopping: Stopping,
    /// Whether the tolerance was reached and nothing speaks against it.
    is_sure: bool,
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
        let is_new = !matches!(start, Start::Resume(_));
        // More directions than W: seeds at the start, the last step of a checkpoint.
        let (weights, more, trace) = match start {
            Start::Random => (equations.random_weights()?, equations.seeds(), Vec::new()),
            Start::Warm(weights) => (equations.pick_own(weights), equations.seeds(), Vec::new()),
            Start::Resume(Checkpoint { weights, step, mut trace, totals, by_residuals, .. }) => {
                // The last iteration of the checkpoint is looked at again.
                trace.pop();
                stopping.remember(totals, by_residuals);
                let step = step.map(|step| equations.pick_own(step));
                (equations.pick_own(weights), step, trace)
            }
        };
        let columns = weights.first().map_or(0, Panel::cols);
        // All are measured side by side, in the same pass.
        let all = match &more {
            None => weights,
            Some(more) => weights.iter().zip(more).map(|(w, more)| panels::beside(w, more)).collect(),
        };
        let mut measured = Block::unmeasured(space, all, &equations.image_rows())?;
        equations.measure(&mut measured)?;
        let (w, more) = if more.is_none() {
            (measured, None)
        } else {
            let [w, more] = measured.split(space, columns)?;
            (w, Some(more))
        };
        let (seeds, p) = if is_new { (more, None) } else { (None, more) };
        Ok(State { space, equations, w, p, known: None, seeds, trace, stopping, is_sure: false })
    }

    /// Replaces `next` by the preconditioned residuals and takes note of how large they are. If that says that the tolerance
    /// is reached, it is asked whether the preconditioner can be trusted; if not, directions that were overlooked come back.
    fn look(&mut self, next: &mut Block, theta: &[f64]) -> Result<Option<Vec<Panel>>> {
        let State { equations, w, stopping, .. } = self;
        equations.residuals_into(next, w, theta)?;
        equations.reconsider(w, next, theta, stopping.iterations_left())?;
        let squares = equations.precondition(next, theta)?;
        stopping.look(theta, &squares, equations.trust());
        if !stopping.enough() {
            return Ok(None);
        }
        equations.residuals_into(next, w, theta)?;
        self.is_sure = equations.is_fresh(w, next, theta)?;
        if self.is_sure {
            return Ok(None);
        }
        stopping.forget_last();
        let squares = equations.precondition(next, theta)?;
        stopping.look(theta, &squares, equations.trust());
        let missed = equations.missed(w, theta)?;
        self.is_sure = missed.is_none() && stopping.is_exhausted();
        Ok(missed)
    }

    /// Rayleigh–Ritz on [W T P]; W, P and their products move to the best pairs. Without T, as at the start and after
    /// resuming, W is turned within its own span and P stays.
    fn advance(&mut self, t: Option<&Block>) -> Result<Ritz> {
        let space = self.space;
        let Some(t) = t else {
            let ritz = self.equations.ritz(&[&self.w], None)?;
            self.w.turn(space, &ritz.coefficients)?;
            return Ok(ritz);
        };
        let basis: Vec<&Block> = [Some(&self.w), Some(t), self.p.as_ref()].into_iter().flatten().collect();
        let is_carried = !self.trace.len().is_multiple_of(REFRESHED)
            && self.stopping.missing_share().is_none_or(|missing| missing > CARRIED);
        let known = self.known.take().filter(|_| is_carried);
        let mut ritz = self.equations.ritz(&basis, known.as_ref())?;
        self.known = ritz.known.take();
        let (mut p, p_is_empty) = match self.p.take() {
            Some(p) => (p, false),
            None => (self.w.zeros_like(space, self.w.columns())?, true),
        };
        self.w.advance(space, t, &mut p, &ritz.coefficients, p_is_empty)?;
        self.p = Some(p);
        Ok(ritz)
    }

    /// How far WᵀBW may be from I.
    fn allowed_drift(&self) -> f64 {
        let of_missing = |missing: f64| (DRIFT_OF_MISSING * missing).clamp(LEAST_DRIFT, DRIFT);
        self.stopping.missing_share().map_or(DRIFT, of_missing)
    }

    /// Forms the products of W afresh.
    fn measure_weights(&mut self) -> Result<()> {
        self.known = None;
        self.equations.measure(&mut self.w)
    }

    /// Forms the products of P afresh.
    fn measure_step(&mut self) -> Result<()> {
        self.p.as_mut().map_or(Ok(()), |p| self.equations.measure(p))
    }

    fn finish(mut self) -> Result<RawFit> {
        // The memory is needed.
        self.p = None;
        let weights = self.equations.finish(self.w.weights(self.space)?)?;
        let end =
            End { missing: self.stopping.missing(), total: self.stopping.total(), is_sure: self.is_sure };
        let decisions = self.equations.decisions();
        Ok(RawFit { weights, trace: self.trace, end: Some(end), decisions, products: None })
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
