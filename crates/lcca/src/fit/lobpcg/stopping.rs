//! When to stop, and how far the answer still is.
//!
//! With R the residuals of B-orthonormal pairs, second-order perturbation says that θᵢ is short by rᵢᵀ(θᵢB −
//! A)⁻¹rᵢ over the directions that the block does not hold. Nobody can afford that inverse, but the
//! preconditioner M is near B − A, and if what the block does not hold is below its last value θₘ,
//!
//! ```text
//! rᵀ(θᵢB − A)⁻¹r ≤ gᵢ·rᵀ(B − A)⁻¹r,    gᵢ = (1 − θₘ)/(θᵢ − θₘ)
//! ```
//!
//! Two estimates of what is missing from Σθ, and the larger counts:
//! - from the residuals: ρ = Σ gᵢ·rᵢᵀM⁻¹rᵢ, times a margin, since M is only near B − A. The margin is 1 if M
//!   is B − A itself, and known if M is near it in every direction. If M only stands for all columns, the fit
//!   itself measures the margin: from one iteration to a later one the total grows by what ρ should have
//!   fallen by, so that κ = growth / fall is how much too little residuals said then. `SPARE` times the
//!   largest κ of the last steps is the margin. A pair beyond the k-th that may still rise above it counts
//!   too;
//! - from the last steps, if the margin is neither: if the total grew by δ and growth shrinks by ρ per step,
//!   what follows is about δ·ρ/(1 − ρ). It is large when M is so far from B − A that residuals say too
//!   little: then convergence is slow.
//!
//! Neither is a bound, and neither sees a pair of which the block holds nothing at all.

use crate::fit::pairs::eigenproblem::Trust;

/// The share of the margin that counts for pairs beyond the k-th.
const RISING: f64 = 0.25;
/// Growth is not believed to shrink faster than by this per step, nor slower than by `SLOWEST`.
const FASTEST: f64 = 0.3;
const SLOWEST: f64 = 0.97;
/// Growth below this share of the total is rounding.
const ROUNDING: f64 = 1e-14;
/// After this many iterations without growth nothing but rounding is left to gain.
const STALL: usize = 10;
/// Iterations over which the rate of convergence is taken.
const WINDOW: usize = 4;
/// Steps over which κ is measured, and measurements of which the largest counts. The first two compare with
/// the random start and say next to nothing: with these alone, descriptions with a ridge of 0.001 ended after
/// three iterations and said half of what was missing.
const STRIDE: usize = 2;
const MEASURED: usize = 3;
/// κ grows while the directions that M serves best come to an end, so that it is taken this much larger. On
/// texts with ridges of 0.001 to 0.05 residuals said a tenth of the truth, and the last κ a third to all of
/// that.
const SPARE: f64 = 3.0;
/// A pair whose own share of what is missing is below this share of what it may be sends no more residuals.
const LOCK: f64 = 1e-1;
/// A pair that is missing no more than this sends no more residuals whatever the tolerance: they are rounding
/// errors, which a good preconditioner would magnify.
const LEAST: f64 = 1e-24;

/// The history that tells when to stop.
pub(in crate::fit) struct Stopping {
    k: usize,
    tol: f64,
    /// Σθ of every iteration.
    pub totals: Vec<f64>,
    /// What residuals say is missing, of every iteration.
    pub by_residuals: Vec<f64>,
    /// The same for each pair of the last iteration.
    by_pair: Vec<f64>,
    /// ρ of every iteration since this fit began or was resumed.
    raw: Vec<f64>,
    /// How far residuals of the last iteration can be trusted.
    trust: Trust,
}

impl Stopping {
    pub(in crate::fit) fn new(k: usize, tol: f64) -> Self {
        Stopping {
            k,
            tol,
            totals: Vec::new(),
            by_residuals: Vec::new(),
            by_pair: Vec::new(),
            raw: Vec::new(),
            trust: Trust::Measured,
        }
    }

    /// Takes over the history of a checkpoint, without its last iteration, which is looked at again.
    pub(in crate::fit) fn remember(&mut self, totals: Vec<f64>, by_residuals: Vec<f64>) {
        (self.totals, self.by_residuals) = (totals, by_residuals);
        self.forget_last();
    }

    /// Forgets the last iteration, which is looked at again.
    pub(in crate::fit) fn forget_last(&mut self) {
        self.totals.pop();
        self.by_residuals.pop();
        self.raw.pop();
    }

    /// Forgets all iterations.
    pub(in crate::fit) fn forget_all(&mut self) {
        self.totals.clear();
        self.by_residuals.clear();
        self.raw.clear();
    }

