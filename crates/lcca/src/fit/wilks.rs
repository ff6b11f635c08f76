//! Wilks' Λ with Bartlett's χ² approximation: the classical test of how many pairs correlate, for small dense data.
//!
//! For the pairs from the j-th on, Λ = Π(1 − rᵢ²), and −(n − 1 − (p + q + 1)/2)·ln Λ is about χ² with (p − j)(q − j) degrees
//! of freedom if those pairs correlate by chance only. It assumes independent rows, normal data, many more rows than columns, and no ridge;
//! permutation tests on held-out rows assume none of that but the first.

use super::driver::fit;
use super::plan::is_narrow;
use crate::data::{InMemory, Pair, Side};
use crate::error::{Error, Result};
use crate::method::{Method, Settings};
use crate::watch::Watch;

/// The classical test, one number per pair: each tests that pair and all after it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Wilks {
    /// The canonical correlations.
    pub correlations: Vec<f64>,
    /// Wilks' Λ.
    pub lambda: Vec<f64>,
    /// Bartlett's statistic.
    pub chi_square: Vec<f64>,
    /// Its degrees of freedom.
    pub degrees: Vec<f64>,
    /// The share of χ² above it.
    pub p: Vec<f64>,
    /// Rows that counted.
    pub rows: u64,
}

/// Tests all pairs of small views, without a ridge, by all rows. An error if views are wide, columns depend on each other, or
/// rows are too few.
pub fn wilks(pair: &InMemory, watch: &dyn Watch) -> Result<Wilks> {
    let shape = pair.shape();
    let settings = Settings::new(Method::auto(), shape.x_cols.min(shape.y_cols).min(shape.rows));
    let varying = |side: Side| -> Result<f64> {
        let moments = pair.moments(side)?;
        let varies = |(sum, square): (&f64, &f64)| {
            square * moments.weight - sum * sum > 1e-13 * square * moments.weight
        };
        Ok(moments.sum.iter().zip(&moments.square).filter(|&both| varies(both)).count() as f64)
    };
    let (p, q) = (varying(Side::X)?, varying(Side::Y)?);
    let rows = (0..shape.rows).filter(|&row| pair.weight(row) > 0.0).count();
    let factor = rows as f64 - 1.0 - (p + q + 1.0) / 2.0;
    let refused =
        |value: String, expected: &'static str| Error::Setting { name: "Wilks' test", value, expected };
    if !is_narrow(pair, &settings) || factor <= 0.0 || rows as f64 <= p + q + 1.0 {
        let value = format!("asked of {rows} rows and {p} + {q} columns");
        return Err(refused(value, "many more rows than columns, and at most some thousand columns"));
    }
    if (0..shape.rows).any(|row| ![0.0, 1.0].contains(&pair.weight(row))) {
        return Err(refused("asked of weighted rows".into(), "rows that count once"));
    }
    let correlations = fit(pair, &settings, watch)?.model.correlations;
    let pairs = correlations.len();
    if pairs < p.min(q) as usize {
        let value = format!("asked of columns with {pairs} independent pairs");
        return Err(refused(value, "columns that do not depend on each other"));
    }
    let mut logarithms = vec![0.0; pairs + 1];
    for j in (0..pairs).rev() {
        logarithms[j] = logarithms[j + 1] + (1.0 - correlations[j].powi(2)).max(f64::MIN_POSITIVE).ln();
    }
    let of_pair = |value: &dyn Fn(usize) -> f64| (0..pairs).map(value).collect::<Vec<f64>>();
    let degrees = of_pair(&|j| (p - j as f64) * (q - j as f64));
    let chi_square = of_pair(&|j| -factor * logarithms[j]);
    Ok(Wilks {
        lambda: of_pair(&|j| logarithms[j].exp()),
        p: of_pair(&|j| upper_share(degrees[j] / 2.0, chi_square[j] / 2.0)),
        chi_square,
        degrees,
        correlations,
        rows: rows as u64,
    })
}

