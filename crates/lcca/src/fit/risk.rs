//! Correlations that mean nothing, because the numbers of rows and columns alone bring them about.
//!
//! - **Guaranteed.** Centered views of n rows lie in a space of n − 1 dimensions. Spans of p and q
//!   dimensions in it share at least p + q − (n − 1) directions, and along those the correlation is 1 for
//!   any data.
//! - **Noise.** The largest correlation between independent views is, for many rows and columns (Wachter
//!   1980), r² = (√(a(1 − b)) + √(b(1 − a)))² with a = p/n and b = q/n, and 1 if a + b ≥ 1.
//! - **Inflation.** A true correlation ρ is seen as r² = (ρ² + a(1 − ρ²))(ρ² + b(1 − ρ²))/ρ² if that is above
//!   the noise (Bao, Hu, Pan and Zhou 2019). Solved for ρ it says how much of a correlation is left.
//!
//! A ridge λ shrinks a column of variance v by g = v/(v + λ·v̄), v̄ the mean variance. Columns that it
//! shrinks count less: p is replaced by (Σg)²/Σg², the number of columns of equal shares that would weigh
//! as much. Without a ridge that is p, and it is p for any ridge if all variances are equal, because noise
//! that no column stands out of is not removed by a ridge. Variances are those of columns, so views whose
//! columns depend on each other are judged with too much caution.

use super::scale;
use crate::data::{COLUMNS, Moments, Pair, Side};
use crate::error::Result;
use crate::method::Settings;
use crate::outcome::Note;
use rayon::prelude::*;

/// If views without any relation would reach this correlation, training correlations need held-out rows
/// beside them. At 0.3 there are about 44 rows for each column of two views of the same width.
const RISKY: f64 = 0.3;
/// A correlation that is expected to fall by this much on other rows is worth a note.
const INFLATED: f64 = 0.05;
/// A correlation of at least this counts as the 1 that is guaranteed.
const PERFECT: f64 = 0.999;
/// A ridge is set by few columns if the mean variance is this many times the median.
const UNEVEN: f64 = 100.0;

/// The correlations that chance alone gives to data of this shape with a ridge.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Risk {
    /// The number of rows, or the sum of their weights if rows are weighted and that is more.
    pub rows: f64,
    /// The numbers of columns of X and of Y that are not constant.
    pub columns: [u64; 2],
    /// The effective numbers of columns of X and of Y: columns that the ridge shrinks count less.
    pub effective: [f64; 2],
    /// The number of pairs whose correlation is 1 for any data, if columns are independent.
    pub guaranteed: u64,
    /// About the largest correlation that views without any relation would have.
    pub noise: f64,
}

/// The risk of a fit, from the moments of the views: no pass.
pub fn risk(pair: &dyn Pair, settings: &Settings) -> Result<Risk> {
    let raw = [pair.moments(Side::X)?, pair.moments(Side::Y)?];
    let chosen = scale::views_to_scale(pair, std::slice::from_ref(settings))?;
    let squares = seen_squares(raw, chosen, settings);
    let mut columns = [0; 2];
    let mut effective = [0.0; 2];
    for side in Side::BOTH {
        let squares = &squares[side as usize];
        columns[side as usize] = squares.par_iter().filter(|&&square| square > 0.0).count() as u64;
        effective[side as usize] = effective_columns(squares, settings.ridge_of(side));
    }
    let count = pair.shape().rows as f64;
    let covariates = pair.capabilities().covariates.map_or(0, |covariates| covariates.covariate_columns());
    let dimensions = count - f64::from(u8::from(settings.center)) - covariates as f64;
    let rows = count.max(raw[0].weight);
    let is_free = settings.ridge_x == 0.0 && settings.ridge_y == 0.0;
    let spans = columns.map(|columns| (columns as f64).min(dimensions));
    let guaranteed = if is_free { (spans[0] + spans[1] - dimensions).max(0.0) } else { 0.0 };
    let noise = if guaranteed > 0.0 { 1.0 } else { noise_level(effective.map(|p| p / rows)) };
    Ok(Risk { rows, columns, effective, guaranteed: guaranteed as u64, noise })
}

/// The sums of squares of the columns as methods see them: centered and scaled, if that is wanted.
fn seen_squares(raw: [&Moments; 2], scaled: [bool; 2], settings: &Settings) -> [Vec<f64>; 2] {
    if scaled == [false, false] {
        return raw.map(|raw| if settings.center { raw.centered_squares() } else { raw.square.clone() });
    }
    let seen = raw.map(|moments| if settings.center { moments.centered() } else { moments.clone() });
    let factors = scale::factors(raw, seen.each_ref(), scaled, settings);
    Side::BOTH.map(|side| match &factors[side as usize] {
        Some(factors) => seen[side as usize].scaled(factors).square,
        None => seen[side as usize].square.clone(),
    })
}

