//! Wilks' Λ with Bartlett's χ² approximation: the classical test of how many pairs correlate, for small dense
//! data.
//!
//! For the pairs from the j-th on, Λ = Π(1 − rᵢ²), and −(n − r − 1 − (p + q + 1)/2)·ln Λ is about χ² with
//! (p − j)(q − j) degrees of freedom if those pairs correlate by chance only. Here p and q are ranks, not
//! columns, because indicators of a category sum up to a constant, and a column that depends on others adds
//! no direction in which chance could find a correlation. r is the rank of the centered covariates, each of
//! which takes a dimension from the rows. The test assumes independent rows, normal data, many more rows
//! than columns, and no ridge; permutation tests on held-out rows assume only independent rows.

use crate::data::{InMemory, Pair};
use crate::error::{Error, Result};
use crate::fit::driver::fit;
use crate::fit::plan::is_narrow;
use crate::method::{Method, Settings};
use crate::outcome::Decision;
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
    /// The degrees of freedom of Bartlett's statistic.
    pub degrees: Vec<f64>,
    /// The share of the χ² distribution above Bartlett's statistic.
    pub p: Vec<f64>,
    /// The number of rows that counted.
    pub rows: u64,
    /// The number of columns of each view that do not depend on the others: degrees of freedom are counted
    /// from these.
    pub ranks: [u64; 2],
    /// The number of covariates that are neither constant nor depend on others: each takes a dimension from
    /// the rows.
    pub covariates: u64,
}

/// Tests all pairs of small views, without a ridge, by all rows. An error if views are wide, rows are
/// weighted, or rows are too few.
pub fn wilks(pair: &InMemory, watch: &dyn Watch) -> Result<Wilks> {
    let shape = pair.shape();
    let settings = Settings::new(Method::auto(), shape.x_cols.min(shape.y_cols).min(shape.rows));
    let refused =
        |value: String, expected: &'static str| Error::Setting { name: "Wilks' test", value, expected };
    if (0..shape.rows).any(|row| ![0.0, 1.0].contains(&pair.weight(row))) {
        return Err(refused("asked of weighted rows".into(), "rows that count once"));
    }
    let found = if is_narrow(pair, &settings) { Some(fit(pair, &settings, watch)?) } else { None };
    let Some((found, ranks)) = found.and_then(|found| found.ranks.map(|ranks| (found, ranks))) else {
        let value = format!("asked of {} + {} columns", shape.x_cols, shape.y_cols);
        return Err(refused(value, "at most some thousand columns"));
    };
    let rows = (0..shape.rows).filter(|&row| pair.weight(row) > 0.0).count() as u64;
    let covariates = found.decisions.iter().find_map(|decision| match decision {
        Decision::CovariatesTakenOut { independent, .. } => Some(*independent),
        _ => None,
    });
    let covariates = covariates.unwrap_or(0);
    if rows <= covariates + ranks[0] + ranks[1] + 1 {
        let beside = if covariates > 0 { format!(", with {covariates} covariates") } else { String::new() };
        let value =
            format!("asked of {rows} rows and {} + {} independent columns{beside}", ranks[0], ranks[1]);
        return Err(refused(value, "many more rows than columns and covariates"));
    }
    Ok(Wilks::new(found.model.correlations, rows, ranks, covariates))
}

impl Wilks {
    /// Computes the test from all correlations that differ from zero. There are as many pairs as the
    /// smaller rank.
    fn new(mut correlations: Vec<f64>, rows: u64, ranks: [u64; 2], covariates: u64) -> Self {
        let [p, q] = ranks.map(|rank| rank as f64);
        let pairs = ranks[0].min(ranks[1]) as usize;
        correlations.resize(pairs, 0.0);
        let factor = (rows - covariates) as f64 - 1.0 - (p + q + 1.0) / 2.0;
        let mut logarithms = vec![0.0; pairs + 1];
        for j in (0..pairs).rev() {
            let left = (1.0 - correlations[j].powi(2)).max(f64::MIN_POSITIVE);
            logarithms[j] = logarithms[j + 1] + left.ln();
        }
        let of_pair = |value: &dyn Fn(usize) -> f64| (0..pairs).map(value).collect::<Vec<f64>>();
        let degrees = of_pair(&|j| (p - j as f64) * (q - j as f64));
        let chi_square = of_pair(&|j| -factor * logarithms[j]);
        Wilks {
            lambda: of_pair(&|j| logarithms[j].exp()),
            p: of_pair(&|j| upper_share(degrees[j] / 2.0, chi_square[j] / 2.0)),
            chi_square,
            degrees,
            correlations,
            rows,
            ranks,
            covariates,
        }
    }
}

