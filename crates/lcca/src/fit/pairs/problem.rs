//! What every method works with: the data, centered and counted, and the settings.

use super::products::Products;
use crate::data::grams::joint_single;
use crate::data::{Counting, JointGram, Normal, Pair, Shape, Side};
use crate::error::{Error, Result};
use crate::matrix::{LANES, Panel};
use crate::method::Settings;
use crate::outcome::Decision;
use crate::random;
use crate::solve::Resources;
use crate::space::{Mixed, Space};
use crate::svd;
use crate::watch::{Checkpoint, Cost, TraceRow, Watch};

/// If no limit is given, a fit that does not converge ends after this many passes.
const MOST_PASSES: f64 = 5000.0;
/// Least-squares problems are solved to this share of the tolerance, so that their own error does not count.
const INNER_SHARE: f64 = 1e-2;

/// With fewer columns of both views, panels stay in cache and single precision gains little.
const SINGLE: usize = 20_000;

/// Sums of squares of columns whose products have room in single precision.
const MAGNITUDES: std::ops::Range<f64> = 1e-30..1e30;

/// A space like `space` whose panels are in single precision at first, if it has one and LOBPCG on the Gram
/// matrices `grams` gains by it.
pub(in crate::fit) fn rough_space<'a>(
    grams: &dyn Pair,
    space: &'a dyn Space,
    settings: &Settings,
) -> Option<Mixed<'a>> {
    let mixed = Mixed::beside(space)?;
    let shape = grams.shape();
    let has_room = |&square: &f64| square == 0.0 || MAGNITUDES.contains(&square);
    let fits = |side: Side| grams.moments(side).is_ok_and(|moments| moments.square.iter().all(has_room));
    let pays = settings.is_cca() && shape.x_cols + shape.y_cols >= SINGLE && Side::BOTH.into_iter().all(fits);
    let composition = grams.composition().filter(|_| pays)?;
    joint_single::grams_of(&composition).map(|_| mixed)
}

/// The columns of [`Problem::block`] for views of some shape.
pub(in crate::fit) fn block_columns(settings: &Settings, shape: Shape) -> usize {
    let Settings { k, oversample, .. } = *settings;
    // Half as many again costs less than the iterations it saves, measured on sentences and paths. Rounding
    // up to whole cache lines is free: the padding would be multiplied anyway.
    let usual = (k + (k / 2).clamp(4, 50)).next_multiple_of(LANES);
    oversample.map_or(usual, |more| k + more).min(shape.x_cols).min(shape.y_cols)
}

/// Where a loop starts.
pub(in crate::fit) enum Start {
    /// From random weights.
    Random,
    /// From the weights of another fit, whose costs do not count here.
    Warm([Panel; 2]),
    /// From a checkpoint of the same fit, whose costs and trace continue.
    Resume(Checkpoint),
}

/// Weights that span what a method found, and how it got there.
pub(in crate::fit) struct RawFit {
    /// Without columns if the products are known and the whole block is not wanted.
    pub weights: [Panel; 2],
    pub trace: Vec<TraceRow>,
    /// How the method ended, if it iterates and knows.
    pub end: Option<End>,
    /// What was decided on the way.
    pub decisions: Vec<Decision>,
    /// The weights' products, if they are known as exactly as a pass would tell them.
    pub products: Option<Products>,
    /// Independent columns of each view, if the method found them all.
    pub ranks: Option<[usize; 2]>,
}

/// How an iteration ended.
pub(in crate::fit) struct End {
    /// An estimate of what is still missing from the objective's total.
    pub missing: Option<f64>,
    /// That total, as the iteration knows it.
    pub total: f64,
    /// Whether the tolerance was reached and nothing speaks against it.
    pub is_sure: bool,
}

impl End {
    /// The end of a method that cannot tell what is missing.
    pub fn unknown() -> Self {
        End { missing: Some(f64::INFINITY), total: 0.0, is_sure: false }
    }
}

/// The state of a loop between two iterations, which is copied only if the watcher wants it.
pub(in crate::fit) trait Snapshot {
    /// Iterations done.
    fn iteration(&self) -> usize;

    /// A copy, with what was spent so far.
    fn copy(&self, cost: Cost) -> Result<Checkpoint>;
}

/// What every method works with.
#[derive(Clone, Copy)]
pub(in crate::fit) struct Problem<'a> {
    /// The rows, or their Gram matrices; centered if the settings say so, and counted.
    pub pair: &'a Counting<'a>,
    pub normals: [Normal<'a>; 2],
    /// The units of B of each view; see [`Problem::normals`].
    pub units: [f64; 2],
    /// In Gram mode, the matrices that `pair` stands on, not centered.
    pub joint: Option<&'a JointGram>,
    /// The column means that are subtracted.
    pub means: Option<&'a [Vec<f64>; 2]>,
    /// The products of the columns with an orthonormal basis of the covariates, whose part is taken out.
    pub along: Option<&'a [Panel; 2]>,
    /// Where the tall panels of the default method live.
    pub space: &'a dyn Space,
    pub settings: &'a Settings,
    pub watch: &'a dyn Watch,
    /// Whether the whole block of weights is wanted in the end: another fit starts from it, or rows tell its
    /// products more exactly.
    pub keeps_weights: bool,
}

