//! How far each objective value can be from a true one: a bound, not an estimate.
//!
//! With B = C + λI of each view and K = Bx^(−½)·Cxy·By^(−½), the true objective values are the singular values of K. A
//! fitted pair has wxᵀBxwx = wyᵀBywy = 1 and objective θ = wxᵀCxywy; its residuals are
//!
//! ```text
//! rx = Cxy·wy − θ·Bx·wx,    ry = Cyx·wx − θ·By·wy,    measured as ‖r‖² = rᵀB⁻¹r
//! ```
//!
//! - **One pair.** (Bx^½wx, By^½wy)/√2 is a unit vector and [0 K; Kᵀ 0] is symmetric with eigenvalues ±d and, if the
//!   views have different ranks, 0. So one of these lies within ρ = √((‖rx‖² + ‖ry‖²)/2) of θ. It is a true value d if
//!   ρ < θ; if not, a true value lies within max(‖rx‖, ‖ry‖).
//! - **All pairs at once** (Kahan 1967). In bases that begin with the fitted pairs K is [Θ E; F M], with E and F as large
//!   as the block residuals Ry and Rx. By Weyl's theorem k singular values of K, each counted as often as it occurs, lie
//!   within max(‖Rx‖, ‖Ry‖) of θ₁ … θ_k, one for each; ‖R‖² is the largest eigenvalue of RᵀB⁻¹R.
//!
//! RᵀB⁻¹R comes from conjugate gradients. For any X and S = R − B·X, Galerkin or not,
//!
//! ```text
//! RᵀB⁻¹R = XᵀR + SᵀX + SᵀB⁻¹S,    SᵀB⁻¹S ≤ SᵀS/λ
//! ```
//!
//! and S is measured by a pass of its own, so that only the rounding of products is left out. Without a ridge nothing
//! cheap bounds SᵀB⁻¹S: it is at most SᵀD⁻¹S/c with D the diagonal of C and c the smallest eigenvalue but 0 of
//! D^(−½)CD^(−½), which is not known. The cut below which this crate counts columns as dependent, c = 1e-12, takes its place.
//! The bounds then hold for data without directions of 0 < variance < 1e-12 of their columns', and are called conditional.
//!
//! X ≈ B⁻¹R is also the direction in which the fit would have to move next. The best objective values in the span of [W X] are never
//! above the true ones, so their sum shows how much is missing **at least**: the one thing that can prove a fit wrong.
//!
//! Nothing here proves that no larger pair was missed: all bounds speak of the true values near the fitted ones.
//!
//! Costs four passes, and half a pass for every step of conjugate gradients on each view.

use super::certificate::{Certificate, Kind};
use super::fitted::Fit;
use super::model::Model;
use super::scale;
use super::view_block::{ViewBlock, residuals};
use crate::data::{Centered, Counting, Normal, Pair, Scaled, Side, Tally};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::outcome::Note;
use crate::panels;
use crate::solve::{ActiveColumns, Cg};
use crate::watch::Watch;
use crate::whiten::{CUT, whitener_above};
use faer::Mat;

/// Most steps of conjugate gradients on each view.
const STEPS: usize = 500;
/// A solve ends when its own error can add at most this share to the square of a bound.
const SHARE: f64 = 0.01;
/// A solve also ends when its own error can add at most this share of the tolerance to a bound.
const SHARE_OF_TOLERANCE: f64 = 1e-3;
/// A solve always ends when its own error can add at most this to a bound.
const LEAST: f64 = 1e-9;
/// Directions this close to the span of others are left out, because their rounding errors would count as proof.
const CAREFUL: f64 = 1e-8;
/// A bound that is larger than the residual by this factor is worth a note.
const FAR: f64 = 10.0;

