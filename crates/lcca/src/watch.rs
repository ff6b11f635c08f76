//! Watches a fit while it runs. The watcher has a clock and prints, because the engine does neither.

use crate::matrix::Panel;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::ControlFlow;

/// The cost so far, in readings of the data and multiplications.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// The number of readings of the rows: 1 for both views, ½ for one view alone.
    pub passes: f64,
    /// The number of readings of Gram matrices that were formed from the rows, counted in the same way.
    pub gram_passes: f64,
    /// The number of columns multiplied: ½ for each column of W multiplied with a view's rows, ½ for each
    /// column of a product that is added up. XᵀX·W with k columns counts as k.
    pub columns: f64,
}

impl Cost {
    /// The cost of the multiplied columns, in products XᵀX·W of k columns.
    pub fn work(&self, k: usize) -> f64 {
        self.columns / k as f64
    }
}

impl std::ops::Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            passes: self.passes + other.passes,
            gram_passes: self.gram_passes + other.gram_passes,
            columns: self.columns + other.columns,
        }
    }
}

/// One finished iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceRow {
    /// The number of the iteration, from 1.
    pub iteration: usize,
    /// The number of passes so far; one view alone is half a pass.
    pub passes: f64,
    /// The number of passes over Gram matrices so far.
    #[serde(default)]
    pub gram_passes: f64,
    /// The work so far, in products XᵀX·W of k columns.
    pub work: f64,
    /// The captured correlation of the current subspaces.
    pub total: f64,
    /// An estimate of the share of the objective's total that is still missing, if the method has one at
    /// this point.
    #[serde(default)]
    pub missing: Option<f64>,
    /// The seconds so far, by the watcher's clock.
    pub seconds: f64,
}

/// The loop that a checkpoint belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Loop {
    /// LOBPCG on both views.
    Lobpcg,
    /// LOBPCG on one view, the other being solved for exactly.
    Eliminate,
    /// Alternating least squares with any solver.
    Alternate,
}

impl fmt::Display for Loop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Loop::Lobpcg => "LOBPCG on both views",
            Loop::Eliminate => "LOBPCG with one view eliminated",
            Loop::Alternate => "alternating least squares",
        })
    }
}

/// The state of a fit after an iteration: enough to continue from, in another process if need be.
///
/// A checkpoint holds weights and counts, nothing as long as the rows. A fit that continues gives the right
/// answer for any weights, because it forms their products afresh; a good checkpoint saves the iterations
/// before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// The loop that the checkpoint belongs to.
    pub algorithm: Loop,
    /// The weights of X and Y, p×m. A view that is eliminated has no columns here.
    pub weights: [Panel; 2],
    /// The last step of both views, if the loop keeps one.
    pub step: Option<[Panel; 2]>,
    /// One row per iteration.
    pub trace: Vec<TraceRow>,
    /// The objective's total after every iteration, from which the stopping rule estimates growth.
    pub totals: Vec<f64>,
    /// The missing total after every iteration as the residuals show it, as long as `totals`.
    pub by_residuals: Vec<f64>,
    /// The cost so far.
    pub cost: Cost,
}

/// An observer that is told about every pass and iteration, may stop the fit, and keeps the time.
pub trait Watch: Sync {
    /// Called after every pass. A break ends the fit with [`Error::Interrupted`](crate::Error::Interrupted).
    fn pass(&self, _cost: Cost) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// Called after every iteration.
    fn iteration(&self, _row: &TraceRow) {}

    /// Whether the state after this iteration is wanted. `last` says that no other iteration follows or that
    /// the fit is being stopped.
    fn wants_checkpoint(&self, _iteration: usize, _last: bool) -> bool {
        false
    }

    /// Takes a state that was wanted. The fit waits meanwhile.
    fn checkpoint(&self, _state: Checkpoint) {}

    /// Seconds since the fit began.
    fn seconds(&self) -> f64 {
        0.0
    }
}

/// A watcher that does nothing. Its seconds are all 0.
impl Watch for () {}

/// Watches one of several fits, adding the cost of those before it. It passes no checkpoint on, so the fits
/// cannot be resumed.
pub(crate) struct Continued<'a> {
    pub watch: &'a dyn Watch,
    pub before: Cost,
}

impl Watch for Continued<'_> {
    fn pass(&self, cost: Cost) -> ControlFlow<()> {
        self.watch.pass(self.before + cost)
    }

    fn iteration(&self, row: &TraceRow) {
        let Cost { passes, gram_passes, .. } = self.before;
        let (passes, gram_passes) = (passes + row.passes, gram_passes + row.gram_passes);
        self.watch.iteration(&TraceRow { passes, gram_passes, ..*row });
    }

    fn seconds(&self) -> f64 {
        self.watch.seconds()
    }
}