/// Γ(a, x)/Γ(a), the share of a gamma distribution above x: by its series below a + 1 and by its continued
/// fraction above.
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
    use faer::Mat;
    use rayon::prelude::*;

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
        let y = Mat::from_fn(200, 3, |i, j| noise[(i, j)] + if j == 0 { x[(i, 0)] } else { 0.0 });
        let pair = InMemory::new(from_dense(x.as_ref()), from_dense(y.as_ref())).unwrap();
        let result = wilks(&pair, &()).unwrap();
        assert_eq!(result.degrees, [12.0, 6.0, 2.0]);
        assert!(result.p[0] < 1e-10 && result.p[1] > 0.01, "{:?}", result.p);
        assert!((result.lambda[2] - (1.0 - result.correlations[2].powi(2))).abs() < 1e-12);
    }

    #[test]
    fn what_the_test_does_not_hold_for_is_refused() {
        let view = |rows, cols, seed| from_dense(random_mat(rows, cols, seed).as_ref());
        let few = InMemory::new(view(9, 4, 1), view(9, 4, 2)).unwrap();
        assert!(wilks(&few, &()).unwrap_err().to_string().contains("many more rows than columns"));
        let with_covariates = |columns| {
            let pair = InMemory::new(view(14, 4, 1), view(14, 4, 2)).unwrap();
            wilks(&pair.with_covariates(view(14, columns, 3)).unwrap(), &())
        };
        assert!(with_covariates(4).is_ok());
        assert!(with_covariates(5).unwrap_err().to_string().contains("with 5 covariates"));
        let weights: Vec<f64> = (0..40).map(|row| 1.0 + f64::from(row % 2)).collect();
        let weighted = InMemory::new(view(40, 2, 1), view(40, 2, 2)).unwrap().weighted(weights.into());
        assert!(wilks(&weighted.unwrap(), &()).unwrap_err().to_string().contains("count once"));
    }

    /// Weight, waist and pulse of twenty members of a fitness club (Linnerud), against chin-ups, sit-ups and
    /// jumps.
    const CLUB: [[f64; 6]; 20] = [
        [191.0, 36.0, 50.0, 5.0, 162.0, 60.0],
        [189.0, 37.0, 52.0, 2.0, 110.0, 60.0],
        [193.0, 38.0, 58.0, 12.0, 101.0, 101.0],
        [162.0, 35.0, 62.0, 12.0, 105.0, 37.0],
        [189.0, 35.0, 46.0, 13.0, 155.0, 58.0],
        [182.0, 36.0, 56.0, 4.0, 101.0, 42.0],
        [211.0, 38.0, 56.0, 8.0, 101.0, 38.0],
        [167.0, 34.0, 60.0, 6.0, 125.0, 40.0],
        [176.0, 31.0, 74.0, 15.0, 200.0, 40.0],
        [154.0, 33.0, 56.0, 17.0, 251.0, 250.0],
        [169.0, 34.0, 50.0, 17.0, 120.0, 38.0],
        [166.0, 33.0, 52.0, 13.0, 210.0, 115.0],
        [154.0, 34.0, 64.0, 14.0, 215.0, 105.0],
        [247.0, 46.0, 50.0, 1.0, 50.0, 50.0],
        [193.0, 36.0, 46.0, 6.0, 70.0, 31.0],
        [202.0, 37.0, 62.0, 12.0, 210.0, 120.0],
        [176.0, 37.0, 54.0, 4.0, 60.0, 25.0],
        [157.0, 32.0, 52.0, 11.0, 230.0, 80.0],
        [156.0, 33.0, 54.0, 15.0, 225.0, 73.0],
        [138.0, 33.0, 68.0, 2.0, 110.0, 43.0],
    ];

    #[test]
    fn the_fitness_club_has_the_values_that_sas_prints() {
        let columns = |from: usize, dependent: bool| {
            Mat::from_fn(20, 3 + usize::from(dependent), |i, j| match j {
                3 => CLUB[i][from] - 2.0 * CLUB[i][from + 1] + 7.0,
                _ => CLUB[i][from + j],
            })
        };
        // SAS/STAT User's Guide, the first example of PROC CANCORR. A column that depends on others, in
        // either view, changes nothing.
        for dependent in [[false, false], [true, false], [false, true], [true, true]] {
            let [x, y] = [columns(0, dependent[0]), columns(3, dependent[1])];
            let pair = InMemory::new(from_dense(x.as_ref()), from_dense(y.as_ref())).unwrap();
            let result = wilks(&pair, &()).unwrap();
            let near = |found: &[f64], expected: [f64; 3], error: f64| {
                found.iter().zip(expected).all(|(a, b)| (a - b).abs() < error)
            };
            assert!(near(&result.correlations, [0.795608, 0.200556, 0.072570], 1e-6), "{result:?}");
            assert!(near(&result.lambda, [0.35039053, 0.95472266, 0.99473355], 1e-8), "{result:?}");
            assert_eq!((result.degrees.as_slice(), result.ranks), ([9.0, 4.0, 1.0].as_slice(), [3, 3]));
        }
    }

    #[test]
    fn categories_count_as_often_as_they_are_free() {
        // Indicators of three and of four categories have the ranks 2 and 3.
        let (shade, size) = (random_mat(200, 1, 5), random_mat(200, 1, 6));
        let indicator = |value: f64, categories: usize, j: usize| {
            f64::from(u8::from(((value.abs() * 100.0) as usize) % categories == j))
        };
        let x = Mat::from_fn(200, 3, |i, j| indicator(shade[(i, 0)], 3, j));
        let y = Mat::from_fn(200, 4, |i, j| indicator(size[(i, 0)], 4, j));
        let pair = InMemory::new(from_dense(x.as_ref()), from_dense(y.as_ref())).unwrap();
        let result = wilks(&pair, &()).unwrap();
        assert_eq!((result.degrees.as_slice(), result.ranks), ([6.0, 2.0].as_slice(), [2, 3]));
        // −ln Λ times the rows is about the χ² of the table of both categories.
        assert!(result.p[0] > 0.001, "{result:?}");
    }

    #[test]
    fn noise_with_covariates_is_found_significant_as_often_as_promised() {
        // 60 rows, 30 covariates and one that depends on them, views that follow the covariates and are
        // independent otherwise.
        const SETS: u64 = 1000;
        let is_significant = |set: &u64| {
            let z = random_mat(60, 30, 4 * set + 1);
            let z = Mat::from_fn(60, 31, |i, j| if j < 30 { z[(i, j)] } else { z[(i, 0)] - z[(i, 1)] + 3.0 });
            let view = |columns: usize, seed: u64| {
                let (noise, effect) = (random_mat(60, columns, seed), random_mat(31, columns, seed + 10_000));
                from_dense((noise + &z * effect).as_ref())
            };
            let pair = InMemory::new(view(3, 4 * set + 2), view(2, 4 * set + 3)).unwrap();
            let pair = pair.with_covariates(from_dense(z.as_ref())).unwrap();
            let result = wilks(&pair, &()).unwrap();
            assert_eq!((result.rows, result.covariates, result.ranks), (60, 30, [3, 2]));
            result.p[0] < 0.05
        };
        let found = (0..SETS).into_par_iter().filter(is_significant).count();
        assert!((40..=60).contains(&found), "{found} of {SETS}");
    }
}
