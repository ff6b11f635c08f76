//! Whether a checkpoint can be continued.

use super::plan::Plan;
use crate::data::Shape;
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::watch::Checkpoint;

/// Checks a checkpoint against the planned computation and the shape of the data.
pub(super) fn check(checkpoint: &Checkpoint, plan: &Plan, shape: Shape) -> Result<()> {
    let refused = |found: String, expected: String| Err(Error::Checkpoint { found, expected });
    let expected = plan.algorithm();
    if expected != Some(checkpoint.algorithm) {
        let expected =
            expected.map_or("nothing: the method does not iterate".into(), |algorithm| algorithm.to_string());
        return refused(checkpoint.algorithm.to_string(), expected);
    }
    match (checkpoint.trace.len(), plan.method.get("t1")) {
        (0, _) => return refused("no iteration".into(), "at least one".into()),
        (done, Some(t1)) if done > t1 => {
            return refused(format!("{done} iterations"), format!("at most the {t1} of t1"));
        }
        _ => {}
    }
    let (expected, found) = (checkpoint.totals.len(), checkpoint.by_residuals.len());
    if found != expected {
        return Err(Error::Length { what: "residual estimates, one per total", expected, found });
    }
    for [x, y] in std::iter::once(&checkpoint.weights).chain(&checkpoint.step) {
        check_panel(x, shape.x_cols, "rows of the weights of X")?;
        check_panel(y, shape.y_cols, "rows of the weights of Y")?;
    }
    Ok(())
}

fn check_panel(panel: &Panel, expected: usize, what: &'static str) -> Result<()> {
    if panel.rows() != expected {
        return Err(Error::Length { what, expected, found: panel.rows() });
    }
    for row in 0..panel.rows() {
        if let Some(column) = panel.row(row).iter().position(|value| !value.is_finite()) {
            return Err(Error::NotFinite { row, column, value: panel.row(row)[column] });
        }
    }
    Ok(())
}
