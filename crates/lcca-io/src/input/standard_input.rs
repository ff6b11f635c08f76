//! Standard input in place of a file, named `-`.
//!
//! Texts are read as they come. Matrices are first copied to a file that has no name and is gone with the
//! process, because they are looked at before they are read, and some formats jump about in them.

use crate::error::{Fault, Outcome};
use crate::safe::temporary;
use std::fs::File;
use std::io::{self, Seek, Stdin};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};

static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Whether a path means standard input.
pub(crate) fn is_meant(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Standard input, which can have only one reader.
pub(crate) fn stream() -> Outcome<Stdin> {
    if IS_TAKEN.swap(true, SeqCst) {
        return Err(Fault::new("standard input can be read only once, expected a file for one of the two"));
    }
    Ok(io::stdin())
}

/// Copies all of standard input to a file.
pub(crate) fn spooled() -> Outcome<File> {
    let mut file = temporary::file()?;
    if io::copy(&mut stream()?.lock(), &mut file)? == 0 {
        return Err(Fault::new("standard input is empty"));
    }
    file.rewind()?;
    Ok(file)
}
