//! `--resume FILE`: saves the state of a fit while it runs and when it is interrupted. The same command
//! continues from the file.

use crate::failure::Failure;
use crate::interrupt;
use crate::output::remark;
use crate::progress::FitProgress;
use crate::text;
use lcca::data::{Cost, Pair};
use lcca::fit::{Checkpoint, Fit, TraceRow, Watch};
use lcca::method::Settings;
use lcca_io::{Identity, Saved, Saver, remove_checkpoint};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

/// The file for the state, and the least time between two saves.
#[derive(Clone, Copy)]
pub struct StateFile<'a> {
    pub path: &'a Path,
    pub every: Duration,
    pub quiet: bool,
}

/// Watches a fit and saves its state.
struct SavingWatch<'a> {
    progress: &'a FitProgress,
    saver: Saver,
}

impl StateFile<'_> {
    /// Fits, continuing from the file if it exists. Also returns the last saved iteration, or 0 if none was
    /// saved.
    pub fn fit(
        self,
        pair: &dyn Pair,
        settings: &Settings,
        progress: &mut FitProgress,
    ) -> Result<(Fit, usize), Failure> {
        let (saver, start) = Saver::open(self.path, self.every, Identity::new(pair, settings)?)?;
        if let Some(remark) = saver.remark() {
            self.remark(remark);
        }
        if let Some(start) = &start {
            let (iteration, passes) = (start.trace.len(), text::passes(&start.cost));
            self.remark(&format!("continuing after iteration {iteration}, {passes}"));
            progress.add_earlier_seconds(start.trace.last().map_or(0.0, |row| row.seconds));
        }
        let watch = SavingWatch { progress, saver };
        let result = match start {
            Some(start) => lcca::fit::resume(start, pair, settings, &watch),
            None => lcca::fit::fit(pair, settings, &watch),
        };
        interrupt::set_state_is_savable(false);
        let saved = watch.saver.saved();
        // The steps after the fit may be interrupted too, and then the state is still there.
        interrupt::set_results_are_written(saved.iteration > 0);
        result.map(|fit| (fit, saved.iteration)).map_err(|error| self.failure(error, saved))
    }

    fn failure(self, error: lcca::Error, saved: Saved) -> Failure {
        match (error, saved) {
            (lcca::Error::Interrupted, Saved { failure: Some(failure), .. }) => failure.into(),
            (lcca::Error::Interrupted, Saved { iteration: 0, .. }) => {
                Failure::Interrupted("interrupted, nothing was written".into())
            }
            (lcca::Error::Interrupted, Saved { iteration, .. }) => Failure::Interrupted(format!(
                "interrupted; {} holds iteration {iteration}: the same command continues from there",
                self.path.display()
            )),
            (error @ lcca::Error::Checkpoint { .. }, _) => Failure::in_file(self.path, error),
            (error, _) => error.into(),
        }
    }

    /// Removes the state of a converged fit, once the results are written. Any other state is kept, because
    /// more passes may continue it.
    pub fn settle(self, fit: &Fit, saved_iteration: usize) -> Result<(), Failure> {
        if saved_iteration == 0 {
            let method = fit.chosen.name();
            self.remark(&format!("{method} has no state to continue from: --resume changes nothing"));
        } else if fit.converged {
            remove_checkpoint(self.path)?;
        } else {
            let more = if fit.chosen.get("t1").is_some() { "--t1 or --max-passes" } else { "--max-passes" };
            self.remark(&format!(
                "{} holds iteration {saved_iteration}: the same command with more {more} continues from \
                 there",
                self.path.display()
            ));
        }
        Ok(())
    }

    fn remark(self, remark: &str) {
        if !self.quiet {
            remark!("{remark}");
        }
    }
}

impl Watch for SavingWatch<'_> {
    fn pass(&self, cost: Cost) -> ControlFlow<()> {
        self.progress.pass(cost)?;
        if interrupt::stop_requested() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn iteration(&self, row: &TraceRow) {
        self.progress.iteration(row);
        interrupt::set_state_is_savable(true);
    }

    fn wants_checkpoint(&self, iteration: usize, last: bool) -> bool {
        self.saver.wants(iteration, last || interrupt::stop_requested())
    }

    fn checkpoint(&self, state: Checkpoint) {
        if let Some(complaint) = self.saver.save(&state) {
            self.progress.print_line(&format!("lcca: {complaint}"));
        }
    }

    fn seconds(&self) -> f64 {
        self.progress.seconds()
    }
}
