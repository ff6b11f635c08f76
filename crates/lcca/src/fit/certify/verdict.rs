//! Checks a fit's claim: bounds each objective value, and proves how much at least is missing from the
//! total.
//!
//! The bounds (`bounds`) say how far each objective value can be from a true one. They come from X ≈ B⁻¹R,
//! with R the residuals, which is also the direction in which the fit would have to move next. The best
//! objective values in the span of [W X] are never above the true ones, so their sum shows how much is
//! missing **at least**: the one thing that can prove a fit wrong.
//!
//! A larger pair that the fit never saw leaves no trace in its residuals, so we look for one. Narrow views
//! are solved exactly as well, and the fit is compared with the answer. All columns are factorized if that
//! takes few enough operations, because a factorization proves how many values exceed a bound (`proof`).
//! Other views are searched from fresh random directions (`search`). An amount that rounding can add to a
//! total does not count (`significant`).
//!
//! Costs three passes, half a pass for every step of conjugate gradients on each view, and the exact solution
//! or some hundred passes of eight columns for the search. Where a device holds Gram matrices that are as
//! exact as the rows, all of this runs over those, and a proof is found on the device.

use super::bounds::{Step, bound};
use super::larger::{Claim, Larger, joint_gram, larger};
use super::search::Ground;
use crate::data::{Centered, Counting, JointGram, Moments, Normal, Pair, Scaled, Side, Tally};
use crate::error::{Error, Result};
use crate::fit::driver::fit;
use crate::fit::models::certificate::{Certificate, Kind};
use crate::fit::models::fitted::Fit;
use crate::fit::models::model::Model;
use crate::fit::models::seen::seen;
use crate::fit::one_fit::are_exact;
use crate::fit::pairs::problem::Problem;
use crate::fit::pairs::view_block::{ViewBlock, residuals};
use crate::fit::plan::estimated_operations;
use crate::fit::proof;
use crate::fit::scale;
use crate::matrix::Panel;
use crate::method::{Method, Settings, Variables};
use crate::outcome::Note;
use crate::panels;
use crate::solve::Cg;
use crate::space::{self, Host, Space};
use crate::watch::Watch;

/// The most steps of conjugate gradients on each view.
const STEPS: usize = 500;
/// A solve also ends when its own error can add at most this share of the tolerance to a bound.
const SHARE_OF_TOLERANCE: f64 = 1e-3;
/// A solve always ends when its own error can add at most this to a bound.
const LEAST: f64 = 1e-9;
/// Data are solved exactly, to compare the fit with the answer, if that takes at most this many operations:
/// three thousand columns per view, half a minute of one core.
const AFFORDABLE: f64 = 5e11;
/// A bound that is larger than the residual by this factor is worth a note.
const FAR: f64 = 10.0;

impl Fit {
    /// Bounds the distance of every objective value from a true one, on the rows that were fitted.
    ///
    /// If that shows that more is missing from the total than the tolerance allows, the fit no longer counts
    /// as converged. A large bound alone is no such proof.
    ///
    /// ```
    /// use lcca::data::InMemory;
    /// use lcca::matrix::OneHotRows;
    /// use lcca::method::{Method, Settings};
    ///
    /// let x = OneHotRows::new(3, vec![0, 1, 2, 0, 1, 2, 0, 1].into())?;
    /// let y = OneHotRows::new(2, vec![0, 1, 1, 0, 1, 1, 0, 0].into())?;
    /// let pair = InMemory::new(x.into(), y.into())?;
    /// let mut fit = lcca::fit::fit(&pair, &Settings::new(Method::auto(), 1), &())?;
    /// fit.certify(&pair, &())?;
    /// assert!(fit.converged && fit.certificate.is_some_and(|certificate| certificate.bounds[0] < 1e-6));
    /// # Ok::<(), lcca::Error>(())
    /// ```
    pub fn certify(&mut self, pair: &dyn Pair, watch: &dyn Watch) -> Result<()> {
        let certificate = self.model.certify(pair, watch)?;
        let verdict = certificate.judge(&self.model, self.converged, self.missing);
        (self.converged, self.missing) = (verdict.converged, verdict.missing);
        self.notes.extend(verdict.notes);
        self.certificate = Some(certificate);
        Ok(())
    }
}

