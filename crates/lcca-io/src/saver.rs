//! The file in which a fit's state is saved as it goes, for the same fit to go on from.

use crate::checkpoint::{read_checkpoint, write_checkpoint};
use crate::error::{Error, Result};
use crate::identity::Identity;
use lcca::fit::Checkpoint;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Saving takes at most about one part in this many of the time.
const SHARE: u32 = 20;

/// Saves the state of one fit, not too often.
pub struct Saver {
    path: PathBuf,
    every: Duration,
    identity: Identity,
    record: Mutex<Record>,
}

struct Record {
    saved: Saved,
    due: Instant,
}

/// What the file holds when a fit has ended.
pub struct Saved {
    /// Its last iteration, 0 where there is nothing.
    pub iteration: usize,
    /// Why the last saving failed, where it did.
    pub failure: Option<Error>,
}

impl Saver {
    /// Seconds between two savings where nobody says otherwise.
    pub const EVERY_SECONDS: f64 = 20.0;

    /// The saver of the fit that `identity` tells from others, and the state it left in the file, where it did. That of
    /// another fit is refused.
    pub fn open(path: &Path, every: Duration, identity: Identity) -> Result<(Self, Option<Checkpoint>)> {
        let from = path.exists().then(|| read_checkpoint(path, &identity)).transpose()?;
        let saved = Saved { iteration: from.as_ref().map_or(0, |from| from.trace.len()), failure: None };
        let record = Mutex::new(Record { saved, due: Instant::now() + every });
        Ok((Saver { path: path.into(), every, identity, record }, from))
    }

    /// Whether the state after an iteration should be saved; where it may be the last one, time plays no part.
    pub fn wants(&self, iteration: usize, perhaps_last: bool) -> bool {
        let record = self.record();
        iteration > record.saved.iteration && (perhaps_last || Instant::now() >= record.due)
    }

    /// Saves. A full disk costs the state, not the fit: what went wrong is returned the first time, and it is tried again.
    pub fn save(&self, state: &Checkpoint) -> Option<String> {
        let start = Instant::now();
        let outcome = write_checkpoint(&self.path, state, &self.identity);
        let mut record = self.record();
        record.due = Instant::now() + self.every.max(SHARE * start.elapsed());
        let before = record.saved.failure.take();
        match outcome {
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

    /// What became of it.
    pub fn saved(self) -> Saved {
        self.record.into_inner().unwrap_or_else(PoisonError::into_inner).saved
    }

    fn record(&self) -> MutexGuard<'_, Record> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Removes the state of a fit that needs it no more.
pub fn remove_checkpoint(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => {
            Err(Error::Io { path: path.into(), source })
        }
        _ => Ok(()),
    }
}
