//! The loop of the default method; see the folder for the algorithm.
//!
//! Alternating least squares is the power method of the same eigenproblem. Pairs that have converged stay in
//! W but send no more residuals into the pass.

use super::stopping::Stopping;
use crate::error::Result;
use crate::fit::pairs::beside::beside;
use crate::fit::pairs::eigenproblem::{Block, Eigenproblem, Ritz, SmallProducts, uploaded};
use crate::fit::pairs::problem::{End, Problem, RawFit, Snapshot, Start};
use crate::fit::pairs::products::Products;
use crate::matrix::Panel;
use crate::outcome::Decision;
use crate::panels;
use crate::space::{Space, Tall};
use crate::watch::{Checkpoint, Cost, TraceRow};

/// WᵀBW may be this far from I before products are formed afresh from the rows. The products are carried
/// along by linear combinations, whose rounding adds up; half of the sixteen digits must stay right.
const DRIFT: f64 = 1e-7;
/// If little is missing, no more than this share of it; but rounding alone makes `LEAST_DRIFT`.
const DRIFT_OF_MISSING: f64 = 0.1;
const LEAST_DRIFT: f64 = 1e-10;
/// Every so many iterations the small products of W and P, which are carried along as well, are formed from
/// their panels.
const REFRESHED: usize = 8;

/// And in every iteration once less than this share of the total is missing: carried along, they have been
/// wrong by 1e-9, and the last steps of a precise fit gain no more than that.
const CARRIED: f64 = 1e-6;

/// Panels are in single precision until no more than this share of the total is missing.
pub(in crate::fit) const ROUGH: f64 = 1e-5;
/// Or until steps gain no more than this share of it.
const ROUGH_STEP: f64 = 1e-6;
/// In single precision WᵀBW may be this far from I.
const ROUGH_DRIFT: f64 = 1e-4;

pub(in crate::fit) fn lobpcg(
    problem: &Problem<'_>,
    equations: &mut dyn Eigenproblem,
    start: Start,
) -> Result<RawFit> {
    let state = State::begin(problem.space, equations, problem.settings.k, start)?;
    let state = iterate(problem, state, Accepted::Double)?;
    let mut decisions = state.equations.decisions();
    if state.rough_iterations > 0 {
        decisions.push(Decision::SinglePrecisionFirst { iterations: state.rough_iterations });
    }
    let end = Some(state.end());
    let products = if state.is_verified { None } else { state.equations.best_products(&state.w)? };
    if products.is_some() {
        let weights = [Panel::zeros(0, 0), Panel::zeros(0, 0)];
        return Ok(RawFit { weights, trace: state.trace, end, decisions, products, ranks: None });
    }
    let weights = state.equations.finish(state.w.weights(state.space)?)?;
    // If one view is iterated on, its products alone are no result.
    let views = if state.is_verified { state.w.into_views(state.space)?.try_into().ok() } else { None };
    let products = views.map(|views| Products::Views(Box::new(views)));
    Ok(RawFit { weights, trace: state.trace, end, decisions, products, ranks: None })
}

/// The same from pairs that are measured, or from random weights. Returns the pairs with their products. What
/// has converged in single precision is not looked at again in double precision.
pub(in crate::fit) fn lobpcg_from(
    problem: &Problem<'_>,
    equations: &mut dyn Eigenproblem,
    pairs: Option<Block>,
) -> Result<(End, Block)> {
    let (space, k) = (problem.space, problem.settings.k);
    let state = match pairs {
        Some(pairs) => State::carry_on(space, equations, k, pairs)?,
        None => State::begin(space, equations, k, Start::Random)?,
    };
    let state = iterate(problem, state, Accepted::Single)?;
    Ok((state.end(), state.w))
}

/// The precision in which pairs may be claimed to have converged.
#[derive(Clone, Copy, PartialEq)]
enum Accepted {
    Single,
    Double,
}

