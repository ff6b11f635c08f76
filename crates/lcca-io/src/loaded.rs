//! A matrix that was read, with the names of its columns and what there is to say about the reading.

use crate::error::Result;
use crate::names::Names;
use crate::store;
use crate::tensors::TensorFile;
use lcca::matrix::Matrix;
use std::fmt;
use std::path::PathBuf;

/// A matrix and how it came in. Its file was opened once, and need not be opened again for the names.
#[non_exhaustive]
pub struct Loaded {
    /// The rows.
    pub matrix: Matrix,
    /// The name of the file's format.
    pub format: &'static str,
    /// What a person should know about the reading, such as duplicates that were summed.
    pub notes: Vec<String>,
    pub(crate) names: ColumnNames,
}

/// The names of columns, or where to find them.
pub(crate) enum ColumnNames {
    /// Known, if the columns have any.
    Read(Option<Names>),
    /// In a mapped store; they are looked at and checked when they are needed, because most fits never do.
    Stored(TensorFile, PathBuf),
}

impl Loaded {
    pub(crate) fn new(matrix: Matrix, format: &'static str, notes: Vec<String>, names: ColumnNames) -> Self {
        Loaded { matrix, format, notes, names }
    }

    /// Whether the file has checksums, against which the rows were checked.
    pub fn has_checksums(&self) -> bool {
        matches!(&self.names, ColumnNames::Stored(file, _) if file.has_checksums())
    }

    /// The names of the columns, if the file has them.
    pub fn names(&self) -> Result<Option<Names>> {
        match &self.names {
            ColumnNames::Read(names) => Ok(names.clone()),
            ColumnNames::Stored(file, path) => store::read_names(file).map_err(|fault| fault.at(path)),
        }
    }
}

impl fmt::Debug for Loaded {
    /// The shape, not the numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (rows, cols) = (self.matrix.rows(), self.matrix.cols());
        let what = format!("{rows}×{cols} {}", self.matrix.kind());
        f.debug_struct("Loaded")
            .field("matrix", &what)
            .field("format", &self.format)
            .field("notes", &self.notes)
            .finish_non_exhaustive()
    }
}