/// Γ(a, x)/Γ(a), the share of a gamma distribution above x: by its series below a + 1 and by its continued fraction above.
fn upper_share(a: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    let scale = (a * x.ln() - x - ln_gamma(a)).exp();
    if x < a + 1.0 {
        let (mut term, mut sum, mut n) = (1.0 / a, 1.0 / a, a);
        while term > sum * f64::EPSILON {
            n += 1.0;
            term *= x / n;
            sum += term;
        }
        return (1.0 - sum * scale).clamp(0.0, 1.0);
    }
    // Lentz's way to evaluate a continued fraction.
    const TINY: f64 = 1e-300;
    let mut b = x + 1.0 - a;
    let (mut c, mut d) = (1.0 / TINY, 1.0 / b);
    let mut h = d;
    for i in 1..100_000 {
        let an = -(i as f64) * (i as f64 - a);
        b += 2.0;
        d = 1.0 / nonzero(an * d + b, TINY);
        c = nonzero(b + an / c, TINY);
        let delta = d * c;
        h *= delta;
        if (delta - 1.0).abs() < 1e-15 {
            break;
        }
    }
    (scale * h).clamp(0.0, 1.0)
}

fn nonzero(value: f64, tiny: f64) -> f64 {
    if value.abs() < tiny { tiny } else { value }
}

/// ln Γ(a) for a > 0, by Stirling's series.
fn ln_gamma(a: f64) -> f64 {
    let (mut shift, mut a) = (0.0, a);
    while a < 10.0 {
        shift += a.ln();
        a += 1.0;
    }
    let b = 1.0 / (a * a);
    let series = (1.0 / 12.0 - b * (1.0 / 360.0 - b * (1.0 / 1260.0 - b * (1.0 / 1680.0 - b / 1188.0)))) / a;
    (a - 0.5) * a.ln() - a + 0.5 * std::f64::consts::TAU.ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{from_dense, random_mat};

    #[test]
    fn shares_of_chi_square_are_those_of_scipy() {
        // scipy.stats.chi2.sf
        for (x, degrees, expected) in [
            (3.841458820694124, 1.0, 0.05),
            (18.307038053275146, 10.0, 0.05),
            (100.0, 100.0, 0.481191684527957),
            (0.5, 3.0, 0.9188914116546758),
            (200.0, 20.0, 1.1253473960842808e-31),
        ] {
            let found = upper_share(degrees / 2.0, x / 2.0);
            assert!((found / expected - 1.0f64).abs() < 1e-9, "{x} {degrees}: {found}");
        }
    }

    #[test]
    fn independent_views_have_no_significant_pair_and_related_ones_do() {
        let (x, noise) = (random_mat(200, 4, 1), random_mat(200, 3, 2));
        let y = faer::Mat::from_fn(200, 3, |i, j| noise[(i, j)] + if j == 0 { x[(i, 0)] } else { 0.0 });
        let pair = InMemory::new(from_dense(x.as_ref()), from_dense(y.as_ref())).unwrap();
        let result = wilks(&pair, &()).unwrap();
        assert_eq!(result.degrees, [12.0, 6.0, 2.0]);
        assert!(result.p[0] < 1e-10 && result.p[1] > 0.01, "{:?}", result.p);
        assert!((result.lambda[2] - (1.0 - result.correlations[2].powi(2))).abs() < 1e-12);
    }

    #[test]
    fn what_the_test_does_not_hold_for_is_refused() {
        let view = |rows, cols, seed| from_dense(random_mat(rows, cols, seed).as_ref());
        let few = InMemory::new(view(8, 4, 1), view(8, 4, 2)).unwrap();
        assert!(wilks(&few, &()).unwrap_err().to_string().contains("many more rows than columns"));
        let x = random_mat(100, 3, 1);
        let dependent =
            faer::Mat::from_fn(100, 4, |i, j| if j < 3 { x[(i, j)] } else { x[(i, 0)] + x[(i, 1)] });
        let pair = InMemory::new(from_dense(dependent.as_ref()), view(100, 4, 2)).unwrap();
        assert!(wilks(&pair, &()).unwrap_err().to_string().contains("do not depend on each other"));
    }
}
