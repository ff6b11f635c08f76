//! Fits that save their state while they run, and resume from it.

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

/// A watch that reports progress and saves the state.
struct SavingWatch<'a, T> {
    reporter: &'a Reporter<T>,
    saver: Saver,
    seconds_before: f64,
}

/// Resumes the fit in the file, or starts a fit if there is no file. Returns the fit and the seconds of all
/// its runs together.
pub fn fit_with_state<T: Send>(
    path: &Path,
    pair: &dyn Pair,
    settings: &Settings,
    reporter: &Reporter<T>,
) -> Result<(Fit, f64), Failure> {
    let every = Duration::from_secs_f64(Saver::EVERY_SECONDS);
    let (saver, checkpoint) = Saver::open(path, every, Identity::new(pair, settings)?)?;
    if let Some(remark) = saver.remark() {
        reporter.warn(remark.to_string());
    }
    let seconds_before =
        checkpoint.as_ref().and_then(|state| state.trace.last()).map_or(0.0, |row: &TraceRow| row.seconds);
    let watch = SavingWatch { reporter, saver, seconds_before };
    let outcome = match checkpoint {
        Some(state) => lcca::fit::resume(state, pair, settings, &watch),
        None => lcca::fit::fit(pair, settings, &watch),
    };
    let fit = outcome.map_err(|error| match error {
        lcca::Error::Checkpoint { .. } => Failure::Usage(format!("{}: {error}", path.display())),
        error => error.into(),
    })?;
    Ok((fit, watch.seconds()))
}

/// Removes the state of a converged fit. Any other fit can still be resumed with more passes.
pub fn remove_state_if_converged(py: Python<'_>, path: &Path, fit: &Fit) -> PyResult<()> {
    if !fit.converged {
        return Ok(());
    }
    match remove_checkpoint(path) {
        Ok(_) => Ok(()),
        Err(error) => warn(py, &format!("the state is not removed: {error}")),
    }
}

impl<T: Send> Watch for SavingWatch<'_, T> {
    fn pass(&self, cost: Cost) -> ControlFlow<()> {
        self.reporter.pass(cost)
    }

    fn iteration(&self, row: &TraceRow) {
        self.reporter.iteration(row);
    }

    fn wants_checkpoint(&self, iteration: usize, last: bool) -> bool {
        self.saver.wants(iteration, last || self.reporter.stop_requested())
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
