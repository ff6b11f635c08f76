//! Fits whose state is saved as they go, and that go on from it.

use crate::failure::Failure;
use crate::run::{Reporter, warn};
use lcca::data::{Cost, Pair};
use lcca::fit::{Checkpoint, Fit, TraceRow, Watch};
use lcca::method::Settings;
use lcca_io::{Identity, Saver, remove_checkpoint};
use pyo3::prelude::*;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

/// Reports, and saves.
struct SavedFit<'a, T> {
    reporter: &'a Reporter<T>,
    saver: Saver,
    seconds_before: f64,
}

/// Fits, from where the file says or from the beginning; and the seconds of all runs together.
pub fn resumable<T: Send>(
    path: &Path,
    pair: &dyn Pair,
    settings: &Settings,
    reporter: &Reporter<T>,
) -> Result<(Fit, f64), Failure> {
    let every = Duration::from_secs_f64(Saver::EVERY_SECONDS);
    let (saver, from) = Saver::open(path, every, Identity::of(pair, settings)?)?;
    let seconds_before =
        from.as_ref().and_then(|from| from.trace.last()).map_or(0.0, |row: &TraceRow| row.seconds);
    let watch = SavedFit { reporter, saver, seconds_before };
    let outcome = match from {
        Some(from) => lcca::fit::resume(from, pair, settings, &watch),
        None => lcca::fit::fit(pair, settings, &watch),
    };
    let fit = outcome.map_err(|error| match error {
        lcca::Error::Checkpoint { .. } => Failure::Usage(format!("{}: {error}", path.display())),
        error => error.into(),
    })?;
    Ok((fit, watch.seconds()))
}

/// Once nothing can come between: a converged fit needs its state no more, any other may be gone on with.
pub fn settle(py: Python<'_>, path: &Path, fit: &Fit) -> PyResult<()> {
    match fit.converged.then(|| remove_checkpoint(path)) {
        Some(Err(failure)) => warn(py, &format!("the state is not removed: {failure}")),
        _ => Ok(()),
    }
}

impl<T: Send> Watch for SavedFit<'_, T> {
    fn pass(&self, cost: Cost) -> ControlFlow<()> {
        self.reporter.pass(cost)
    }

    fn iteration(&self, row: &TraceRow) {
        self.reporter.iteration(row);
    }

    fn wants_checkpoint(&self, iteration: usize, last: bool) -> bool {
        self.saver.wants(iteration, last || self.reporter.stops())
    }

    fn checkpoint(&self, state: Checkpoint) {
        if let Some(complaint) = self.saver.save(&state) {
            self.reporter.warn(complaint);
        }
    }

    fn seconds(&self) -> f64 {
        self.seconds_before + self.reporter.seconds()
    }
}
