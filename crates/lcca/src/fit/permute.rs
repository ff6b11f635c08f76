//! Whether correlations on held-out rows could be chance: a permutation test.
//!
//! The weights are fixed: they were found on other rows. If the two views are independent, the rows of Y's scores can be
//! dealt to the rows of X's in any order without changing how their correlations are distributed. The observed ones are
//! therefore compared with those of random orders, which is exact for any number of rows and any distribution. Rows must be independent of each
//! other, unless it is said which may change places (`exchange`). They must not have been trained on: weights that have seen the rows make chance
//! look large, and permuting scores does not undo that. Covariates are taken out of the scores (`project_out`), which is exact for normal errors.
//!
//! For several pairs at once p-values are stepped down (Westfall & Young 1993): the largest correlation is compared with the
//! largest of all pairs under each order, the next with the largest of those left, and so on. No p-value is smaller than the
//! one before. The chance that any of them falls below α without cause is at most α. Cost n·k for each order; memory 16·n·k bytes.

use super::exchange::{Exchange, Orders};
use super::model::Model;
use super::project_out::Projection;
use crate::data::Side;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Panel};
use crate::random;
use crate::watch::{Cost, Watch};
use rayon::prelude::*;

/// Less than this share of a column's squares about its mean is rounding.
const ROUNDING: f64 = 1e-13;

/// The result of a permutation test.
#[derive(Clone, Debug, PartialEq)]
pub struct Significance {
    /// The correlation of each pair on the given rows.
    pub correlations: Vec<f64>,
    /// For each pair alone, the share of orders, the observed one included, in which it correlates at least as much.
    pub p: Vec<f64>,
    /// The same with the chance of any false finding among all pairs controlled.
    pub adjusted: Vec<f64>,
    /// Random orders drawn.
    pub permutations: usize,
}

/// How to test.
#[derive(Clone, Copy, Debug)]
pub struct PermutationTest<'a> {
    /// Random orders to draw.
    pub permutations: usize,
    /// The seed of the orders.
    pub seed: u64,
    /// What may change places.
    pub exchange: Exchange<'a>,
    /// Columns whose linear influence on both views is taken out, one row per row.
    pub covariates: Option<&'a Matrix>,
}

impl PermutationTest<'static> {
    /// A test with that many orders of all rows.
    pub fn new(permutations: usize, seed: u64) -> Self {
        PermutationTest { permutations, seed, exchange: Exchange::Rows, covariates: None }
    }
}

impl Model {
    /// Tests the correlation of each pair on rows that were **not** trained on; see the module for what is tested.
    pub fn permutation_test(
        &self,
        x: &Matrix,
        y: &Matrix,
        test: &PermutationTest<'_>,
        watch: &dyn Watch,
    ) -> Result<Significance> {
        if x.rows() != y.rows() {
            return Err(Error::RowsDiffer { x: x.rows(), y: y.rows() });
        }
        // What a model takes out by its own coefficients is a function of the covariates, which are taken out below in any case.
        let known = test.covariates.filter(|_| self.covariate_columns() > 0);
        let scores =
            [self.transform_all_with(Side::X, x, known)?, self.transform_all_with(Side::Y, y, known)?];
        test_scores(scores, self.settings.center, test, watch)
    }
}

/// Tests canonical variables of rows that were not trained on; the means of these rows are subtracted if `center`.
pub(super) fn test_scores(
    scores: [Panel; 2],
    center: bool,
    test: &PermutationTest<'_>,
    watch: &dyn Watch,
) -> Result<Significance> {
    let rows = scores[0].rows();
    let all = || (0..rows).collect::<Vec<_>>();
    let ([mut x, mut y], kept, center) = match test.covariates {
        None => (scores, all(), center),
        Some(covariates) => {
            let projection = Projection::new(covariates, rows, center)?;
            // The constant is among what was taken out.
            (scores.map(|scores| projection.apply(&scores)), projection.kept, false)
        }
    };
    [&mut x, &mut y].into_iter().for_each(|scores| standardize(scores, center));
    let orders = Orders::new(test.exchange, rows, &kept)?;
    test_orders(&x, &y, &orders, test.permutations, test.seed, watch)
}

