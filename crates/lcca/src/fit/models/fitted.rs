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
    /// The fitted model.
    pub model: Model,
    /// The method that ran: the requested one, or the choice of `auto`.
    pub chosen: Method,
    /// The decisions of the fit, in order: structure that was found, the method and why, Gram matrices,
    /// preconditioners.
    pub decisions: Vec<Decision>,
    /// One row per iteration.
    pub trace: Vec<TraceRow>,
    /// The cost of all work on the rows.
    pub cost: Cost,
    /// Whether the missing part of the objective's total is within the tolerance, relative to the total.
    pub converged: bool,
    /// An estimate of the share of the objective's total that is still missing; infinite if the method cannot
    /// tell.
    pub missing: f64,
    /// Notes for the user.
    pub notes: Vec<Note>,
    /// Correlations on rows that were held out from a fit before this one, if that was asked for.
    pub held_out: Option<HeldOut>,
    /// Bounds on the objective values, once [`Fit::certify`] has found them.
    pub certificate: Option<Certificate>,
    /// The number of columns of each view that do not depend on the others, after centering and covariates.
    /// `None` unless a classical method ran, `gram` or `exact`, because only these find it on the way.
    pub ranks: Option<[u64; 2]>,
    /// The columns as functions of the canonical variables, on the training rows.
    pub regressions: Regressions,
}
