//! What passes and iterations cost, counted in operations.

use super::problem::Problem;
use crate::data::{Pair, Side};
use crate::error::Result;

/// Operations of an iteration per row of its panels and square of the block's columns, with some more for
/// what is not a product: copies, residuals, small matrices.
const PANELS: f64 = 36.0;
/// Operations per number of a step of a polynomial beside its product: scaling, adding, centering.
const STEP: f64 = 12.0;
/// An operation on scattered entries counts as this many on panels.
const SCATTERED: f64 = 2.0;

/// The number of stored entries of both views.
pub(in crate::fit) fn entries(pair: &dyn Pair) -> Result<f64> {
    let of_view = |side: Side| -> Result<u64> { Ok(pair.moments(side)?.count.iter().sum()) };
    Ok((of_view(Side::X)? + of_view(Side::Y)?) as f64)
}

/// Operations of one iteration with the diagonal.
pub(in crate::fit) fn iteration(problem: &Problem<'_>) -> Result<f64> {
    let (m, shape) = (problem.block() as f64, problem.pair.shape());
    let touched = match problem.joint {
        Some(joint) => joint.entries() as f64,
        None => 3.0 * entries(problem.pair)?,
    };
    Ok(SCATTERED * 2.0 * m * touched + PANELS * m * m * (shape.x_cols + shape.y_cols) as f64)
}

/// Operations of a product of scattered entries with a panel, and of the step of a polynomial on `rows`
/// numbers per column that uses it.
pub(in crate::fit) fn product(problem: &Problem<'_>, entries: f64, rows: usize) -> f64 {
    problem.block() as f64 * (SCATTERED * 4.0 * entries + STEP * rows as f64)
}
