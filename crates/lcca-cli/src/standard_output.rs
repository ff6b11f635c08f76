//! Standard output in place of a file, named `-`. Tables go there as text between tabs.

use crate::failure::Failure;
use crate::output;
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Where a command writes, and where that ends up.
pub struct Destination {
    path: PathBuf,
    /// The folder of a file that is only passed on.
    folder: Option<TempDir>,
}

impl Destination {
    /// The named file, or one that will be copied to standard output if `-` was named.
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

    /// Passes the written file on if it has to be, and says where it is.
    pub fn deliver(self) -> Result<String, Failure> {
        if self.folder.is_none() {
            return Ok(self.path.display().to_string());
        }
        output::copy(&mut File::open(&self.path)?)?;
        Ok("standard output".into())
    }
}
