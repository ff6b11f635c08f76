//! A finished fit.

use super::certificate::Certificate;
use super::held_out::HeldOut;
use super::model::Model;
use super::regress::Regressions;
use crate::method::Method;
use crate::outcome::{Decision, Note};
use crate::watch::{Cost, TraceRow};

/// A finished fit.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fit {
    /// What was fitted.
    pub model: Model,
    /// The method that ran: the requested one, or what `auto` chose.
    pub chosen: Method,
    /// What was decided, in order: structure that was found, the method and why, Gram matrices,
    /// preconditioners.
    pub decisions: Vec<Decision>,
    /// One row per iteration.
    pub trace: Vec<TraceRow>,
    /// What was spent on the rows.
    pub cost: Cost,
    /// Whether what is missing from the objective's total is within the tolerance, relative to it.
    pub converged: bool,
    /// An estimate of the share of the objective's total that is still missing; infinite if the method cannot
    /// tell.
    pub missing: f64,
    /// What the user should know.
    pub notes: Vec<Note>,
    /// Correlations on rows that were held out from a fit before this one, if that was asked for.
    pub held_out: Option<HeldOut>,
    /// Bounds on the objective values, once [`Fit::certify`] has found them.
    pub certificate: Option<Certificate>,
    /// Columns of each view that do not depend on the others, after centering and covariates: what the
    /// classical methods, `gram` and `exact`, find on the way. `None` if another method ran.
    pub ranks: Option<[u64; 2]>,
    /// The columns as functions of the canonical variables, on the training rows.
    pub regressions: Regressions,
}