/// A certificate's verdict on a fit's claim.
pub struct Verdict {
    /// Whether the fit still counts as converged.
    pub converged: bool,
    /// The share of the objective's total that is missing, estimated or proved.
    pub missing: f64,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

impl Certificate {
    /// Judges the claim of `model`'s fit to have `converged`, with an estimated share `missing`.
    pub fn judge(&self, model: &Model, converged: bool, missing: f64) -> Verdict {
        let (sum, tol) = (model.objective.iter().sum::<f64>(), model.settings.tol);
        let gain = if self.gain == 0.0 { 0.0 } else { self.gain / sum };
        let mut notes = Vec::new();
        if converged && gain > tol {
            notes.push(Note::StoppedTooEarly { gain, estimated: missing });
        }
        notes.extend(self.note_on_bounds(model));
        let missing = match self.proven {
            Some(proven) if sum > 0.0 => proven.missing / sum,
            _ => missing.max(gain),
        };
        Verdict { converged: converged && self.gain <= tol * sum, missing, notes }
    }

    /// A note for the user if bounds are loose or large.
    fn note_on_bounds(&self, model: &Model) -> Option<Note> {
        let (bounds, pairs) = (&self.bounds, self.bounds.len() as u64);
        if self.loose > 0 {
            return Some(Note::LooseBounds { loose: self.loose as u64, pairs, steps: STEPS as u64 });
        }
        let is_far =
            |&i: &usize| bounds[i] > FAR * model.residuals[i] && bounds[i] > model.settings.tol.max(LEAST);
        let far = (0..bounds.len()).filter(is_far).count() as u64;
        (far > 0).then_some(Note::BoundsFarAboveResiduals { far, pairs, factor: FAR })
    }
}

impl Model {
    /// Bounds the distance of every objective value from a true one; `pair` are the rows that were fitted.
    pub fn certify(&self, pair: &dyn Pair, watch: &dyn Watch) -> Result<Certificate> {
        self.check_widths(pair)?;
        let pair = if self.settings.center { pair.near_origin()?.or(pair) } else { pair };
        seen(pair, self.settings.center, |seen| self.certify_seen(pair, seen, watch))
    }

