//! Intervals for canonical correlations from resamples.
//!
//! A fit chooses the directions that correlate most on its own rows, so its correlations are too large, and
//! those of resamples are too large once more: percentiles of them miss the truth most of the time. The
//! correlation r that a fit finds for a true correlation ρ is well described by the law of large random
//! matrices (Bao, Hu, Pan & Zhou 2019, for views of cn columns),
//!
//! ```text
//! r = ρ(1 − c) + c/ρ    if ρ² > c/(1 − c),    otherwise r = 2·√(c(1 − c)), the edge of noise
//! ```
//!
//! which is taken here with one unknown, c: the number of columns per row, or the effective number if there
//! are a ridge, dependent columns or heavy tails. Resamples show the same law at work, from r to the mean
//! r* of the resamples, so c = r(r* − r)/(1 − r²). That is too large by the factor 1 + (1 − r²)c/(r² − c),
//! because the pairs of noise are not zero in the fit that resamples are drawn from (from Lawley's
//! expansion, 1959), and is divided by it.
//!
//! The interval is r ± 1.96·s on Fisher's scale, with s the resamples' deviation there times 1/√(1 − 2c)
//! for the directions that were fitted; then both ends are taken back through the law. Below the edge of
//! noise the lower end is 0, and the upper end is the largest correlation that could still hide there.
//! docs/inference.md has the measured coverage.

/// The largest correlation taken, because 1 has no place on Fisher's scale.
const LARGEST: f64 = 1.0 - 1e-9;
/// The most columns per row. Beyond this correlations are 1 for any data.
const MOST: f64 = 0.49;

/// An estimate with a 95% interval.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The estimate, corrected for the upward bias of fitting.
    pub estimate: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// Standard errors on either side of an estimate: the normal quantile of a two-sided 95% interval.
    pub const QUANTILE: f64 = 1.959_963_984_540_054;

    /// The interval of an estimate whose errors are normal.
    pub fn normal(estimate: f64, standard_error: f64) -> Self {
        let wide = Self::QUANTILE * standard_error;
        Interval { low: estimate - wide, estimate, high: estimate + wide }
    }
}

/// The interval of a correlation that was fitted, from those of resamples.
pub fn correlation_interval(fitted: f64, resampled: &[f64]) -> Interval {
    let fitted = fitted.clamp(0.0, LARGEST);
    let on_fisher: Vec<f64> = resampled.iter().map(|r| r.clamp(-LARGEST, LARGEST).atanh()).collect();
    let count = on_fisher.len().max(1) as f64;
    let mean = on_fisher.iter().sum::<f64>() / count;
    let square: f64 = on_fisher.iter().map(|z| (z - mean).powi(2)).sum();
    let noise = Noise::new(fitted, mean.tanh());
    let spread = (square / (count - 1.0).max(1.0)).sqrt() / (1.0 - 2.0 * noise.columns_per_row).sqrt();
    let end = |sign: f64| (fitted.atanh() + sign * Interval::QUANTILE * spread).tanh();
    Interval {
        low: noise.true_correlation(end(-1.0)).unwrap_or(0.0),
        estimate: noise.true_correlation(fitted).unwrap_or(0.0),
        high: noise.true_correlation(end(1.0)).unwrap_or(noise.largest_hidden()),
    }
}

/// The part of a correlation that fitting adds.
struct Noise {
    columns_per_row: f64,
}

impl Noise {
    fn new(fitted: f64, resampled: f64) -> Self {
        let seen = (fitted * (resampled - fitted) / (1.0 - fitted * fitted)).clamp(0.0, MOST);
        let mut c = seen;
        // The factor is close to 1, so this settles in a few steps, except perhaps at the edge of noise.
        for _ in 0..20 {
            let left = (fitted * fitted - c).max(1e-3 * fitted * fitted);
            c = if left > 0.0 { seen / (1.0 + (1.0 - fitted * fitted) * c / left) } else { seen };
        }
        Noise { columns_per_row: c }
    }

    /// ρ with r = ρ(1 − c) + c/ρ; `None` below the edge of noise.
    fn true_correlation(&self, fitted: f64) -> Option<f64> {
        let c = self.columns_per_row;
        let square = fitted * fitted - 4.0 * c * (1.0 - c);
        (fitted > 0.0 && square >= 0.0).then(|| (fitted + square.sqrt()) / (2.0 * (1.0 - c)))
    }

    /// The largest true correlation that a fit does not tell from noise.
    fn largest_hidden(&self) -> f64 {
        (self.columns_per_row / (1.0 - self.columns_per_row)).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_is_taken_back_exactly() {
        let noise = Noise { columns_per_row: 0.02 };
        for truth in [0.2, 0.5, 0.9, 1.0] {
            let fitted = truth * 0.98 + 0.02 / truth;
            assert!((noise.true_correlation(fitted).unwrap() - truth).abs() < 1e-12);
        }
        assert_eq!(noise.true_correlation(0.27), None);
        let edge = 2.0 * (0.02f64 * 0.98).sqrt();
        let at_the_edge = noise.true_correlation(edge + 1e-12).unwrap();
        assert!((at_the_edge - noise.largest_hidden()).abs() < 1e-5);
    }

    #[test]
    fn without_bias_an_interval_is_fishers() {
        let resampled: Vec<f64> =
            [-0.2, -0.1, 0.0, 0.1, 0.2].map(|z: f64| (0.5f64.atanh() + z).tanh()).into();
        let Interval { low, estimate, high } = correlation_interval(0.5, &resampled);
        let spread = (0.1f64 / 4.0).sqrt() * Interval::QUANTILE;
        assert!((estimate - 0.5).abs() < 1e-12);
        assert!((low - (0.5f64.atanh() - spread).tanh()).abs() < 1e-12);
        assert!((high - (0.5f64.atanh() + spread).tanh()).abs() < 1e-12);
    }

    #[test]
    fn noise_reaches_down_to_zero_and_perfect_pairs_are_finite() {
        let noise = correlation_interval(0.28, &[0.40, 0.42, 0.38, 0.41]);
        assert!(noise.low == 0.0 && noise.high < 0.4, "{noise:?}");
        for fitted in [0.0, 1.0] {
            let Interval { low, estimate, high } = correlation_interval(fitted, &[fitted; 5]);
            assert!((0.0..=1.0).contains(&low) && low <= high && high <= 1.0 && estimate.is_finite());
        }
    }
}
