//! Rows of texts, and the batches they come in.

use crate::error::{Fault, Remedy, Result};
use std::path::Path;

/// One row.
pub(crate) struct Row<'a> {
    /// The line of the file on which the row begins, from 1.
    pub(crate) line: u64,
    pub(crate) texts: [&'a [u8]; 3],
}

/// Some rows that are not yet cut apart.
pub(crate) trait Batch: Send {
    /// The file that text number `text` of these rows comes from.
    fn path(&self, text: usize) -> &Path;
    fn for_each(&self, visit: &mut dyn FnMut(Row<'_>) -> Result<()>) -> Result<()>;
}

/// Returns the next batch, or `None` at the end.
pub(crate) type Batches = Box<dyn FnMut() -> Result<Option<Box<dyn Batch>>> + Send>;

/// The error for a line that is not UTF-8.
pub(crate) fn broken_text(line: u64) -> Fault {
    Fault::line(line, "is not UTF-8").remedied_by(Remedy::ReplaceBrokenText)
}