#[cfg(test)]
impl<'a> Problem<'a> {
    /// The problem of a pair as it is, on the host, for tests. `joint` is the pair's Gram matrix, if passes go
    /// over that.
    pub fn plain(pair: &'a Counting<'a>, settings: &'a Settings, joint: Option<&'a JointGram>) -> Self {
        let units = [1.0; 2];
        Problem {
            pair,
            normals: Problem::normals(pair, settings, units).unwrap(),
            units,
            joint,
            means: None,
            along: None,
            space: &crate::space::Host,
            settings,
            watch: &(),
            keeps_weights: false,
        }
    }
}

impl<'a> Problem<'a> {
    /// The metric B of both views. With `units` u, a view whose metric is not that of CCA has B = u·n·I, and
    /// lengths and objective values are measured in √u until the end.
    pub fn normals(pair: &'a Counting<'a>, settings: &Settings, units: [f64; 2]) -> Result<[Normal<'a>; 2]> {
        let normal = |side: Side| -> Result<Normal<'a>> {
            if settings.metric_of(side).is_cca() {
                return Normal::new(pair, side, settings.ridge_of(side));
            }
            let rows = pair.moments(side)?.weight;
            Ok(Normal::identity(pair, side, units[side as usize] * rows))
        };
        Ok([normal(Side::X)?, normal(Side::Y)?])
    }

    /// What an objective value is multiplied by to become a covariance, with n as divisor, of variables whose
    /// weights have length 1 in views whose metric is not that of CCA; 1 if both are.
    pub fn unit(&self) -> f64 {
        self.units.iter().product::<f64>().sqrt()
    }

    /// The largest value that an objective can have: a correlation is at most 1.
    pub fn largest_objective(&self) -> f64 {
        if self.settings.is_cca() { 1.0 } else { f64::INFINITY }
    }

    /// Whether B of a view is a multiple of I.
    pub fn identities(&self) -> [bool; 2] {
        self.normals.map(|normal| normal.is_identity)
    }

    pub fn ridges(&self) -> [f64; 2] {
        self.normals.map(|normal| normal.ridge)
    }

    /// The inverse diagonals of B of both views.
    pub fn inverse_diagonals(&self) -> Result<[Vec<f64>; 2]> {
        let [x, y] = self.normals;
        Ok([x.inverse_diagonal()?, y.inverse_diagonal()?])
    }

    /// Columns that a block method carries: more than k, so that the k-th pair is not slowed down by the
    /// next.
    pub fn block(&self) -> usize {
        block_columns(self.settings, self.pair.shape())
    }

    /// Random weights for one view, each row divided by the length of its column of the data. If frequencies
    /// differ by orders of magnitude, X·W would otherwise hold little but the most frequent columns.
    pub fn random_weights(&self, side: Side, columns: usize, purpose: random::Purpose) -> Result<Panel> {
        let normal = self.normals[side as usize];
        let (size, inverse) = (normal.size(), normal.inverse_diagonal()?);
        let root = |row: usize| inverse[row].sqrt();
        Ok(random::scaled_normal_panel(size, columns, self.settings.seed, purpose, root))
    }

    /// Whether no more passes are allowed.
    pub fn is_spent(&self) -> bool {
        let Cost { passes, gram_passes, .. } = self.pair.cost();
        passes + gram_passes >= self.settings.max_passes.unwrap_or(MOST_PASSES)
    }

    pub fn resources(&self) -> Resources {
        let Settings { oversample, power, seed, memory, tol, .. } = *self.settings;
        let oversample = oversample.unwrap_or(svd::Options::default().oversample);
        Resources { memory, svd: svd::Options { oversample, power, seed }, tol: INNER_SHARE * tol }
    }

    /// Makes the trace row of a finished iteration and tells the watcher.
    pub fn trace_row(&self, iteration: usize, total: f64, missing: Option<f64>) -> TraceRow {
        let cost = self.pair.cost();
        let work = cost.work(self.settings.k);
        let Cost { passes, gram_passes, .. } = cost;
        let seconds = self.watch.seconds();
        let row = TraceRow { iteration, passes, gram_passes, work, total, missing, seconds };
        self.watch.iteration(&row);
        row
    }

    /// Offers the state after an iteration to the watcher. `last` says that no other iteration follows.
    pub fn checkpoint(&self, snapshot: &dyn Snapshot, last: bool) -> Result<()> {
        let iteration = snapshot.iteration();
        if iteration > 0 && self.watch.wants_checkpoint(iteration, last) {
            self.watch.checkpoint(snapshot.copy(self.pair.cost())?);
        }
        Ok(())
    }

    /// The outcome of an iteration's passes. If they were interrupted, the state before them is offered a
    /// last time.
    pub fn keep<T>(&self, outcome: Result<T>, before: &dyn Snapshot) -> Result<T> {
        if let Err(Error::Interrupted) = outcome {
            self.checkpoint(before, true)?;
        }
        outcome
    }
}
