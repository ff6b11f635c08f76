//! Tests whether correlations on held-out rows could be chance: a permutation test.
//!
//! The weights are fixed, because they were found on other rows. If the two views are independent, the rows
//! of Y's scores can be dealt to the rows of X's in any order without changing how their correlations are
//! distributed. The observed ones are therefore compared with those of random orders, which is exact for
//! any number of rows and any distribution. Rows must be independent of each other, unless the caller says
//! which may change places (`exchange`). They must not have been trained on: weights that have seen the
//! rows make chance look large, and permuting scores does not undo that. Covariates are taken out of the
//! scores (`project_out`), which is exact for normal errors.
//!
//! For several pairs at once p-values are stepped down (Westfall & Young 1993): the largest correlation is
//! compared with the largest of all pairs under each order, the next with the largest of those left, and so
//! on. No p-value is smaller than the one before. The chance that any of them falls below α without cause
//! is at most α. The cost is n·k for each order, and the memory 16·n·k bytes.

use super::dealt::Observed;
use super::drawn::Draws;
use super::exchange::{Exchange, Orders};
use super::project_out::Projection;
use crate::data::Side;
use crate::error::{Error, Result};
use crate::fit::models::model::Model;
use crate::matrix::{LANES, Line, Matrix, Panel};
use crate::space::{Host, Space};
use crate::watch::Watch;
use rayon::prelude::*;

/// Less than this share of a column's squares about its mean is rounding.
const ROUNDING: f64 = 1e-13;
/// The number of rows that one thread sums up or changes at a time.
const PIECE: usize = 1 << 14;

/// The result of a permutation test.
#[derive(Clone, Debug, PartialEq)]
pub struct Significance {
    /// The correlation of each pair on the given rows.
    pub correlations: Vec<f64>,
    /// For each pair alone, the share of orders, the observed one included, in which it correlates at least
    /// as much.
    pub p: Vec<f64>,
    /// For each pair, the p-value that controls the chance of any false finding among all pairs.
    pub adjusted: Vec<f64>,
    /// The number of random orders drawn.
    pub permutations: usize,
}

/// How to test.
#[derive(Clone, Copy, Debug)]
pub struct PermutationTest<'a> {
    /// The number of random orders to draw.
    pub permutations: usize,
    /// The seed of the orders.
    pub seed: u64,
    /// Which rows may change places.
    pub exchange: Exchange<'a>,
    /// Columns whose linear influence on both views is taken out, one row per row.
    pub covariates: Option<&'a Matrix>,
}

impl PermutationTest<'static> {
    /// A test with `permutations` orders of all rows.
    pub fn new(permutations: usize, seed: u64) -> Self {
        PermutationTest { permutations, seed, exchange: Exchange::Rows, covariates: None }
    }
}

impl Model {
    /// Tests the correlation of each pair on rows that were **not** trained on; the module says how.
    pub fn permutation_test(
        &self,
        x: &Matrix,
        y: &Matrix,
        test: &PermutationTest<'_>,
        watch: &dyn Watch,
    ) -> Result<Significance> {
        self.permutation_test_in(&Host, x, y, test, watch)
    }

    /// Tests the correlation of each pair as [`Model::permutation_test`] does, but deals the rows to each
    /// other in `space` if that is faster there than on the host. The answer is the same.
    pub fn permutation_test_in(
        &self,
        space: &dyn Space,
        x: &Matrix,
        y: &Matrix,
        test: &PermutationTest<'_>,
        watch: &dyn Watch,
    ) -> Result<Significance> {
        if x.rows() != y.rows() {
            return Err(Error::RowsDiffer { x: x.rows(), y: y.rows() });
        }
        // A model subtracts a function of the covariates by its own coefficients, and all linear functions
        // of the covariates are taken out below in any case.
        let known = test.covariates.filter(|_| self.covariate_columns() > 0);
        let scores =
            [self.transform_all_with(Side::X, x, known)?, self.transform_all_with(Side::Y, y, known)?];
        test_scores(scores, self.settings.center, test, space, watch)
    }
}

