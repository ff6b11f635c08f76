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
use super::{Found, Problem, TraceRow};
use crate::data::{Ask, Normal};
use crate::error::Result;
use crate::matrix::Panel;
use crate::method::Settings;
use crate::panels;
use crate::random;
use crate::solve::{LeastSquares, Solved, Solver};
use crate::whiten::whiten;

pub(super) fn alternate(problem: &Problem<'_>, solver: Solver, t1: usize) -> Result<Found> {
    let settings = problem.settings;
    let [x_normal, y_normal] = problem.normals;
    let resources = problem.resources();
    let (solve_x, solve_y) = (solver.prepare(x_normal, &resources)?, solver.prepare(y_normal, &resources)?);
    let mut x = half_step(x_normal, Solved { weights: start(x_normal, settings)?, normal: None })?;
    let mut y: Option<Half> = None;
    let mut trace: Vec<TraceRow> = Vec::new();
    for t in 1..=t1 {
        let next = step(y_normal, &*solve_y, &x, y.as_ref())?;
        x = step(x_normal, &*solve_x, &next, Some(&x))?;
        trace.push(problem.trace_row(t, captured(problem, &x, &next)));
        y = Some(next);
        if problem.is_spent() {
            break;
        }
    }
    // Without a gradient step nothing outside the singular vectors is ever looked at.
    let blind = matches!(solver, Solver::Ling { steps: 0, .. });
    let y_weights = y.map_or_else(|| Panel::zeros(y_normal.size(), 0), |y| y.w);
    Ok(Found {
        weights: [x.w, y_weights],
        trace,
        missing: blind.then_some(f64::INFINITY),
        remarks: Vec::new(),
    })
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