    /// Certifies the model on `seen`, which are the rows of `pair` as the fit saw them.
    fn certify_seen(&self, pair: &dyn Pair, seen: &dyn Pair, watch: &dyn Watch) -> Result<Certificate> {
        let settings = std::slice::from_ref(&self.settings);
        let raw = [pair.moments(Side::X)?, pair.moments(Side::Y)?];
        let of_seen = [seen.moments(Side::X)?, seen.moments(Side::Y)?];
        let factors = scale::factors(raw, of_seen, scale::views_to_scale(pair, settings)?, &self.settings);
        // The ridge is one of scaled columns, so the bounds are found in their units.
        let in_units = |mut weights: [Panel; 2]| {
            scale::from_units(&mut weights, &factors);
            weights
        };
        let mut claim = self.clone();
        [claim.x.weights, claim.y.weights] = in_units([self.x.weights.clone(), self.y.weights.clone()]);
        let (exact, spent) = solve_exactly(self, pair, watch)?.unzip();
        let exact = exact.map(in_units);
        let squares = [0, 1].map(|side| squares(raw[side], factors[side].as_deref()));
        let is_scaled = factors.iter().any(Option::is_some);
        let scaled = if is_scaled { Some(Scaled::new(seen, factors.clone())?) } else { None };
        let raw_pair = pair;
        let pair = scaled.as_ref().map_or(seen, |scaled| scaled);
        let units = units_of_traces(pair, &self.settings)?;
        let tally = Tally::default();
        let counted = Counting::rows(raw_pair, &tally, watch);
        let joint = match exact {
            Some(_) => None,
            None => joint_gram(&counted, &factors, &self.settings)?,
        };
        let means = joint.as_ref().filter(|_| self.settings.center).map(JointGram::means);
        let centered =
            joint.as_ref().filter(|_| self.settings.center).map(|joint| Centered::new(joint)).transpose()?;
        let grams = centered.as_ref().map(|centered| centered as &dyn Pair);
        let grams = grams.or(joint.as_ref().map(|joint| joint as &dyn Pair));
        let joint = joint.as_ref().map(|joint| (joint, means.as_ref()));
        // A device holds the Gram matrices, which are read many times sooner than the rows.
        let space = space::of(raw_pair);
        let grams = match (joint, grams) {
            (Some((joint, _)), Some(grams)) if space.is_remote() && are_exact(joint, grams)? => Some(grams),
            _ => None,
        };
        let (pair, space) = grams.map_or((pair, &Host as &dyn Space), |grams| (grams, space));
        let rows = Rows { pair, joint, space, squares, units };
        let unit = claim_in_units(&mut claim, &rows)?;
        let mut certificate =
            certify(&claim, &rows, exact, watch, Effort { steps: STEPS, proof: proof::ASKED })?;
        let Certificate { bounds, together, gain, proven, .. } = &mut certificate;
        let proven = proven.iter_mut().flat_map(|proven| [&mut proven.value, &mut proven.missing]);
        bounds.iter_mut().chain([together, gain]).chain(proven).for_each(|value| *value *= unit);
        certificate.passes += spent.unwrap_or(0.0) + counted.cost().passes;
        Ok(certificate)
    }
}

/// The rows as the fit saw them.
pub(in crate::fit) struct Rows<'a> {
    /// The rows, centered and scaled, or their Gram matrices.
    pub pair: &'a dyn Pair,
    /// The joint Gram matrix of the rows if it was formed, scaled and not centered, and the means that are
    /// to be subtracted.
    pub joint: Option<(&'a JointGram, Option<&'a [Vec<f64>; 2]>)>,
    /// Where a proof may be found.
    pub space: &'a dyn Space,
    /// The squared lengths of the columns, scaled but not centered. Rounding errors are relative to these.
    pub squares: [Vec<f64>; 2],
    /// The units of objective values: see `problem`.
    pub units: [f64; 2],
}

/// The unit of each view's objective: 1 for the metric of CCA, otherwise a variance that none of its
/// variables of unit length exceeds, so that objective values are at most 1, as bounds need them.
fn units_of_traces(pair: &dyn Pair, settings: &Settings) -> Result<[f64; 2]> {
    let unit = |side: Side| -> Result<f64> {
        let moments = pair.moments(side)?;
        Ok(if settings.metric_of(side).is_cca() { 1.0 } else { moments.trace() / moments.weight })
    };
    Ok([unit(Side::X)?, unit(Side::Y)?])
}

/// Puts weights and objective values of a model into the units of `rows`. Returns the factor that turns
/// objective values back.
fn claim_in_units(claim: &mut Model, rows: &Rows<'_>) -> Result<f64> {
    let unit = rows.units.iter().product::<f64>().sqrt();
    claim.objective.iter_mut().for_each(|value| *value /= unit);
    for (side, view) in Side::BOTH.into_iter().zip([&mut claim.x, &mut claim.y]) {
        let (settings, weight) = (&claim.settings, rows.pair.moments(side)?.weight);
        let length = if settings.metric_of(side).is_cca() {
            settings.unit_of_variables(side, weight)
        } else {
            (rows.units[side as usize] * weight).sqrt()
        };
        if length != 1.0 {
            panels::scale_rows(&mut view.weights, &vec![length.recip(); rows.pair.shape().cols(side)]);
        }
    }
    Ok(unit)
}