/// Tests canonical variables of rows that were not trained on; the means of these rows are subtracted if
/// `center`.
pub(in crate::fit) fn test_scores(
    scores: [Panel; 2],
    center: bool,
    test: &PermutationTest<'_>,
    space: &dyn Space,
    watch: &dyn Watch,
) -> Result<Significance> {
    let rows = scores[0].rows();
    let all = || (0..rows).collect::<Vec<_>>();
    let ([mut x, mut y], kept, center) = match test.covariates {
        None => (scores, all(), center),
        Some(covariates) => {
            let projection = Projection::new(covariates, rows, center)?;
            // The constant was taken out with the covariates.
            (scores.map(|scores| projection.apply(&scores)), projection.kept, false)
        }
    };
    [&mut x, &mut y].into_iter().for_each(|scores| standardize(scores, center));
    let orders = Orders::new(test.exchange, rows, &kept)?;
    test_orders([&x, &y], &orders, test.permutations, test.seed, space, watch)
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
    permutation_test_in(&Host, x, y, permutations, seed, watch)
}

/// Tests correlations as [`permutation_test`] does, but in `space` if that deals rows to each other faster
/// than the host.
pub fn permutation_test_in(
    space: &dyn Space,
    x: &Panel,
    y: &Panel,
    permutations: usize,
    seed: u64,
    watch: &dyn Watch,
) -> Result<Significance> {
    test_orders([x, y], &Orders::All(x.rows()), permutations, seed, space, watch)
}

/// Tests the correlations of columns of `x` and `y` with given orders of the rows.
fn test_orders(
    [x, y]: [&Panel; 2],
    orders: &Orders,
    permutations: usize,
    seed: u64,
    space: &dyn Space,
    watch: &dyn Watch,
) -> Result<Significance> {
    if permutations == 0 {
        return Err(Error::Setting { name: "permutations", value: "0".into(), expected: "at least 1" });
    }
    let observed = Observed::new(x, y);
    let counts = observed.count([x, y], &Draws { orders, count: permutations, seed }, space, watch)?;
    let share = |count: &u64| (1 + count) as f64 / (1 + permutations) as f64;
    let mut adjusted = vec![0.0; counts.alone.len()];
    let mut largest = 0.0f64;
    for &pair in &observed.descending {
        largest = largest.max(share(&counts.by_largest[pair]));
        adjusted[pair] = largest;
    }
    Ok(Significance {
        p: counts.alone.iter().map(share).collect(),
        adjusted,
        correlations: observed.correlations,
        permutations,
    })
}

/// Columns of length one, about their means if `center`; a column without length becomes zero.
fn standardize(scores: &mut Panel, center: bool) {
    let rows = scores.rows();
    let mut mean = vec![0.0; scores.cols()];
    if center {
        mean =
            column_sums(scores, |sum, row| sum.iter_mut().zip(row).for_each(|(m, s)| *m += s / rows as f64));
        change_rows(scores, |row| row.iter_mut().zip(&mean).for_each(|(score, mean)| *score -= mean));
    }
    let square = column_sums(scores, |sum, row| sum.iter_mut().zip(row).for_each(|(sum, s)| *sum += s * s));
    // If almost all of a column is its mean, the remainder is rounding.
    let varies = |(&square, mean): (&f64, &f64)| square > ROUNDING * (square + rows as f64 * mean * mean);
    let scale: Vec<f64> =
        square.iter().zip(&mean).map(|both| if varies(both) { both.0.sqrt().recip() } else { 0.0 }).collect();
    change_rows(scores, |row| row.iter_mut().zip(&scale).for_each(|(score, scale)| *score *= scale));
}

/// A sum for each column over all rows. Threads sum up pieces of a fixed size, so that the result does not
/// depend on the number of threads.
fn column_sums(scores: &Panel, add: impl Fn(&mut [f64], &[f64]) + Sync) -> Vec<f64> {
    let piece = |first: usize| {
        let mut sums = vec![0.0; scores.cols()];
        (first..scores.rows().min(first + PIECE)).for_each(|row| add(&mut sums, scores.row(row)));
        sums
    };
    let pieces: Vec<Vec<f64>> = (0..scores.rows()).into_par_iter().step_by(PIECE).map(piece).collect();
    let mut total = vec![0.0; scores.cols()];
    pieces.iter().for_each(|sums| total.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum));
    total
}

/// Changes every row. The padding after its last column must stay zero.
fn change_rows(scores: &mut Panel, change: impl Fn(&mut [f64]) + Sync) {
    let (cols, lines) = (scores.cols(), scores.lines_per_row());
    if cols > 0 {
        let rows = scores.lines_mut().par_chunks_mut(PIECE * lines);
        rows.for_each(|piece| {
            let rows = bytemuck::cast_slice_mut::<Line, f64>(piece).chunks_exact_mut(lines * LANES);
            rows.for_each(|row| change(&mut row[..cols]));
        });
    }
}
