//! Checking a whole file against its checksums.

use super::read::Opened;
use crate::error::Result;
use std::path::Path;

/// Checks every number and every name of a store, a model or a checkpoint against the checksums of its
/// file. Returns the number of bytes that were checked, or `None` if the file has no checksums, because it
/// is of another format or older than they are.
pub fn verify(path: &Path) -> Result<Option<u64>> {
    let verified = Opened::open(path).and_then(|opened| match opened {
        Opened::Tensors(file) => file.verify(),
        Opened::Folder | Opened::File(..) => Ok(None),
    });
    verified.map_err(|fault| fault.at(path))
}