/// Iterates until the tolerance is reached, or nothing is left to gain or to spend. Whatever pass is
/// interrupted, the state is offered a last time.
fn iterate<'a>(problem: &Problem<'_>, mut state: State<'a>, accepted: Accepted) -> Result<State<'a>> {
    let outcome = advance_to_the_end(problem, &mut state, accepted);
    problem.keep(outcome, &state)?;
    // The memory is needed.
    state.p = None;
    Ok(state)
}

fn advance_to_the_end(problem: &Problem<'_>, state: &mut State<'_>, accepted: Accepted) -> Result<()> {
    let space = problem.space;
    let mut t: Option<Block> = None;
    // The pair to which each column of T belongs.
    let mut partners: Option<Vec<usize>> = None;
    loop {
        let Ritz { theta, drift, is_too_rough, .. } = state.advance(t.as_ref(), partners.as_deref())?;
        // The residuals take the place of the T that has just been used.
        let mut next = match t.take().filter(|used| used.columns() == theta.len()) {
            Some(used) => used,
            None if state.is_verified => state.w.weights_like(space, theta.len())?,
            None => state.w.zeros_like(space, theta.len())?,
        };
        let captured = state.equations.captured(&state.w, &theta)?;
        let (captured, missed) = beside(|| captured.total(), || state.look(&mut next, &theta));
        let missed = missed?.or_else(|| state.overlooked.take());
        state.is_sure &= missed.is_none();
        state.rough_iterations += u64::from(space.is_rough());
        let is_accepted = state.is_sure && accepted == Accepted::Single;
        if space.is_rough() && !is_accepted && (is_too_rough || state.is_as_good_as_rough()) {
            drop(next);
            // Directions come once, so that they must not be lost with this look.
            state.overlooked = missed;
            state.refine()?;
            continue;
        }
        let row = problem.trace_row(state.trace.len() + 1, captured?, state.missing_share());
        state.trace.push(row);
        state.looks = state.stopping.totals.len();
        let ends = state.is_sure || state.stopping.stalls() || problem.is_spent();
        problem.checkpoint(state, ends)?;
        if ends {
            return Ok(());
        }
        if state.is_verified {
            next.with_products(space, &state.equations.image_rows())?;
            state.take_up_the_step()?;
        } else if state.trace.len() > 1 && drift > state.allowed_drift() {
            // Without P the next steps would gain much less.
            state.measure_weights()?;
            state.measure_step()?;
        }
        let mut active = state.stopping.active();
        if let Some(missed) = &missed {
            // They take the places of the last pairs, which are not wanted themselves, so that T does not
            // become wider.
            active.truncate(theta.len().saturating_sub(missed[0].cols()));
        }
        next = next.select(space, &active)?;
        if let Some(missed) = missed {
            active.extend((1..=missed[0].cols()).map(|from_last| theta.len().saturating_sub(from_last)));
            next = next.beside(space, uploaded(space, missed)?)?;
        }
        partners = Some(active);
        state.equations.measure(&mut next)?;
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
    trace: Vec<TraceRow>,
    stopping: Stopping,
    /// Entries of `stopping` that belong to finished iterations. An iteration that is interrupted may have
    /// added another.
    looks: usize,
    /// Columns of W at the start.
    width: usize,
    /// Directions that were overlooked and have not joined an iteration yet.
    overlooked: Option<Vec<Panel>>,
    /// Iterations in single precision.
    rough_iterations: u64,
    /// Whether W has just been refined and measured, and is looked at again. Then P has no products.
    is_verified: bool,
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
        let upload = |panels: Vec<Panel>| uploaded(space, panels);
        let (weights, step, trace) = match start {
            Start::Random => (upload(equations.random_start()?)?, None, Vec::new()),
            Start::Warm(weights) => (upload(equations.pick_own(weights))?, None, Vec::new()),
            Start::Resume(Checkpoint { weights, step, mut trace, totals, by_residuals, .. }) => {
                // The last iteration of the checkpoint is looked at again.
                trace.pop();
                stopping.remember(totals, by_residuals);
                let step = step.map(|step| equations.pick_own(step));
                (upload(equations.pick_own(weights))?, step.map(upload).transpose()?, trace)
            }
        };
        let columns = weights.first().map_or(0, Tall::cols);
        let mut w = Block::placed(space, weights, &equations.image_rows())?;
        let mut p = None;
        match step {
            None => equations.measure(&mut w)?,
            Some(step) => {
                // Side by side, in the same pass.
                let mut both = w.beside(space, step)?;
                equations.measure(&mut both)?;
                let [first, last] = both.split(space, columns)?;
                (w, p) = (first, Some(last));
            }
        }
        Ok(State { p, trace, ..State::new(space, equations, w, stopping) })
    }

    /// From pairs whose products are known.
    fn carry_on(
        space: &'a dyn Space,
        equations: &'a mut dyn Eigenproblem,
        k: usize,
        w: Block,
    ) -> Result<Self> {
        let stopping = Stopping::new(k, equations.tolerance());
        Ok(State::new(space, equations, w, stopping))
    }

    /// Before the first iteration.
    fn new(space: &'a dyn Space, equations: &'a mut dyn Eigenproblem, w: Block, stopping: Stopping) -> Self {
        State {
            space,
            equations,
            width: w.columns(),
            w,
            p: None,
            known: None,
            trace: Vec::new(),
            looks: stopping.totals.len(),
            stopping,
            overlooked: None,
            rough_iterations: 0,
            is_verified: false,
            is_sure: false,
        }
    }

    /// Replaces `next` by the preconditioned residuals and takes note of how large they are. If that says
    /// that the tolerance is reached, it is asked whether the preconditioner can be trusted; if not,
    /// directions that were overlooked come back.
    fn look(&mut self, next: &mut Block, theta: &[f64]) -> Result<Option<Vec<Panel>>> {
        let State { space, equations, w, stopping, .. } = self;
        equations.residuals_into(next, w, theta)?;
        // What is looked at again has its preconditioner.
        if !self.is_verified {
            let needs_room = equations.needs_room();
            if needs_room {
                next.without_products(*space)?;
            }
            equations.reconsider(w, next, stopping.iterations_left())?;
            if needs_room {
                next.with_products(*space, &equations.image_rows())?;
            }
        }
        let squares = equations.precondition(next, theta)?;
        stopping.look(theta, &squares, equations.trust());
        if !stopping.enough() {
            return Ok(None);
        }
        equations.residuals_into(next, w, theta)?;
        self.is_sure = equations.is_fresh(w, next, theta, stopping.shortfalls())?;
        if self.is_sure {
            return Ok(None);
        }
        stopping.forget_last();
        let squares = equations.precondition(next, theta)?;
        stopping.look(theta, &squares, equations.trust());
        let missed = equations.take_refuting();
        self.is_sure = missed.is_none() && stopping.is_exhausted();
        Ok(missed)
    }

    /// Rayleigh–Ritz on [W T P]; W, P and their products move to the best pairs. Without T, as at the start
    /// and after resuming, W is turned within its own span and P stays.
    fn advance(&mut self, t: Option<&Block>, partners: Option<&[usize]>) -> Result<Ritz> {
        let space = self.space;
        let Some(t) = t else {
            let ritz = self.equations.ritz(&[&self.w], None, None)?;
            self.w.turn(space, &ritz.coefficients)?;
            return Ok(ritz);
        };
        let basis: Vec<&Block> = [Some(&self.w), Some(t), self.p.as_ref()].into_iter().flatten().collect();
        let is_precise = self.stopping.missing_share().is_some_and(|missing| missing <= CARRIED);
        let is_carried = !self.trace.len().is_multiple_of(REFRESHED) && !is_precise;
        let known = self.known.take().filter(|_| is_carried);
        // One large decomposition loses fewer digits.
        let mut ritz = self.equations.ritz(&basis, partners.filter(|_| !is_precise), known.as_ref())?;
        self.known = ritz.known.take();
        let (mut p, p_is_empty) = match self.p.take() {
            Some(p) => (p, false),
            None => (self.w.zeros_like(space, self.w.columns())?, true),
        };
        self.w.advance(space, t, &mut p, &ritz.coefficients, p_is_empty)?;
        self.p = Some(p);
        Ok(ritz)
    }

    /// Whether more iterations in single precision would gain nothing.
    fn is_as_good_as_rough(&self) -> bool {
        self.is_sure
            || self.stopping.missing_share().is_some_and(|missing| missing <= ROUGH)
            || self.stopping.creeps(ROUGH_STEP)
    }

    /// Goes on in double precision: W is measured afresh, and the last look is forgotten. Directions that
    /// single precision took for dependent on others are replaced by random ones.
    fn refine(&mut self) -> Result<()> {
        let (space, image_rows) = (self.space, self.equations.image_rows());
        space.become_precise();
        (self.is_sure, self.is_verified, self.known) = (false, true, None);
        self.stopping.forget_last();
        if self.equations.tolerance() < ROUGH {
            // Totals in single precision are not exact enough to be compared with those that follow.
            self.stopping.forget_all();
        }
        self.looks = self.stopping.totals.len();
        if let Some(p) = &mut self.p {
            p.without_products(space)?;
        }
        let lost = self.width.saturating_sub(self.w.columns());
        let w = std::mem::replace(&mut self.w, Block { views: Vec::new() }).refined(space, &image_rows)?;
        self.w = if lost == 0 {
            w
        } else {
            // The last step has as many columns as W had.
            self.p = None;
            let random = self.equations.random_weights()?;
            let last = |panel: &Panel| {
                space.upload(panels::columns(panel, panel.cols().saturating_sub(lost), panel.cols()))
            };
            w.beside(space, random.iter().map(last).collect::<Result<_>>()?)?
        };
        self.equations.measure(&mut self.w)
    }

    /// The last step in double precision, measured afresh.
    fn take_up_the_step(&mut self) -> Result<()> {
        self.is_verified = false;
        if let Some(p) = self.p.take() {
            self.p = Some(p.refined(self.space, &self.equations.image_rows())?);
            self.measure_step()?;
        }
        Ok(())
    }

    /// How far WᵀBW may be from I.
    fn allowed_drift(&self) -> f64 {
        if self.space.is_rough() {
            return ROUGH_DRIFT;
        }
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

    /// How it ended.
    fn end(&self) -> End {
        End { missing: self.missing(), total: self.stopping.total(), is_sure: self.is_sure }
    }

    /// What is missing from the objective's total at most, if that is proven; otherwise an estimate.
    fn missing(&self) -> Option<f64> {
        let proven = self.equations.proven_missing().filter(|_| self.is_sure);
        proven.or_else(|| self.stopping.missing())
    }

    /// The same as a share of the total.
    fn missing_share(&self) -> Option<f64> {
        let total = Some(self.stopping.total()).filter(|&total| total > 0.0)?;
        Some(self.missing()? / total)
    }
}

impl Snapshot for State<'_> {
    fn iteration(&self) -> usize {
        self.trace.len()
    }

    fn copy(&self, cost: Cost) -> Result<Checkpoint> {
        let both_views = |block: &Block| Ok(self.equations.to_both_views(block.weights(self.space)?));
        let Stopping { totals, by_residuals, .. } = &self.stopping;
        let looks = self.looks.min(totals.len()).min(by_residuals.len());
        Ok(Checkpoint {
            algorithm: self.equations.algorithm(),
            weights: both_views(&self.w)?,
            step: self.p.as_ref().map(both_views).transpose()?,
            trace: self.trace.clone(),
            totals: totals[..looks].to_vec(),
            by_residuals: by_residuals[..looks].to_vec(),
            cost,
        })
    }
}
