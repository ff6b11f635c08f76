//! Refuses settings and data that cannot be fitted, before anything is computed.

use super::pairs::problem::Start;
use crate::data::{Pair, Shape, Side};
use crate::error::{Error, Result};
use crate::granted::is_granted;
use crate::method::{Algorithm, Settings};

/// Refuses settings that no data of this shape can have.
pub(super) fn check(settings: &Settings, shape: Shape) -> Result<()> {
    let Shape { rows, x_cols, y_cols } = shape;
    let limit = rows.min(x_cols).min(y_cols);
    let k = settings.k;
    if k == 0 || k > limit {
        return Err(Error::ComponentsOutOfRange { k, limit, rows, x_cols, y_cols });
    }
    for (name, value) in [("ridge", settings.ridge_x), ("ridge-y", settings.ridge_y), ("tol", settings.tol)] {
        if !(0.0..=1e100).contains(&value) {
            let expected = "a number from 0 to 1e100";
            return Err(Error::Setting { name, value: value.to_string(), expected });
        }
    }
    check_metrics(settings)?;
    settings.method.check(k)
}

/// Refuses a ridge, and methods that know only correlations, if the metric is not that of CCA.
fn check_metrics(settings: &Settings) -> Result<()> {
    for (side, name) in [(Side::X, "ridge"), (Side::Y, "ridge-y")] {
        let (metric, ridge) = (settings.metric_of(side), settings.ridge_of(side));
        if !metric.is_cca() && ridge > 0.0 {
            let expected = "0 for a view whose metric is pls or diagonal";
            return Err(Error::Setting { name, value: ridge.to_string(), expected });
        }
    }
    let method = settings.method;
    let is_known = matches!(
        method.algorithm(),
        Algorithm::Auto | Algorithm::Lobpcg | Algorithm::Gram | Algorithm::Exact
    );
    if settings.is_cca() || is_known {
        return Ok(());
    }
    let metric = if settings.metric_x.is_cca() { settings.metric_y } else { settings.metric_x };
    Err(Error::MetricOfMethod { metric: metric.name(), method: method.to_string() })
}

/// Refuses settings that cannot be combined with covariates.
pub(super) fn check_covariates(pair: &dyn Pair, settings: &Settings, start: &Start) -> Result<()> {
    if pair.capabilities().covariates.is_none() {
        return Ok(());
    }
    let refused = |what, advice| Err(Error::WithCovariates { what, advice });
    match settings.method.algorithm() {
        Algorithm::ShiftInvert => refused("the method shift-invert", "use lobpcg"),
        Algorithm::Sketch => refused("the method sketch", "use auto, gram or lobpcg"),
        _ if matches!(start, Start::Resume(_)) => refused("resuming", "fit again from the start"),
        _ => Ok(()),
    }
}

/// Refuses views so wide that the system does not grant the memory of the model alone, instead of failing
/// halfway.
pub(super) fn check_memory(k: usize, shape: Shape) -> Result<()> {
    let columns = (shape.x_cols + shape.y_cols) as u64;
    // Weights and loadings, and the moments of every column.
    let needed = columns.saturating_mul(8 * (2 * k as u64 + 6));
    if is_granted(needed) {
        return Ok(());
    }
    let mut allowed = needed / 2;
    while !is_granted(allowed) {
        allowed /= 2;
    }
    let what = format!("a model of {columns} columns and {k} pairs");
    Err(Error::Memory {
        what,
        needed,
        allowed,
        advice: "leave out columns that do not occur, or fit fewer pairs",
    })
}

/// Sums of squares must be finite, with room for a sum over all rows.
pub(super) fn check_size(pair: &dyn Pair) -> Result<()> {
    for side in Side::BOTH {
        let moments = pair.moments(side)?;
        if !(moments.trace() * moments.weight.max(1.0)).is_finite() {
            return Err(Error::Overflow { side });
        }
    }
    Ok(())
}
