//! Puts columns into comparable units: chooses which are divided by their standard deviations, and turns
//! the fit back.
//!
//! A ridge adds the same to the variance of every column, so its effect depends on units: one column in
//! grams instead of tons sets the ridge for all others. Principal components and gradient steps depend on
//! units as well. [`Scale::Auto`] therefore scales columns that look like measurements, and leaves alone
//! those that have a common unit already:
//!
//! - columns of zeros and ones, which satisfy Σx = Σx². A rare one has a small variance, and the ridge is
//!   there to shrink it more;
//! - views whose other columns are mostly zero: counts, pixels, amounts per word.
//!
//! Covariances depend on units as well, so a view with the metric `pls` is treated like one with a ridge. The
//! metric `diagonal` is `pls` on columns that are all scaled. Without a ridge the other methods do not depend
//! on units, and nothing is scaled.
//!
//! The fit is one to X·diag(f); its weights w stand for the weights f∘w of X. Only the units of weights and
//! of regressions change on the way back: canonical variables, correlations and loadings stay as they are.

use super::models::fitted::Fit;
use super::pairs::figures::signs_of_largest;
use crate::data::{COLUMNS, Moments, Pair, Side};
use crate::error::Result;
use crate::matrix::Panel;
use crate::method::{Metric, Scale, Settings};
use crate::outcome::Decision;
use crate::panels;
use crate::whiten::inverse_root;
use rayon::prelude::*;

/// A view is one of measurements if at least this share of the cells of its columns, apart from Boolean ones,
/// is not zero.
const FILLED: f64 = 0.25;
/// Sums of zeros and ones and of their squares are equal but for rounding.
const ROUNDING: f64 = 1e-12;

/// For each view a factor per column; `None` if the view stays as it is.
pub(super) type Factors = [Option<Vec<f64>>; 2];

/// The views that are to be scaled for fits with any of `all` settings, judged by all rows as they are.
pub(super) fn views_to_scale(pair: &dyn Pair, all: &[Settings]) -> Result<[bool; 2]> {
    let mut chosen = [false; 2];
    for (side, chosen) in Side::BOTH.into_iter().zip(&mut chosen) {
        let automatic = all.iter().any(|s| s.scale == Scale::Auto && depends_on_units(s, side));
        let always = |s: &Settings| s.scale == Scale::Yes || s.metric_of(side) == Metric::Diagonal;
        *chosen =
            all.iter().any(always) || automatic && holds_measurements(pair.moments(side)?, pair.shape().rows);
    }
    Ok(chosen)
}

fn depends_on_units(settings: &Settings, side: Side) -> bool {
    settings.ridge_of(side) > 0.0
        || settings.metric_of(side) == Metric::Pls
        || settings.method.depends_on_scale()
}

/// Whether the columns that are neither Boolean nor constant are mostly filled.
fn holds_measurements(moments: &Moments, rows: usize) -> bool {
    let varies = |&j: &usize| !is_boolean(moments, j) && moments.centered_square(j) > 0.0;
    let all = (0..moments.sum.len()).into_par_iter().with_min_len(COLUMNS);
    let (columns, filled) = all
        .filter(varies)
        .map(|j| (1, moments.nonzero[j]))
        .reduce(|| (0u64, 0u64), |a, b| (a.0 + b.0, a.1.saturating_add(b.1)));
    columns > 0 && filled as f64 >= FILLED * columns as f64 * rows as f64
}

/// Whether a column holds nothing but zeros and ones.
pub(super) fn is_boolean(moments: &Moments, j: usize) -> bool {
    (moments.sum[j] - moments.square[j]).abs() <= ROUNDING * moments.square[j]
}

/// One over the standard deviation of each column of the chosen views: 1 for constant columns, and for
/// Boolean ones unless all columns are to be scaled. `raw` are the moments of the data, `seen` those that
/// methods see, centered or not; if not, deviations are about 0.
pub(super) fn factors(
    raw: [&Moments; 2],
    seen: [&Moments; 2],
    chosen: [bool; 2],
    settings: &Settings,
) -> Factors {
    Side::BOTH.map(|side| {
        let (raw, seen) = (raw[side as usize], seen[side as usize]);
        let factor = |j: usize| {
            let is_automatic = settings.scale != Scale::Yes && settings.metric_of(side) != Metric::Diagonal;
            let kept = is_automatic && is_boolean(raw, j);
            let factor = inverse_root(seen.square[j] / seen.weight);
            if kept || factor == 0.0 || !factor.is_finite() { 1.0 } else { factor }
        };
        chosen[side as usize].then(|| (0..raw.sum.len()).map(factor).collect())
    })
}

/// The decisions of a fit that say which columns were scaled.
pub(super) fn decisions(factors: &Factors, centered: bool) -> Vec<Decision> {
    let of_view = |(side, factors): (Side, &Option<Vec<f64>>)| {
        let factors = factors.as_ref()?;
        let scaled = factors.iter().filter(|&&factor| factor != 1.0).count() as u64;
        Some(Decision::ColumnsScaled { side, scaled, columns: factors.len() as u64, centered })
    };
    Side::BOTH.into_iter().zip(factors).filter_map(of_view).collect()
}

/// Weights for columns as they are, from weights for scaled columns.
pub(super) fn to_units(weights: &mut [Panel; 2], factors: &Factors) {
    for (weights, factors) in weights.iter_mut().zip(factors) {
        if let Some(factors) = factors.as_ref().filter(|_| weights.cols() > 0) {
            panels::scale_rows(weights, factors);
        }
    }
}

/// Weights for scaled columns, from weights for columns as they are.
pub(super) fn from_units(weights: &mut [Panel; 2], factors: &Factors) {
    to_units(weights, &inverse(factors));
}

fn inverse(factors: &Factors) -> Factors {
    let invert = |factors: &Vec<f64>| factors.iter().map(|factor| factor.recip()).collect();
    factors.each_ref().map(|factors| factors.as_ref().map(invert))
}

/// Turns a fit to scaled columns into one in the units of the data. `means` are those of the data.
pub(super) fn undo(fit: &mut Fit, factors: &Factors, means: Option<&[Vec<f64>; 2]>) {
    if factors.iter().all(Option::is_none) {
        return;
    }
    let scale = |panel: &mut Panel, factors: &Option<Vec<f64>>| {
        factors.iter().for_each(|factors| panels::scale_rows(panel, factors));
    };
    let inverse = inverse(factors);
    scale(&mut fit.model.x.weights, &factors[0]);
    scale(&mut fit.model.y.weights, &factors[1]);
    scale(&mut fit.regressions.x, &inverse[0]);
    scale(&mut fit.regressions.y, &inverse[1]);
    scale(&mut fit.regressions.y_on_x, &inverse[1]);
    if let Some([x, y]) = means.cloned() {
        (fit.model.x.mean, fit.model.y.mean) = (Some(x), Some(y));
    }
    fix_signs(fit);
}

/// Applies the sign rule again in the units of the data, because it holds for the weights as they are
/// printed.
fn fix_signs(fit: &mut Fit) {
    let signs = signs_of_largest(&fit.model.x.weights);
    let (model, regressions) = (&mut fit.model, &mut fit.regressions);
    let views = [&mut model.x, &mut model.y].into_iter().flat_map(|v| [&mut v.weights, &mut v.loadings]);
    let coefficients = [&mut regressions.x, &mut regressions.y, &mut regressions.y_on_x];
    for panel in views.chain(coefficients) {
        panels::scale_columns(panel, &signs);
    }
}
