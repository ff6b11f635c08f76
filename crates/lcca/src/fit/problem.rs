//! What every method works with: the data, centred and counted, and the settings.

use super::{Checkpoint, TraceRow, Watch};
use crate::data::{Cost, Counting, JointGram, Normal, Pair, Side};
use crate::error::Result;
use crate::matrix::LANES;
use crate::method::{Inner, Settings};
use crate::solve::{Resources, Solver};
use crate::svd;
use std::cell::Cell;

/// Where no limit is given, a fit that does not converge ends after this many passes.
const MOST_PASSES: f64 = 5000.0;

/// Least-squares problems are solved to this share of the tolerance, so that what is left of them does not count.
const INNER_SHARE: f64 = 1e-2;

/// The data as a method sees them: centred, where that is wanted.
pub(super) struct Data<'a> {
    pub(super) rows: &'a dyn Pair,
    /// The same known by its Gram matrices.
    pub(super) grams: Option<&'a dyn Pair>,
    /// Those matrices, not centred.
    pub(super) joint: Option<&'a JointGram>,
    pub(super) means: Option<[Vec<f64>; 2]>,
    /// The state to go on from, until a loop takes it.
    pub(super) from: Cell<Option<Checkpoint>>,
}

/// What every method works with.
pub(super) struct Problem<'a> {
    pub(super) pair: &'a Counting<'a>,
    pub(super) normals: [Normal<'a>; 2],
    /// In Gram mode, the matrices that `pair` stands on, not centred.
    pub(super) joint: Option<&'a JointGram>,
    pub(super) means: Option<&'a [Vec<f64>; 2]>,
    pub(super) settings: &'a Settings,
    pub(super) watch: &'a dyn Watch,
    /// The state to go on from, until the loop takes it.
    pub(super) from: &'a Cell<Option<Checkpoint>>,
}

impl<'a> Problem<'a> {
    pub(super) fn new(
        pair: &'a Counting<'a>,
        data: &'a Data<'_>,
        settings: &'a Settings,
        watch: &'a dyn Watch,
    ) -> Result<Self> {
        let normals =
            [Normal::new(pair, Side::X, settings.ridge_x)?, Normal::new(pair, Side::Y, settings.ridge_y)?];
        let Data { joint, ref means, ref from, .. } = *data;
        Ok(Problem { pair, normals, joint, means: means.as_ref(), settings, watch, from })
    }

    pub(super) fn inner(&self, inner: Inner) -> Solver {
        match inner {
            Inner::Cholesky => Solver::Cholesky,
            Inner::Cg { t2 } => Solver::Cg { steps: t2, tol: INNER_SHARE * self.settings.tol },
        }
    }

    /// The inverse diagonals of C + λI of both views.
    pub(super) fn inverse_diagonals(&self) -> Result<[Vec<f64>; 2]> {
        let [x, y] = self.normals;
        Ok([x.inverse_diagonal()?, y.inverse_diagonal()?])
    }

    /// Columns that a block method carries: more than k, so that the k-th pair is not slowed by the next.
    pub(super) fn block(&self) -> usize {
        let Settings { k, oversample, .. } = *self.settings;
        let shape = self.pair.shape();
        // Up to whole cache lines: the padding would be multiplied anyway.
        let usual = (k + (k / 2).clamp(4, 50)).next_multiple_of(LANES);
        oversample.map_or(usual, |more| k + more).min(shape.x_cols).min(shape.y_cols)
    }

    /// Whether no more passes are allowed.
    pub(super) fn is_spent(&self) -> bool {
        let Cost { passes, gram_passes, .. } = self.pair.cost();
        passes + gram_passes >= self.settings.max_passes.unwrap_or(MOST_PASSES)
    }

    pub(super) fn resources(&self) -> Resources {
        let Settings { oversample, power, seed, memory, .. } = *self.settings;
        let oversample = oversample.unwrap_or(svd::Options::default().oversample);
        Resources { memory, svd: svd::Options { oversample, power, seed } }
    }

    pub(super) fn trace_row(&self, iteration: usize, total: f64, missing: Option<f64>) -> TraceRow {
        let cost = self.pair.cost();
        let work = cost.work(self.settings.k);
        let Cost { passes, gram_passes, .. } = cost;
        let seconds = self.watch.seconds();
        let row = TraceRow { iteration, passes, gram_passes, work, total, missing, seconds };
        self.watch.iteration(&row);
        row
    }
}
