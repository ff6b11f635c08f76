//! Projections on the span of one view by least squares.

use super::least_squares::Resources;
use super::solver::Solver;
use crate::data::{Ask, Normal, Pair, Side};
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;

/// The projection of some columns on the span of a view.
pub struct Projection {
    /// W: the projections are X·W.
    pub weights: Panel,
    /// For each column t, ‖X·w‖²/‖t‖² with w's own projection error included: 1 − ‖t − X·w‖²/‖t‖².
    pub explained: Vec<f64>,
}

/// Projects columns on the span of one view: minimises ‖X·w − t‖² + λ‖w‖² for every column t = Y·v of
/// `targets`, with X the view of `side`, Y the other and λ = `ridge`·tr(XᵀX)/p.
///
/// Pair X with T itself and pass `targets` = I to project any n×k targets T. The cost is that of the solver
/// plus one pass and a half.
pub fn project(
    pair: &dyn Pair,
    side: Side,
    targets: &Panel,
    solver: &Solver,
    ridge: f64,
    resources: &Resources,
) -> Result<Projection> {
    let normal = Normal::new(pair, side, ridge)?;
    let mut rhs = Panel::zeros(normal.size(), targets.cols());
    let mut own = Panel::zeros(targets.rows(), targets.cols());
    let ask = Ask::new().source(side.other(), targets).to(side, &mut rhs);
    pair.pass(&mut ask.to(side.other(), &mut own))?;
    let weights = solver.prepare(normal, resources)?.solve(&rhs, None)?.weights;
    let mut fitted = Panel::zeros(normal.size(), targets.cols());
    Normal { ridge: 0.0, ..normal }.apply(&weights, &mut fitted)?;
    let (length, overlap, square) = (
        panels::column_dots(targets, &own),
        panels::column_dots(&weights, &rhs),
        panels::column_dots(&weights, &fitted),
    );
    let explained = |j: usize| if length[j] > 0.0 { (2.0 * overlap[j] - square[j]) / length[j] } else { 0.0 };
    Ok(Projection { weights, explained: (0..targets.cols()).map(explained).collect() })
}