impl Fit {
    /// Bounds the distance of every objective value from a true one, on the rows that were fitted.
    ///
    /// If that shows that more is missing from the total than the tolerance allows, the fit no longer counts as
    /// converged. A large bound alone is no such proof.
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
        let (sum, tol) = (self.model.objective.iter().sum::<f64>(), self.model.settings.tol);
        let gain = if certificate.gain == 0.0 { 0.0 } else { certificate.gain / sum };
        if self.converged && gain > tol {
            self.notes.push(Note::StoppedTooEarly { gain, estimated: self.missing });
        }
        self.converged &= certificate.gain <= tol * sum;
        self.missing = self.missing.max(gain);
        self.notes.extend(notes(&certificate, &self.model));
        self.certificate = Some(certificate);
        Ok(())
    }
}

/// What the user should know about the bounds.
fn notes(certificate: &Certificate, model: &Model) -> Option<Note> {
    let Certificate { bounds, loose, .. } = certificate;
    let pairs = bounds.len() as u64;
    if *loose > 0 {
        return Some(Note::LooseBounds { loose: *loose as u64, pairs, steps: STEPS as u64 });
    }
    let is_far =
        |&i: &usize| bounds[i] > FAR * model.residuals[i] && bounds[i] > model.settings.tol.max(LEAST);
    let far = (0..bounds.len()).filter(is_far).count() as u64;
    (far > 0).then_some(Note::BoundsFarAboveResiduals { far, pairs, factor: FAR })
}

impl Model {
    /// Bounds the distance of every objective value from a true one; `pair` are the rows that were fitted.
    pub fn certify(&self, pair: &dyn Pair, watch: &dyn Watch) -> Result<Certificate> {
        self.check_widths(pair)?;
        let centered = if self.settings.center { Some(Centered::new(pair)?) } else { None };
        let seen: &dyn Pair = centered.as_ref().map_or(pair, |centered| centered);
        let settings = std::slice::from_ref(&self.settings);
        let raw = [pair.moments(Side::X)?, pair.moments(Side::Y)?];
        let of_seen = [seen.moments(Side::X)?, seen.moments(Side::Y)?];
        let factors = scale::factors(raw, of_seen, scale::views_to_scale(pair, settings)?, &self.settings);
        if factors.iter().all(Option::is_none) {
            return certify(self, seen, watch, STEPS);
        }
        // The ridge is one of scaled columns, and so the bounds are found there.
        let mut weights = [self.x.weights.clone(), self.y.weights.clone()];
        scale::from_units(&mut weights, &factors);
        let mut scaled = self.clone();
        [scaled.x.weights, scaled.y.weights] = weights;
        certify(&scaled, &Scaled::new(seen, factors)?, watch, STEPS)
    }
}

/// Bounds from at most `steps` steps on each view. Fewer steps make bounds loose, not wrong.
pub(super) fn certify(
    model: &Model,
    pair: &dyn Pair,
    watch: &dyn Watch,
    steps: usize,
) -> Result<Certificate> {
    let tally = Tally::default();
    let counting = Counting::rows(pair, &tally, watch);
    let x_normal = Normal::new(&counting, Side::X, model.settings.ridge_x)?;
    let y_normal = Normal::new(&counting, Side::Y, model.settings.ridge_y)?;
    let x = ViewBlock::measure(x_normal, model.x.weights.clone())?;
    let y = ViewBlock::measure(y_normal, model.y.weights.clone())?;
    let [rx, ry] = residuals(&x, &y, &model.objective);
    let least = (SHARE_OF_TOLERANCE * model.settings.tol).max(LEAST);
    let x_step = Step::solve(Cg::new(x_normal, steps, 0.0)?, x_normal, &rx, least)?;
    let y_step = Step::solve(Cg::new(y_normal, steps, 0.0)?, y_normal, &ry, least)?;
    let rigorous = x_normal.ridge > 0.0 && y_normal.ridge > 0.0;
    Ok(Certificate {
        bounds: (0..model.pairs()).map(|i| bound(model.objective[i], &x_step, &y_step, i)).collect(),
        together: x_step.largest()?.max(y_step.largest()?).sqrt().min(1.0),
        kind: if rigorous { Kind::Rigorous } else { Kind::Conditional },
        gain: gain([&x, &y], [&x_step.block, &y_step.block], &model.objective)?,
        loose: (0..model.pairs()).filter(|&i| x_step.is_loose(i, least) || y_step.is_loose(i, least)).count(),
        passes: counting.cost().passes,
    })
}