/// Tests the correlations of column i of `x` with column i of `y`, whose columns have length one or zero.
///
/// The same seed gives the same answer on any number of threads.
pub fn permutation_test(
    x: &Panel,
    y: &Panel,
    permutations: usize,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Significance> {
    test_orders(x, y, &Orders::All(x.rows()), permutations, seed, watch)
}

/// The same, with given orders of the rows.
fn test_orders(
    x: &Panel,
    y: &Panel,
    orders: &Orders,
    permutations: usize,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Significance> {
    if permutations == 0 {
        return Err(Error::Setting { name: "permutations", value: "0".into(), expected: "at least 1" });
    }
    let in_order: Vec<u32> = (0..x.rows() as u32).collect();
    let observed = products(x, y, &in_order);
    let mut order: Vec<usize> = (0..observed.len()).collect();
    order.sort_by(|&a, &b| observed[b].total_cmp(&observed[a]));
    let counts = (0..permutations).into_par_iter().map_init(Vec::new, |rows, draw| {
        // Every order starts from the first, so that it depends on its number alone.
        orders.draw(rows, &mut random::generator(seed, random::Purpose::Permutations, draw as u64));
        if watch.pass(Cost::default()).is_break() {
            return Err(Error::Interrupted);
        }
        Ok(Exceeded::by(&products(x, y, rows), &observed, &order))
    });
    let zero = || Ok(Exceeded::none(observed.len()));
    let counts = counts.reduce(zero, |a, b| Ok(a?.plus(&b?)))?;
    let share = |count: &u64| (1 + count) as f64 / (1 + permutations) as f64;
    let mut adjusted = vec![0.0; observed.len()];
    let mut largest = 0.0f64;
    for &pair in &order {
        largest = largest.max(share(&counts.by_largest[pair]));
        adjusted[pair] = largest;
    }
    Ok(Significance {
        p: counts.alone.iter().map(share).collect(),
        adjusted,
        correlations: observed,
        permutations,
    })
}

/// How often chance did at least as well.
struct Exceeded {
    /// For each pair by itself.
    alone: Vec<u64>,
    /// By the largest of the pairs that correlate no more than it does.
    by_largest: Vec<u64>,
}

impl Exceeded {
    fn none(pairs: usize) -> Self {
        Exceeded { alone: vec![0; pairs], by_largest: vec![0; pairs] }
    }

    /// Under one order of the rows. `order` lists the pairs by what was observed, largest first.
    fn by(drawn: &[f64], observed: &[f64], order: &[usize]) -> Self {
        let mut exceeded = Exceeded::none(observed.len());
        let mut largest = f64::NEG_INFINITY;
        for &pair in order.iter().rev() {
            largest = largest.max(drawn[pair]);
            exceeded.alone[pair] = u64::from(drawn[pair] >= observed[pair]);
            exceeded.by_largest[pair] = u64::from(largest >= observed[pair]);
        }
        exceeded
    }

    fn plus(mut self, other: &Self) -> Self {
        let add = |a: &mut [u64], b: &[u64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        add(&mut self.alone, &other.alone);
        add(&mut self.by_largest, &other.by_largest);
        self
    }
}

/// Σ x[i]·y[rows[i]] for each column.
fn products(x: &Panel, y: &Panel, rows: &[u32]) -> Vec<f64> {
    let mut sums = vec![0.0; x.cols().min(y.cols())];
    for (i, &row) in rows.iter().enumerate() {
        let both = x.row(i).iter().zip(y.row(row as usize));
        sums.iter_mut().zip(both).for_each(|(sum, (x, y))| *sum += x * y);
    }
    sums
}

/// Columns of length one, about their means if `center`; a column without length becomes zero.
fn standardize(scores: &mut Panel, center: bool) {
    let rows = scores.rows();
    let mut mean = vec![0.0; scores.cols()];
    if center {
        (0..rows).for_each(|i| mean.iter_mut().zip(scores.row(i)).for_each(|(m, s)| *m += s / rows as f64));
    }
    let mut square = vec![0.0f64; scores.cols()];
    for i in 0..rows {
        for ((score, mean), square) in scores.row_mut(i).iter_mut().zip(&mean).zip(&mut square) {
            *score -= mean;
            *square += *score * *score;
        }
    }
    // If almost all of a column is its mean, what is left is rounding.
    let varies = |(&square, mean): (&f64, &f64)| square > ROUNDING * (square + rows as f64 * mean * mean);
    let scale: Vec<f64> =
        square.iter().zip(&mean).map(|both| if varies(both) { both.0.sqrt().recip() } else { 0.0 }).collect();
    (0..rows)
        .for_each(|i| scores.row_mut(i).iter_mut().zip(&scale).for_each(|(score, scale)| *score *= scale));
}
