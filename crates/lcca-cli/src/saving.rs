//! `--resume FILE`: the state of a fit is saved as it goes and when it is interrupted; the same command goes on from it.

use crate::failure::Failure;
use crate::interrupt;
use crate::progress::FitProgress;
use crate::report;
use lcca::data::{Cost, Pair};
use lcca::fit::{Checkpoint, Fit, TraceRow, Watch};
use lcca::method::Settings;
use lcca_io::{Identity, Saved, Saver, remove_checkpoint};
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

/// Where to save, and how often at most.
#[derive(Clone, Copy)]
pub struct Saving<'a> {
    pub path: &'a Path,
    pub every: Duration,
    pub quiet: bool,
}

/// Watches a fit and saves its state.
struct SavedFit<'a> {
    progress: &'a FitProgress,
    saver: Saver,
}

impl Saving<'_> {
    /// Fits, from where the file says or from the beginning. Returns the last iteration in the file as well, 0 for none.
    pub fn fit(
        self,
        pair: &dyn Pair,
        settings: &Settings,
        progress: &mut FitProgress,
    ) -> Result<(Fit, usize), Failure> {
        let (saver, from) = Saver::open(self.path, self.every, Identity::of(pair, settings)?)?;
        if let Some(from) = &from {
            let (iteration, passes) = (from.trace.len(), report::passes(&from.cost));
            self.say(&format!("continuing after iteration {iteration}, {passes}"));
            progress.go_on_from(from.trace.last().map_or(0.0, |row| row.seconds));
        }
        let watch = SavedFit { progress, saver };
        let outcome = match from {
            Some(from) => lcca::fit::resume(from, pair, settings, &watch),
            None => lcca::fit::fit(pair, settings, &watch),
        };
        interrupt::be_gentle(false);
        let saved = watch.saver.saved();
        outcome.map(|fit| (fit, saved.iteration)).map_err(|error| self.failed(error, saved))
    }

    fn failed(self, error: lcca::Error, saved: Saved) -> Failure {
        match (error, saved) {
            (lcca::Error::Interrupted, Saved { failure: Some(failure), .. }) => failure.into(),
            (lcca::Error::Interrupted, Saved { iteration: 0, .. }) => {
                Failure::Interrupted("interrupted, nothing was written".into())
            }
            (lcca::Error::Interrupted, Saved { iteration, .. }) => Failure::Interrupted(format!(
                "interrupted; {} holds iteration {iteration}: the same command goes on from there",
                self.path.display()
            )),
            (error @ lcca::Error::Checkpoint { .. }, _) => Failure::data_of(self.path, error),
            (error, _) => error.into(),
        }
    }

    /// Once the results are safe: a converged fit needs its state no more, any other may be gone on with.
    pub fn settle(self, fit: &Fit, saved: usize) -> Result<(), Failure> {
        let path = self.path.display();
        match (fit.converged, saved) {
            (_, 0) => self
                .say(&format!("{} has no state to go on from: --resume changes nothing", fit.chosen.name())),
            (true, _) => remove_checkpoint(self.path)?,
            (false, _) => {
                let more = if fit.chosen.t1().is_some() { "--t1 or --max-passes" } else { "--max-passes" };
                self.say(&format!(
                    "{path} holds iteration {saved}: the same command with more {more} goes on from there"
                ));
            }
        }
        Ok(())
    }

    fn say(self, remark: &str) {
        if !self.quiet {
            eprintln!("lcca: {remark}");
        }
    }
}

impl Watch for SavedFit<'_> {
    fn pass(&self, cost: Cost) -> ControlFlow<()> {
        self.progress.pass(cost)?;
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn iteration(&self, row: &TraceRow) {
        self.progress.iteration(row);
        interrupt::be_gentle(true);
    }

    fn wants_checkpoint(&self, iteration: usize, last: bool) -> bool {
        self.saver.wants(iteration, last || interrupt::asked())
    }

    fn checkpoint(&self, state: Checkpoint) {
        if let Some(complaint) = self.saver.save(&state) {
            self.progress.say(&format!("lcca: {complaint}"));
        }
    }

    fn seconds(&self) -> f64 {
        self.progress.seconds()
    }
}
