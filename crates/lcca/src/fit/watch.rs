//! Looking on while a fit runs. The core has no clock and prints nothing: whoever watches does.

use super::Checkpoint;
use crate::data::Cost;
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;

/// One finished iteration.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct TraceRow {
    /// Counted from 1.
    pub iteration: usize,
    /// Passes so far; one view alone is half a pass.
    pub passes: f64,
    /// Passes over Gram matrices so far.
    #[serde(default)]
    pub gram_passes: f64,
    /// Work so far, in products XᵀX·W of k columns.
    pub work: f64,
    /// Captured correlation of the current subspaces.
    pub total: f64,
    /// An estimate of what is still missing from the objective's total, where the method has one by then.
    #[serde(default)]
    pub missing: Option<f64>,
    /// Seconds so far, by the watcher's clock.
    pub seconds: f64,
}

/// Told about every pass and iteration, may stop the fit, and keeps the time.
pub trait Watch: Sync {
    /// After every pass. A break ends the fit with [`Error::Interrupted`](crate::Error::Interrupted).
    fn pass(&self, _cost: Cost) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    /// After every iteration.
    fn iteration(&self, _row: &TraceRow) {}

    /// Whether the state after this iteration is wanted; `last` where no other follows, or the fit is being stopped.
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

/// Nobody watches; seconds are all 0.
impl Watch for () {}

/// Watches one of several fits, on top of what was spent before it. Nobody goes on from the middle of them.
pub(super) struct Further<'a> {
    pub watch: &'a dyn Watch,
    pub before: Cost,
}

impl Watch for Further<'_> {
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