impl Risk {
    /// Whether training correlations need held-out rows beside them.
    pub fn is_high(&self) -> bool {
        self.noise >= RISKY
    }

    /// The correlation that likely remains of a training correlation on all rows of the same kind; 0 if
    /// noise alone would give as much.
    pub fn without_inflation(&self, correlation: f64) -> f64 {
        let [a, b] = self.effective.map(|p| p / self.rows);
        let square = correlation * correlation;
        if a + b >= 1.0 || correlation <= self.noise {
            return 0.0;
        }
        // (1−a)(1−b)·x² + (a(1−b) + b(1−a) − r²)·x + ab = 0 for x = ρ².
        let (lead, half) = ((1.0 - a) * (1.0 - b), (square - a * (1.0 - b) - b * (1.0 - a)) / 2.0);
        let root = (half * half - lead * a * b).max(0.0).sqrt();
        ((half + root) / lead).clamp(0.0, 1.0).sqrt().min(correlation)
    }

    /// A note for the user of a fit with these correlations.
    pub(super) fn note(&self, correlations: &[f64]) -> Option<Note> {
        let [x_columns, y_columns] = self.columns;
        let rows = self.rows as u64;
        let perfect = correlations.iter().filter(|&&correlation| correlation >= PERFECT).count() as u64;
        if self.guaranteed > 0 && perfect > 0 {
            let pairs = self.guaranteed;
            return Some(Note::CorrelationsGuaranteed { pairs, rows, x_columns, y_columns });
        }
        let is_inflated = |&r: &f64| r - self.without_inflation(r) >= INFLATED;
        let worth_a_note = self.is_high() && correlations.iter().any(is_inflated);
        worth_a_note.then_some(Note::InflatedByNoise { noise: self.noise, rows, x_columns, y_columns })
    }
}

/// (Σg)²/Σg² with g = v/(v + λ·v̄).
fn effective_columns(squares: &[f64], ridge: f64) -> f64 {
    // Parts are added up in their order, so that the result does not depend on threads.
    let parts = || squares.par_chunks(COLUMNS);
    let sums: Vec<f64> = parts().map(|part| part.iter().sum::<f64>()).collect();
    let mean = sums.iter().sum::<f64>() / squares.len() as f64;
    let of_part = |part: &[f64]| {
        let shares = part.iter().filter(|&&v| v > 0.0).map(|&v| v / (v + ridge * mean));
        shares.fold((0.0, 0.0), |(sum, squares), g| (sum + g, squares + g * g))
    };
    let of_parts: Vec<(f64, f64)> = parts().map(of_part).collect();
    let (sum, squares) = of_parts.iter().fold((0.0, 0.0), |all, part| (all.0 + part.0, all.1 + part.1));
    if squares > 0.0 { sum * sum / squares } else { 0.0 }
}

/// The upper edge of the correlations between independent views.
fn noise_level([a, b]: [f64; 2]) -> f64 {
    if a + b >= 1.0 { 1.0 } else { (a * (1.0 - b)).sqrt() + (b * (1.0 - a)).sqrt() }
}

/// A note for each view whose ridge is set by a few columns of large variance. `seen` are the moments that
/// the ridge is relative to; columns of zeros and ones share a unit and are not compared.
pub(super) fn uneven_ridge(raw: [&Moments; 2], seen: [&Moments; 2], settings: &Settings) -> Vec<Note> {
    let of_view = |side: Side| {
        let (raw, seen) = (raw[side as usize], seen[side as usize]);
        let is_compared = |&j: &usize| seen.square[j] > 0.0 && !scale::is_boolean(raw, j);
        let mut variances: Vec<f64> =
            (0..seen.square.len()).into_par_iter().filter(is_compared).map(|j| seen.square[j]).collect();
        variances.sort_unstable_by(f64::total_cmp);
        let median = *variances.get(variances.len() / 2)?;
        let mean = seen.trace() / seen.square.len() as f64;
        let is_uneven = settings.ridge_of(side) > 0.0 && variances.len() > 1 && mean >= UNEVEN * median;
        is_uneven.then_some(Note::RidgeSetByFewColumns { side, ratio: mean / median })
    };
    Side::BOTH.into_iter().filter_map(of_view).collect()
}
