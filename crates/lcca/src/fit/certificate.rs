//! Bounds on how far objective values are from true ones, as data.

use serde::{Deserialize, Serialize};

/// The assumption behind a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Both views have a ridge: the bounds hold, rounding apart.
    Rigorous,
    /// A view has none: the bounds hold if no direction of it has a share of its columns' variance between 0 and 1e-12.
    Conditional,
}

/// Bounds on how far objective values are from true ones. They do not prove that no larger pair was missed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// For each pair: a true objective value lies within this of the fitted one.
    pub bounds: Vec<f64>,
    /// As many true values as there are pairs, each counted as often as it occurs, lie within this of the fitted ones.
    pub together: f64,
    /// The assumption behind the bounds.
    pub kind: Kind,
    /// The total of the objective is larger than fitted by at least this.
    pub gain: f64,
    /// Pairs whose bounds are loose, because conjugate gradients ran out of steps.
    pub loose: usize,
    /// Passes spent.
    pub passes: f64,
}
