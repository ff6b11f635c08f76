//! Saves the state of a fit while it runs, so that the same fit can continue from the file.

use super::checkpoint::{read_identified, write_checkpoint};
use crate::error::{Error, Result};
use crate::parts::identity::Identity;
use crate::safe::abandoned::remove_abandoned;
use lcca::fit::Checkpoint;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The wait between two saves, as a multiple of the time that a save takes. Saving thus takes at most about
/// one twentieth of the time.
const SHARE: u32 = 20;

/// Saves the state of one fit, but not too often.
pub struct Saver {
    path: PathBuf,
    every: Duration,
    identity: Identity,
    rows_are_known: bool,
    record: Mutex<Record>,
}

struct Record {
    saved: Saved,
    due: Instant,
}

/// The contents of the file when a fit has ended.
#[non_exhaustive]
pub struct Saved {
    /// The last iteration in the file; 0 if there is none.
    pub iteration: usize,
    /// The error of the last attempt, if it failed.
    pub failure: Option<Error>,
}

impl Saver {
    /// The default number of seconds between two saves.
    pub const EVERY_SECONDS: f64 = 20.0;

    /// Returns the saver of the fit that `identity` describes, and the state that this fit left in the
    /// file, if it did. The state of another fit is refused.
    pub fn open(path: &Path, every: Duration, identity: Identity) -> Result<(Self, Option<Checkpoint>)> {
        remove_abandoned(path);
        let found = path.exists().then(|| read_identified(path, &identity)).transpose()?;
        let rows_are_known = found.as_ref().is_none_or(|(_, known)| *known);
        let state = found.map(|(state, _)| state);
        let saved = Saved { iteration: state.as_ref().map_or(0, |state| state.trace.len()), failure: None };
        let record = Mutex::new(Record { saved, due: Instant::now() + every });
        Ok((Saver { path: path.into(), every, identity, rows_are_known, record }, state))
    }

    /// A remark for a person about the state that was found.
    pub fn remark(&self) -> Option<&'static str> {
        (!self.rows_are_known).then_some(
            "the state is of an older version, which did not note its rows: only their number and the sums \
             of columns were compared",
        )
    }

    /// Whether the state after an iteration should be saved. A state that may be the last one is saved at
    /// any time.
    pub fn wants(&self, iteration: usize, perhaps_last: bool) -> bool {
        let record = self.record();
        iteration > record.saved.iteration && (perhaps_last || Instant::now() >= record.due)
    }

    /// Saves the state. A full disk costs the state and not the fit: the failure is returned the first time
    /// it happens, and the next call tries again.
    pub fn save(&self, state: &Checkpoint) -> Option<String> {
        let start = Instant::now();
        let written = write_checkpoint(&self.path, state, &self.identity);
        let mut record = self.record();
        record.due = Instant::now() + self.every.max(SHARE * start.elapsed());
        let before = record.saved.failure.take();
        match written {
            Ok(()) => {
                record.saved.iteration = state.trace.len();
                None
            }
            Err(failure) => {
                let complaint = before.is_none().then(|| format!("the state is not saved: {failure}"));
                record.saved.failure = Some(failure);
                complaint
            }
        }
    }

    /// Ends saving, and returns the contents of the file.
    pub fn saved(self) -> Saved {
        self.record.into_inner().unwrap_or_else(PoisonError::into_inner).saved
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the state of a fit that no longer needs it.
pub fn remove_checkpoint(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(Error::Io { path: path.into(), source })
        }
        _ => Ok(()),
    }
}
