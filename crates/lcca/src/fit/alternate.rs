//! CCA as a sequence of least-squares problems (Lu & Foster, Algorithms 1 and 4).
//!
//! ```text
//! Wx ← random
//! repeat t₁ times:
//!     Wy ← whiten((Cyy + λ)⁻¹ YᵀX·Wx)
//!     Wx ← whiten((Cxx + λ)⁻¹ XᵀY·Wy)
//! ```
//!
//! With exact solves the span converges like (d_{k+1}/d_k)^{2t₁}. A half step costs a pass, and what the solver costs.

use super::half::{Half, captured};
use super::{Checkpoint, Found, Loop, Problem, Snapshot, TraceRow};
use crate::data::{Ask, Normal};
use crate::error::Result;
use crate::matrix::Panel;
use crate::method::Settings;
use crate::panels;
use crate::random;
use crate::solve::{LeastSquares, Solved, Solver};
use crate::whiten::whiten;

pub(super) fn alternate(problem: &Problem<'_>, solver: Solver, t1: usize) -> Result<Found> {
    let [x_normal, y_normal] = problem.normals;
    let resources = problem.resources();
    let (solve_x, solve_y) = (solver.prepare(x_normal, &resources)?, solver.prepare(y_normal, &resources)?);
    let (mut x, mut y, mut trace) = begin(problem)?;
    for t in trace.len() + 1..=t1 {
        if t > 1 && problem.is_spent() {
            break;
        }
        let both_steps = || {
            let y = step(y_normal, &*solve_y, &x, (t > 1).then_some(&y))?;
            Ok((step(x_normal, &*solve_x, &y, Some(&x))?, y))
        };
        (x, y) = problem.keep(both_steps(), snapshot(&x, &y, &trace))?;
        trace.push(problem.trace_row(t, captured(problem, &x, &y), None));
        problem.checkpoint(snapshot(&x, &y, &trace), t == t1 || problem.is_spent());
    }
    // Without a gradient step nothing outside the singular vectors is ever looked at.
    let blind = matches!(solver, Solver::Ling { steps: 0, .. });
    Ok(Found {
        weights: [x.w, y.w],
        trace,
        missing: blind.then_some(f64::INFINITY),
        remarks: Vec::new(),
        products: None,
    })
}

/// Both views' weights and the iterations behind them: random and none, or those of a checkpoint. One pass.
fn begin(problem: &Problem<'_>) -> Result<(Half, Half, Vec<TraceRow>)> {
    if let Some(Checkpoint { weights, trace, .. }) = problem.from.take() {
        let [mut x, mut y] = Half::measure_both(problem, weights)?;
        if trace.is_empty() {
            // Weights of another fit, whitened by another ridge.
            x.whiten();
            y.whiten();
        }
        return Ok((x, y, trace));
    }
    let [x_normal, y_normal] = problem.normals;
    let random = Solved { weights: start(x_normal, problem.settings)?, normal: None };
    Ok((half_step(x_normal, random)?, Half::none(y_normal), Vec::new()))
}

fn snapshot<'s>(x: &'s Half, y: &'s Half, trace: &'s [TraceRow]) -> Snapshot<'s> {
    let weights = [&x.w, &y.w];
    Snapshot { of: Loop::Alternate, weights, step: None, trace, totals: &[], by_residuals: &[] }
}

/// The paper's random G, each row divided by the length of its column of X: where frequencies differ by orders of
/// magnitude, XG would hold little but the most frequent columns.
fn start(normal: Normal<'_>, settings: &Settings) -> Result<Panel> {
    let mut start = random::normal_panel(normal.size(), settings.k, settings.seed, random::Use::Start);
    panels::scale_rows(&mut start, &normal.inverse_diagonal()?.iter().map(|d| d.sqrt()).collect::<Vec<_>>());
    Ok(start)
}

/// W ← whiten((C + λI)⁻¹ (this view)ᵀ(other view)·W_other). `last` is what the view had before.
pub(super) fn step(
    normal: Normal<'_>,
    solver: &dyn LeastSquares,
    other: &Half,
    last: Option<&Half>,
) -> Result<Half> {
    let rhs = &other.across;
    let start = last.filter(|_| solver.takes_start()).map(|half| galerkin(half, rhs));
    half_step(normal, solver.solve(rhs, start)?)
}

/// The best answer in the span of whitened weights: W·(WᵀR), since WᵀBW = I. No pass.
fn galerkin(half: &Half, rhs: &Panel) -> Solved {
    let coefficients = panels::cross(&half.w, rhs);
    let [weights, normal] = [&half.w, &half.bw].map(|panel| panels::times(panel, coefficients.as_ref()));
    Solved { weights, normal: Some(normal) }
}

/// Whitens the weights and forms the other view's right-hand side: one pass.
fn half_step(normal: Normal<'_>, Solved { weights: mut w, normal: known }: Solved) -> Result<Half> {
    let Some(mut bw) = known else {
        let mut half = Half::measure(normal, w)?;
        half.whiten();
        return Ok(half);
    };
    whiten(&mut w, &mut [&mut bw]);
    let other = normal.side.other();
    let mut across = Panel::zeros(normal.shape().cols(other), w.cols());
    normal.pair.pass(&mut Ask::new().source(normal.side, &w).to(other, &mut across))?;
    Ok(Half { w, bw, across })
}