/// One view's part of the bounds on all pairs.
struct Step {
    /// X ≈ B⁻¹R and its products.
    block: ViewBlock,
    /// At least RᵀB⁻¹R.
    above: Mat<f64>,
    /// The share of its diagonal that bounds the error of X.
    tail: Vec<f64>,
}

impl Step {
    fn solve(cg: Cg<'_>, normal: Normal<'_>, residual: &Panel, least: f64) -> Result<Self> {
        let weights = tail_weights(normal)?;
        let tail = |s: &Panel| panels::weighted_column_dots(s, s, |i| weights[i]);
        let enough = |running: &ActiveColumns| -> Vec<bool> {
            let goal = running.gained.iter().map(|gained| (SHARE * gained).max(least * least));
            tail(&running.residual).into_iter().zip(goal).map(|(tail, goal)| tail <= goal).collect()
        };
        let (x, _) = cg.run(residual, None, enough)?;
        let block = ViewBlock::measure(normal, x)?;
        let mut s = residual.clone();
        panels::subtract(&mut s, &block.bw);
        let mut weighted = s.clone();
        panels::scale_rows(&mut weighted, &weights);
        let tails = panels::symmetric_cross(&s, &weighted);
        let mut sum = residual.clone();
        panels::add_scaled(&mut sum, 1.0, &s);
        let above = panels::symmetric_cross(&block.w, &sum) + &tails;
        Ok(Step { block, above, tail: (0..tails.nrows()).map(|i| tails[(i, i)]).collect() })
    }

    /// ‖rᵢ‖², or more.
    fn square(&self, i: usize) -> f64 {
        self.above[(i, i)].max(self.tail[i])
    }

    /// ‖R‖², or more.
    fn largest(&self) -> Result<f64> {
        let values = self.above.self_adjoint_eigenvalues(faer::Side::Lower);
        Ok(values.map_err(|_| Error::Factorization("RᵀB⁻¹R"))?.last().copied().unwrap_or(0.0).max(0.0))
    }

    fn is_loose(&self, i: usize, least: f64) -> bool {
        let found = self.above[(i, i)] - self.tail[i];
        self.tail[i] > found.max(4.0 * least * least)
    }
}

/// T with SᵀB⁻¹S ≤ SᵀTS.
fn tail_weights(normal: Normal<'_>) -> Result<Vec<f64>> {
    if normal.ridge > 0.0 {
        return Ok(vec![normal.ridge.recip(); normal.size()]);
    }
    Ok(normal.inverse_diagonal()?.iter().map(|inverse| inverse / CUT).collect())
}

/// How far θ can be from the nearest true value; both lie between 0 and 1.
fn bound(theta: f64, x: &Step, y: &Step, i: usize) -> f64 {
    let (x, y) = (x.square(i), y.square(i));
    let mean = ((x + y) / 2.0).sqrt();
    let bound = if mean < theta { mean } else { x.max(y).sqrt() };
    bound.min(theta.max(1.0 - theta))
}

/// By how much the total is larger in the span of [W X].
fn gain(w: [&ViewBlock; 2], step: [&ViewBlock; 2], theta: &[f64]) -> Result<f64> {
    let [hx, hy] = [0, 1].map(|side| {
        let (w, step) = (w[side], step[side]);
        let gram = panels::symmetric_block_cross(&[&w.w, &step.w], &[&w.bw, &step.bw]);
        whitener_above(gram.as_ref(), CAREFUL)
    });
    let (hx, hy) = (hx?, hy?);
    let cross = panels::block_cross(&[&w[0].w, &step[0].w], &[&w[1].across, &step[1].across]);
    let values = (hx.transpose() * cross * hy).singular_values();
    let values = values.map_err(|_| Error::Factorization("[W X]ᵀCxy[W X]"))?;
    let total: f64 = values.iter().take(theta.len()).map(|d| d.min(1.0)).sum();
    Ok((total - theta.iter().sum::<f64>()).max(0.0))
}
