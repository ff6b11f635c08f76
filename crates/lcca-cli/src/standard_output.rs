//! Standard output in place of a file, named `-`. Tables go there as text between tabs.

use crate::failure::Failure;
use crate::output;
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// The file that a command writes, which may go on to standard output.
pub struct Destination {
    path: PathBuf,
    /// The temporary folder of a file that goes on to standard output.
    folder: Option<TempDir>,
}

impl Destination {
    /// The named file, or a temporary one if `-` was named, which is copied to standard output later.
    pub fn new(named: &Path) -> Result<Self, Failure> {
        if named.as_os_str() != "-" {
            return Ok(Destination { path: named.into(), folder: None });
        }
        let folder = lcca_io::temporary_folder()?;
        Ok(Destination { path: folder.path().join("table.tsv"), folder: Some(folder) })
    }

    /// The file to write.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Copies the file to standard output if it must go there, and returns the name of its place.
    pub fn deliver(self) -> Result<String, Failure> {
        if self.folder.is_none() {
            return Ok(self.path.display().to_string());
        }
        output::copy(&mut File::open(&self.path)?)?;
        Ok("standard output".into())
    }
}
