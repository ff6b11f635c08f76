//! `--resume FILE`: the state of a fit is saved as it goes and when it is interrupted; the same command goes on from it.

use crate::failure::Failure;
use crate::interrupt;
use crate::progress::FitProgress;
use crate::report;
use lcca::data::{Cost, Pair};
use lcca::fit::{Checkpoint, Fit, TraceRow, Watch};
use lcca::method::Settings;
use lcca_io::{Identity, read_checkpoint, write_checkpoint};
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Saving takes at most about one part in this many of the time.
const SHARE: u32 = 20;

/// Where to save, and how often at most.
#[derive(Clone, Copy)]
pub struct Saving<'a> {
    pub path: &'a Path,
    pub every: Duration,
    pub quiet: bool,
}

/// What the file holds, and when it is to be replaced.
struct Record {
    /// 0 where there is nothing yet.
    iteration: usize,
    due: Instant,
    failure: Option<lcca_io::Error>,
}

/// Watches a fit and saves its state.
struct Saver<'a> {
    saving: Saving<'a>,
    progress: &'a FitProgress,
    identity: Identity,
    record: Mutex<Record>,
}

impl Saving<'_> {
    /// Fits, from where the file says or from the beginning. Returns the last iteration in the file as well, 0 for none.
    pub fn fit(
        self,
        pair: &dyn Pair,
        settings: &Settings,
        progress: &mut FitProgress,
    ) -> Result<(Fit, usize), Failure> {
        let identity = Identity::of(pair, settings)?;
        let from = self.path.exists().then(|| read_checkpoint(self.path, &identity)).transpose()?;
        if let Some(from) = &from {
            let (iteration, passes) = (from.trace.len(), report::passes(&from.cost));
            self.say(&format!("continuing after iteration {iteration}, {passes}"));
            progress.go_on_from(from.trace.last().map_or(0.0, |row| row.seconds));
        }
        let iteration = from.as_ref().map_or(0, |from| from.trace.len());
        let record = Record { iteration, due: Instant::now() + self.every, failure: None };
        let saver = Saver { saving: self, progress, identity, record: Mutex::new(record) };
        let outcome = match from {
            Some(from) => lcca::fit::resume(from, pair, settings, &saver),
            None => lcca::fit::fit(pair, settings, &saver),
        };
        interrupt::be_gentle(false);
        let record = saver.record.into_inner().unwrap_or_else(PoisonError::into_inner);
        outcome.map(|fit| (fit, record.iteration)).map_err(|error| self.failed(error, record))
    }

    fn failed(self, error: lcca::Error, record: Record) -> Failure {
        match (error, record) {
            (lcca::Error::Interrupted, Record { failure: Some(failure), .. }) => failure.into(),
            (lcca::Error::Interrupted, Record { iteration: 0, .. }) => {
                Failure::Interrupted("interrupted, nothing was written".into())
            }
            (lcca::Error::Interrupted, Record { iteration, .. }) => Failure::Interrupted(format!(
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
            (true, _) => return self.remove(),
            (false, _) => {
                let more = if fit.chosen.t1().is_some() { "--t1 or --max-passes" } else { "--max-passes" };
                self.say(&format!(
                    "{path} holds iteration {saved}: the same command with more {more} goes on from there"
                ));
            }
        }
        Ok(())
    }

    fn remove(self) -> Result<(), Failure> {
        match fs::remove_file(self.path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                Err(Failure::File(lcca_io::Error::Io { path: self.path.into(), source }))
            }
            _ => Ok(()),
        }
    }

    fn say(self, remark: &str) {
        if !self.quiet {
            eprintln!("lcca: {remark}");
        }
    }
}

impl Saver<'_> {
    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch for Saver<'_> {
    fn pass(&self, cost: Cost) -> ControlFlow<()> {
        self.progress.pass(cost)?;
        if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    fn iteration(&self, row: &TraceRow) {
        self.progress.iteration(row);
        interrupt::be_gentle(true);
    }

    fn wants_checkpoint(&self, iteration: usize, last: bool) -> bool {
        let record = self.record();
        iteration > record.iteration && (last || interrupt::asked() || Instant::now() >= record.due)
    }

    /// A full disk costs the state, not the fit: it is said once, and tried again.
    fn checkpoint(&self, state: Checkpoint) {
        let start = Instant::now();
        let outcome = write_checkpoint(self.saving.path, &state, &self.identity);
        let mut record = self.record();
        match outcome {
            Ok(()) => (record.iteration, record.failure) = (state.trace.len(), None),
            Err(failure) => {
                if record.failure.is_none() {
                    self.progress.say(&format!("lcca: the state is not saved: {failure}"));
                }
                record.failure = Some(failure);
            }
        }
        record.due = Instant::now() + self.saving.every.max(SHARE * start.elapsed());
    }

    fn seconds(&self) -> f64 {
        self.progress.seconds()
    }
}
