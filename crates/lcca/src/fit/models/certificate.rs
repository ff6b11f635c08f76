//! Bounds on how far objective values are from true ones, as data.

use serde::{Deserialize, Serialize};

/// The assumption behind a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Both views have a ridge: the bounds hold, rounding apart.
    Rigorous,
    /// A view has no ridge: the bounds hold if no direction of it has a share of its columns' variance
    /// between 0 and 1e-12.
    Conditional,
}

/// How larger pairs were looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Search {
    /// Only in the directions in which the fit would move next.
    #[default]
    Nearby,
    /// From fresh random directions outside the fitted space. That nothing was found proves nothing.
    Probed,
    /// The data were solved exactly as well: no larger pair was missed, rounding apart.
    Exact,
    /// A factorization of all columns proves how many values exceed a bound, independently of the fit.
    Proven,
}

/// The statement that a factorization of all columns proves.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Proven {
    /// The most values that can exceed `value`.
    pub exceeding: usize,
    /// The bound that at most `exceeding` values exceed.
    pub value: f64,
    /// The total of the objective is at most this much larger than fitted.
    pub missing: f64,
}

/// Bounds on how far objective values are from true ones, and the part of the total proved to be missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Certificate {
    /// For each pair: a true objective value lies within this of the fitted one.
    pub bounds: Vec<f64>,
    /// As many true values as there are pairs, each counted as often as it occurs, lie within this of the
    /// fitted ones.
    pub together: f64,
    /// The assumption behind the bounds.
    pub kind: Kind,
    /// The total of the objective is larger than fitted by at least this.
    pub gain: f64,
    /// How larger pairs were looked for.
    #[serde(default)]
    pub search: Search,
    /// The proven statement, if a factorization excluded larger pairs.
    #[serde(default)]
    pub proven: Option<Proven>,
    /// The operations of a proof that was skipped because it would have taken too many.
    #[serde(default)]
    pub unaffordable: Option<f64>,
    /// The number of pairs whose bounds are loose, because conjugate gradients ran out of steps.
    pub loose: usize,
    /// The passes that the certificate took.
    pub passes: f64,
}
