//! Files that are gone with the process, in the folder that the system keeps for them.

use super::atomic;
use crate::error::{Fault, Outcome, Result};
use std::fs::File;
use std::io;
use std::path::Path;
use tempfile::TempDir;

/// The environment variable with which users name that folder.
const VARIABLE: &str = if cfg!(windows) { "TMP" } else { "TMPDIR" };

/// A file without a name.
pub(crate) fn file() -> Outcome<File> {
    tempfile::tempfile().map_err(refused)
}

/// A folder for the files that stand for `-`. It is also removed on Ctrl-C.
pub fn temporary_folder() -> Result<TempDir> {
    let folder = tempfile::tempdir().map_err(|error| refused(error).at(Path::new("-")))?;
    atomic::registry().insert(folder.path().into());
    Ok(folder)
}

/// Names the folder and the variable to set, unless the machine failed.
fn refused(error: io::Error) -> Fault {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
    let folder = std::env::temp_dir();
    match error.kind() {
        NotADirectory | NotFound | PermissionDenied | ReadOnlyFilesystem => Fault::new(format!(
            "needs a temporary file, which cannot be made in {}: {}; set {VARIABLE} to a folder that can be \
             written",
            folder.display(),
            reason(error.kind())
        )),
        _ => Fault::Io(error),
    }
}

/// The reason why the folder cannot be used. The system's own message would name a file in it that the user
/// has never seen.
fn reason(kind: io::ErrorKind) -> &'static str {
    match kind {
        io::ErrorKind::NotFound => "it does not exist",
        io::ErrorKind::NotADirectory => "it is not a folder",
        _ => "no permission",
    }
}