/// Squared lengths of columns that are multiplied by `factors`.
fn squares(moments: &Moments, factors: Option<&[f64]>) -> Vec<f64> {
    match factors {
        Some(factors) => moments.square.iter().zip(factors).map(|(square, f)| square * f * f).collect(),
        None => moments.square.clone(),
    }
}

/// The weights of the exact answer and the passes they took, if it is cheap enough and the rows support it.
fn solve_exactly(model: &Model, pair: &dyn Pair, watch: &dyn Watch) -> Result<Option<([Panel; 2], f64)>> {
    let capabilities = pair.capabilities();
    let method = if capabilities.grams.is_some() { Method::gram() } else { Method::exact() };
    let settings = Settings { method, max_passes: None, ..model.settings.clone() };
    let settings = settings.variables(Variables::UnitLength);
    if capabilities.triangles.is_none() || estimated_operations(pair, &settings)? > AFFORDABLE {
        return Ok(None);
    }
    match fit(pair, &settings, watch) {
        Ok(exact) => Ok(Some(([exact.model.x.weights, exact.model.y.weights], exact.cost.passes))),
        Err(Error::Memory { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The most work that a certificate may do.
pub(in crate::fit) struct Effort {
    /// The most steps of conjugate gradients on each view. With fewer of them bounds are loose, not wrong.
    pub steps: usize,
    /// The operations that a proof may take.
    pub proof: f64,
}

/// Bounds on the pairs of a model. If `exact` weights are known, the fit is compared with them; if not,
/// larger pairs are excluded by a proof or searched for.
pub(in crate::fit) fn certify(
    model: &Model,
    rows: &Rows<'_>,
    exact: Option<[Panel; 2]>,
    watch: &dyn Watch,
    effort: Effort,
) -> Result<Certificate> {
    let tally = Tally::default();
    // A device is given Gram matrices.
    let count = if rows.space.is_remote() { Counting::grams } else { Counting::rows };
    let counting = count(rows.pair, &tally, watch);
    let [x_normal, y_normal] = Problem::normals(&counting, &model.settings, rows.units)?;
    let [x, y] =
        ViewBlock::measure_both([x_normal, y_normal], [model.x.weights.clone(), model.y.weights.clone()])?;
    let [rx, ry] = residuals(&x, &y, &model.objective);
    let least = (SHARE_OF_TOLERANCE * model.settings.tol).max(LEAST);
    let solve = |normal: Normal<'_>, residual: &Panel| {
        let cg = Cg::new(normal, effort.steps, 0.0)?.with_squares(&rows.squares[normal.side as usize]);
        Step::solve(cg, normal, residual, least)
    };
    let (x_step, y_step) = (solve(x_normal, &rx)?, solve(y_normal, &ry)?);
    let rigorous = x_normal.ridge > 0.0 && y_normal.ridge > 0.0;
    let ground = Ground { normals: [x_normal, y_normal], squares: &rows.squares };
    let problem = Problem {
        pair: &counting,
        normals: [x_normal, y_normal],
        units: rows.units,
        joint: rows.joint.map(|(joint, _)| joint),
        means: rows.joint.and_then(|(_, means)| means),
        along: None,
        space: rows.space,
        settings: &model.settings,
        watch,
        keeps_weights: false,
    };
    let claim = Claim { problem, objective: &model.objective, w: [&x, &y], residuals: [rx, ry] };
    let Larger { total: best, search, proven, unaffordable } =
        larger(&claim, &ground, [&x_step.block, &y_step.block], exact, effort.proof)?;
    Ok(Certificate {
        bounds: (0..model.pairs()).map(|i| bound(model.objective[i], &x_step, &y_step, i)).collect(),
        together: x_step.largest()?.max(y_step.largest()?).sqrt().min(1.0),
        kind: if rigorous { Kind::Rigorous } else { Kind::Conditional },
        gain: (best - model.objective.iter().sum::<f64>()).max(0.0),
        search,
        proven,
        unaffordable,
        loose: (0..model.pairs()).filter(|&i| x_step.is_loose[i] || y_step.is_loose[i]).count(),
        passes: counting.cost().passes,
    })
}
