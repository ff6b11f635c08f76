//! CCA as a sequence of least-squares problems (Lu & Foster, Algorithms 1 and 4).
//!
//! ```text
//! Wx ← random
//! repeat t₁ times:
//!     Wy ← whiten((Cyy + λ)⁻¹ YᵀX·Wx)
//!     Wx ← whiten((Cxx + λ)⁻¹ XᵀY·Wy)
//! ```
//!
//! With exact solves the span converges like (d_{k+1}/d_k)^{2t₁}. Each half step costs one pass plus the
//! cost of the solver.

use crate::data::{Ask, Normal, Side};
use crate::error::{Error, Result};
use crate::fit::pairs::problem::{End, Problem, RawFit, Snapshot, Start};
use crate::fit::pairs::view_block::{ViewBlock, captured};
use crate::matrix::Panel;
use crate::method::Method;
use crate::panels;
use crate::random;
use crate::solve::{LeastSquares, Solved};
use crate::watch::{Checkpoint, Cost, Loop, TraceRow};
use crate::whiten::whiten;

pub(in crate::fit) fn alternate(problem: &Problem<'_>, method: Method, start: Start) -> Result<RawFit> {
    let (t1, solver) = method.alternating().ok_or(Error::Setting {
        name: "method",
        value: method.to_string(),
        expected: "a method that alternates least-squares problems",
    })?;
    let [x_normal, y_normal] = problem.normals;
    let resources = problem.resources();
    let (solve_x, solve_y) = (solver.prepare(x_normal, &resources)?, solver.prepare(y_normal, &resources)?);
    let mut state = begin(problem, start)?;
    for t in state.trace.len() + 1..=t1 {
        if t > 1 && problem.is_spent() {
            break;
        }
        let both_steps = |State { x, y, .. }: &State| -> Result<(ViewBlock, ViewBlock)> {
            let y = step(y_normal, &*solve_y, x, (t > 1).then_some(y))?;
            Ok((step(x_normal, &*solve_x, &y, Some(x))?, y))
        };
        (state.x, state.y) = problem.keep(both_steps(&state), &state)?;
        let total = captured(problem.ridges(), &state.x, &state.y)?;
        state.trace.push(problem.trace_row(t, total, None));
        problem.checkpoint(&state, t == t1 || problem.is_spent())?;
    }
    // A solver that never leaves the leading singular vectors cannot estimate how much is missing outside
    // them.
    let end = if solver.looks_everywhere() { None } else { Some(End::unknown()) };
    let State { x, y, trace } = state;
    Ok(RawFit { weights: [x.w, y.w], trace, end, decisions: Vec::new(), products: None, ranks: None })
}

/// Both views' weights after an iteration.
struct State {
    x: ViewBlock,
    y: ViewBlock,
    trace: Vec<TraceRow>,
}

impl Snapshot for State {
    fn iteration(&self) -> usize {
        self.trace.len()
    }

    fn copy(&self, cost: Cost) -> Result<Checkpoint> {
        Ok(Checkpoint {
            algorithm: Loop::Alternate,
            weights: [self.x.w.clone(), self.y.w.clone()],
            step: None,
            trace: self.trace.clone(),
            totals: Vec::new(),
            by_residuals: Vec::new(),
            cost,
        })
    }
}

/// The first weights: random ones of X alone, those of another fit, or those of a checkpoint. Costs one
/// pass.
fn begin(problem: &Problem<'_>, start: Start) -> Result<State> {
    let [x_normal, y_normal] = problem.normals;
    match start {
        Start::Random => {
            let weights = problem.random_weights(Side::X, problem.settings.k, random::Purpose::Start)?;
            let x = half_step(x_normal, Solved { weights, normal: None })?;
            Ok(State { x, y: ViewBlock::empty(y_normal), trace: Vec::new() })
        }
        Start::Warm(weights) => {
            let [mut x, mut y] = ViewBlock::measure_both(problem.normals, weights)?;
            // These weights were whitened with another ridge.
            x.whiten()?;
            y.whiten()?;
            Ok(State { x, y, trace: Vec::new() })
        }
        Start::Resume(Checkpoint { weights, trace, .. }) => {
            let [x, y] = ViewBlock::measure_both(problem.normals, weights)?;
            Ok(State { x, y, trace })
        }
    }
}

/// W ← whiten((C + λI)⁻¹ (this view)ᵀ(other view)·W_other). `last` is the view's block before the step.
pub(in crate::fit) fn step(
    normal: Normal<'_>,
    solver: &dyn LeastSquares,
    other: &ViewBlock,
    last: Option<&ViewBlock>,
) -> Result<ViewBlock> {
    let rhs = &other.across;
    let start = last.filter(|_| solver.takes_start()).map(|view| galerkin(view, rhs));
    half_step(normal, solver.solve(rhs, start)?)
}

/// The best answer in the span of whitened weights: W·(WᵀR), since WᵀBW = I. Costs no pass.
fn galerkin(block: &ViewBlock, rhs: &Panel) -> Solved {
    let coefficients = panels::cross(&block.w, rhs);
    let [weights, normal] = [&block.w, &block.bw].map(|panel| panels::times(panel, coefficients.as_ref()));
    Solved { weights, normal: Some(normal) }
}

/// Whitens the weights and forms the other view's right-hand side: one pass.
fn half_step(normal: Normal<'_>, Solved { weights: mut w, normal: known }: Solved) -> Result<ViewBlock> {
    let Some(mut bw) = known else {
        let mut block = ViewBlock::measure(normal, w)?;
        block.whiten()?;
        return Ok(block);
    };
    whiten(&mut w, &mut [&mut bw])?;
    let other = normal.side.other();
    let mut across = Panel::zeros(normal.shape().cols(other), w.cols());
    normal.pair.pass(&mut Ask::new().source(normal.side, &w).to(other, &mut across))?;
    Ok(ViewBlock { w, bw, across })
}