    /// Takes note of an iteration's objective values and of rᵀM⁻¹r of every pair in the block.
    pub(in crate::fit) fn look(&mut self, theta: &[f64], squares: &[f64], trust: Trust) {
        let k = self.k.min(theta.len());
        self.totals.push(theta[..k].iter().sum());
        let by_pair = short_by(theta, squares, trust);
        self.raw.push(by_pair[..k].iter().sum());
        self.trust = trust;
        let margin = match trust {
            Trust::Near { factor } => factor,
            Trust::Measured => self.margin(),
            Trust::Estimated { margin, .. } => margin,
        };
        self.by_pair = with_margin(theta, &by_pair, margin);
        let least = if k > 0 { theta[k - 1] } else { 0.0 };
        let beyond = theta[k..].iter().zip(squares.iter().skip(k));
        let rise = |(&t, &s): (&f64, &f64)| {
            // An infinite margin times nothing would be no number.
            let most = if s > 0.0 { (RISING * margin).max(1.0) * s } else { 0.0 };
            (t + most - least).clamp(0.0, (1.0 - least).max(0.0))
        };
        let rising: f64 = beyond.map(rise).sum();
        self.by_residuals.push(self.by_pair[..k].iter().sum::<f64>() + rising);
    }

    /// What residuals are multiplied by: `SPARE` times the largest κ of the last steps; infinite if they do
    /// not fall although the total grows, and until κ was measured often enough.
    fn margin(&self) -> f64 {
        let resumed = self.totals.len().saturating_sub(self.raw.len());
        if self.raw.len() < STRIDE + MEASURED {
            return f64::INFINITY;
        }
        let totals = &self.totals[resumed..];
        let steps = (STRIDE..self.raw.len()).rev().take(MEASURED);
        let kappa = steps.map(|now| {
            let growth = totals[now] - totals[now - STRIDE];
            let fall = self.raw[now - STRIDE] - self.raw[now];
            if growth <= ROUNDING * totals[now] { 0.0 } else { growth / fall.max(0.0) }
        });
        SPARE * kappa.fold(1.0, f64::max)
    }

    /// Whether what is missing is within the tolerance, relative to the total.
    pub(in crate::fit) fn enough(&self) -> bool {
        self.missing().is_some_and(|missing| missing <= self.tol * self.total())
    }

    /// An estimate of what is missing from the objective's total; `None` before there are enough steps to
    /// tell.
    pub(in crate::fit) fn missing(&self) -> Option<f64> {
        let by_residuals = *self.by_residuals.last()?;
        // If nothing is left to gain, there is no growth to wait for. A measured margin compares growth with
        // residuals already.
        let needs_growth = matches!(self.trust, Trust::Estimated { .. }) && !self.is_exhausted();
        Some(if needs_growth { by_residuals.max(self.by_growth()?) } else { by_residuals })
    }

    /// Σθ of the last iteration.
    pub(in crate::fit) fn total(&self) -> f64 {
        self.totals.last().copied().unwrap_or(0.0)
    }

    /// What is missing as a share of the total.
    pub(in crate::fit) fn missing_share(&self) -> Option<f64> {
        let total = self.totals.last().copied().filter(|&total| total > 0.0)?;
        Some(self.missing()? / total)
    }

    /// δ·ρ/(1 − ρ) from the last steps. The larger of two steps counts, because steps are uneven.
    fn by_growth(&self) -> Option<f64> {
        let [.., a, b, c, d] = self.totals[..] else { return None };
        let steps = [b - a, c - b, d - c].map(|step| if step > ROUNDING * d { step } else { 0.0 });
        let last = steps[1].max(steps[2]);
        let rate = if steps[0] > 0.0 { (steps[2] / steps[0]).sqrt() } else { SLOWEST };
        let rate = rate.clamp(FASTEST, SLOWEST);
        Some(last * rate / (1.0 - rate))
    }

    /// About how many more iterations the tolerance takes at the rate of the last ones.
    pub(in crate::fit) fn iterations_left(&self) -> Option<f64> {
        let before = self.by_residuals.len().checked_sub(WINDOW + 1)?;
        let rate = (self.by_residuals.last()? / self.by_residuals[before]).powf(1.0 / WINDOW as f64);
        let allowed = self.tol * self.total();
        let left = (self.missing()? / allowed).ln() / rate.recip().ln();
        Some(if rate < 1.0 { left.max(0.0) } else { f64::INFINITY })
    }

    /// Whether the total has not grown for so long that rounding must be all that is left.
    pub(in crate::fit) fn stalls(&self) -> bool {
        let recent = self.totals.len().saturating_sub(STALL);
        let best_before = self.totals[..recent].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let best = self.totals[recent..].iter().copied().fold(f64::NEG_INFINITY, f64::max);
        recent > 0 && best <= best_before * (1.0 + 4.0 * f64::EPSILON)
    }

