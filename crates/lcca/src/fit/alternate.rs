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

use super::{Found, Problem, TraceRow};
use crate::data::{Ask, Normal, Side};
use crate::error::Result;
use crate::matrix::Panel;
use crate::method::Settings;
use crate::metric;
use crate::panels;
use crate::random;
use crate::solve::{LeastSquares, Solved, Solver};
use crate::whiten::whiten;

/// One view's current weights, whitened, with their products.
struct Half {
    w: Panel,
    /// (C + λI)·W
    bw: Panel,
    /// (other view)ᵀ(this view)·W: the other view's next right-hand side.
    across: Panel,
}

pub(super) fn alternate(problem: &Problem<'_>, solver: Solver, t1: usize) -> Result<Found> {
    let settings = problem.settings;
    let [x_normal, y_normal] = problem.normals;
    let resources = problem.resources();
    let (solve_x, solve_y) = (solver.prepare(x_normal, &resources)?, solver.prepare(y_normal, &resources)?);
    let mut x = half_step(x_normal, Solved { weights: start(x_normal, settings)?, normal: None })?;
    let mut y_weights = Panel::zeros(y_normal.size(), 0);
    let mut trace: Vec<TraceRow> = Vec::new();
    for t in 1..=t1 {
        let y = step(y_normal, &*solve_y, &x)?;
        x = step(x_normal, &*solve_x, &y)?;
        trace.push(problem.trace_row(t, captured(problem, &x, &y)));
        y_weights = y.w;
        if settings.max_passes.is_some_and(|most| problem.pair.cost().passes >= most) {
            break;
        }
    }
    Ok(Found { weights: [x.w, y_weights], trace })
}

/// The paper's random G, each row divided by the length of its column of X: where frequencies differ by orders of
/// magnitude, XG would hold little but the most frequent columns.
fn start(normal: Normal<'_>, settings: &Settings) -> Result<Panel> {
    let mut start = random::normal_panel(normal.size(), settings.k, settings.seed, random::Use::Start);
    let inverse_root = |d: f64| if d > 0.0 { d.sqrt().recip() } else { 0.0 };
    panels::scale_rows(&mut start, &normal.diagonal()?.into_iter().map(inverse_root).collect::<Vec<_>>());
    Ok(start)
}

/// W ← whiten((C + λI)⁻¹ (this view)ᵀ(other view)·W_other).
fn step(normal: Normal<'_>, solver: &dyn LeastSquares, other: &Half) -> Result<Half> {
    half_step(normal, solver.solve(&other.across)?)
}

/// Whitens the weights and forms the other view's right-hand side: one pass.
fn half_step(normal: Normal<'_>, Solved { weights: mut w, normal: known }: Solved) -> Result<Half> {
    let (own, other) = (normal.side, normal.side.other());
    let across = |w: &Panel| Panel::zeros(normal.shape().cols(other), w.cols());
    if let Some(mut bw) = known {
        whiten(&mut w, &mut [&mut bw]);
        let mut across = across(&w);
        normal.pair.pass(&mut Ask::new().source(own, &w).to(other, &mut across))?;
        return Ok(Half { w, bw, across });
    }
    let (mut bw, mut across) = (Panel::zeros(w.rows(), w.cols()), across(&w));
    normal.pair.pass(&mut Ask::new().source(own, &w).to(own, &mut bw).to(other, &mut across))?;
    panels::add_scaled(&mut bw, normal.ridge, &w);
    whiten(&mut w, &mut [&mut bw, &mut across]);
    Ok(Half { w, bw, across })
}

/// Captured correlation, from products that are already there.
fn captured(problem: &Problem<'_>, x: &Half, y: &Half) -> f64 {
    let gram = |half: &Half, side: Side| {
        let mut bw = half.bw.clone();
        panels::add_scaled(&mut bw, -problem.normals[side as usize].ridge, &half.w);
        panels::symmetric_cross(&half.w, &bw)
    };
    let cross = panels::cross(&x.w, &y.across);
    metric::subspace_correlations(gram(x, Side::X).as_ref(), gram(y, Side::Y).as_ref(), cross.as_ref())
        .iter()
        .sum()
}