    /// Whether the last two totals are no more than this share above the best one before them.
    pub(in crate::fit) fn creeps(&self, share: f64) -> bool {
        let [before @ .., b, c] = &self.totals[..] else { return false };
        let best = before.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        !before.is_empty() && b.max(*c) <= best * (1.0 + share)
    }

    /// How much each pair of the last iteration is short.
    pub(in crate::fit) fn shortfalls(&self) -> &[f64] {
        &self.by_pair
    }

    /// The pairs that still send residuals.
    pub(in crate::fit) fn active(&self) -> Vec<usize> {
        let allowed = (LOCK * self.tol * self.total() / self.k.max(1) as f64).max(LEAST);
        let all = 0..self.by_pair.len();
        let active: Vec<usize> = all.clone().filter(|&i| self.by_pair[i] > allowed).collect();
        // Leaving out a few saves less than panels of another width cost.
        if 2 * active.len() > all.len() { all.collect() } else { active }
    }

    /// Whether no pair has anything left to gain.
    pub(in crate::fit) fn is_exhausted(&self) -> bool {
        !self.by_residuals.is_empty() && self.active().is_empty()
    }
}

/// How much each objective value is short, by its residual.
fn short_by(theta: &[f64], squares: &[f64], trust: Trust) -> Vec<f64> {
    let last = theta.last().copied().unwrap_or(0.0);
    let top = if trust.is_shifted() { 1.0 - last } else { 1.0 };
    let of_pair = |(&t, &s): (&f64, &f64)| {
        // However close the next value is, some true value lies within √(2·rᵀM⁻¹r), and none is above 1.
        let by_gap = if t > last { s * top.max(t - last) / (t - last) } else { f64::INFINITY };
        by_gap.min((2.0 * s).sqrt()).clamp(0.0, (1.0 - t).max(s))
    };
    theta.iter().zip(squares).map(of_pair).collect()
}

/// The same with a margin. No value is above 1.
fn with_margin(theta: &[f64], by_pair: &[f64], margin: f64) -> Vec<f64> {
    let of_pair = |(&t, &short): (&f64, &f64)| {
        if short > 0.0 { (margin * short).min((1.0 - t).max(short)) } else { 0.0 }
    };
    theta.iter().zip(by_pair).map(of_pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An iteration in which the total is short by `missing` and residuals say `said`, for one pair.
    fn look(stopping: &mut Stopping, missing: f64, said: f64) {
        stopping.look(&[0.9 - missing, 0.1], &[said, 0.0], Trust::Measured);
    }

    /// What is said after residuals said the share `share` of the truth, which shrinks by `rate` per step.
    fn said(share: f64, rate: f64) -> [f64; 2] {
        let mut stopping = Stopping::new(1, 1e-4);
        let missing = |step: i32| 1e-2 * rate.powi(step);
        // The gap between the two values is part of what residuals say: (1 − 0.1)/(θ − 0.1).
        (0..8).for_each(|step| look(&mut stopping, missing(step), share * missing(step) * 0.8 / 0.9));
        [stopping.missing().unwrap(), missing(7)]
    }

    #[test]
    fn residuals_that_say_too_little_are_found_out_by_growth() {
        for share in [1.0, 0.3, 0.1, 0.01, 1e-3] {
            for rate in [0.1, 0.5, 0.9] {
                let [said, truth] = said(share, rate);
                assert!(
                    said >= truth && said < 10.0 * truth,
                    "share {share}, rate {rate}: {said:e} for {truth:e}"
                );
            }
        }
    }

    #[test]
    fn residuals_that_do_not_fall_while_the_total_grows_say_nothing() {
        let mut stopping = Stopping::new(1, 1e-4);
        (0..8).for_each(|step| look(&mut stopping, 1e-3 - 1e-4 * f64::from(step), 1e-9));
        assert!(!stopping.enough());
    }

    #[test]
    fn a_resumed_fit_measures_again_before_it_claims() {
        let mut stopping = Stopping::new(1, 1e-4);
        stopping.remember(vec![0.89, 0.8999, 0.89999, 0.899_999], vec![1e-9; 4]);
        look(&mut stopping, 1e-6, 1e-9);
        (1..STRIDE + MEASURED).for_each(|_| {
            assert!(!stopping.enough());
            look(&mut stopping, 1e-6, 1e-9);
        });
        assert!(stopping.enough());
    }

    #[test]
    fn nothing_is_missing_without_residuals_and_growth() {
        let mut stopping = Stopping::new(1, 1e-4);
        (0..8).for_each(|_| look(&mut stopping, 0.0, 0.0));
        assert_eq!(stopping.missing(), Some(0.0));
    }
}
