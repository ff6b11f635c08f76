//! A matrix that was read, with the names of its columns and rows and what there is to say about the reading.

use crate::assemble::Assembled;
use crate::error::Result;
use crate::names::Names;
use crate::remark::Remark;
use crate::tensors::TensorFile;
use crate::{store, wording};
use lcca::matrix::Matrix;
use std::fmt;
use std::path::{Path, PathBuf};

/// A matrix and how it came in. Its file was opened once, and need not be opened again for the names.
#[non_exhaustive]
pub struct Loaded {
    /// The rows. Those with missing values are not among them if they are to be dropped.
    pub matrix: Matrix,
    /// The name of the file's format.
    pub format: &'static str,
    /// What a person should know about the reading, such as duplicates that were summed; all remarks are among it.
    pub notes: Vec<String>,
    /// The notes that are data too, such as what was guessed.
    pub remarks: Vec<Remark>,
    pub(crate) path: PathBuf,
    names: NameSource,
    dropped: Dropped,
}

/// Names, or where to find them.
pub(crate) enum NameSource {
    /// Known, if there are any.
    Read { columns: Option<Names>, rows: Option<Names> },
    /// In a mapped store; they are looked at and checked when they are needed, because most fits never do.
    Stored(TensorFile),
}

/// Rows that were left out because they miss values.
#[derive(Default)]
pub(crate) struct Dropped {
    /// Their numbers in the file, ascending.
    pub(crate) rows: Vec<usize>,
    /// Their names, if rows have names.
    pub(crate) names: Vec<String>,
}

impl Loaded {
    pub(crate) fn new(path: &Path, format: &'static str, assembled: Assembled, names: NameSource) -> Self {
        let Assembled { matrix, notes, gaps } = assembled;
        let (names, dropped) = match names {
            NameSource::Read { columns, rows: Some(rows) } if !gaps.dropped.is_empty() => {
                let dropped_names = gaps.dropped.iter().map(|&row| rows.get(row).to_string()).collect();
                let kept = (0..rows.len()).filter(|row| gaps.dropped.binary_search(row).is_err());
                let rows = Some(Names::new(kept.map(|row| rows.get(row))));
                let dropped = Dropped { rows: gaps.dropped, names: dropped_names };
                (NameSource::Read { columns, rows }, dropped)
            }
            names => (names, Dropped { rows: gaps.dropped, names: Vec::new() }),
        };
        let path = path.to_path_buf();
        Loaded { matrix, format, notes, remarks: Vec::new(), path, names, dropped }
    }

    /// With more to say about the reading.
    pub(crate) fn remarked(mut self, remarks: impl IntoIterator<Item = Remark>) -> Self {
        for remark in remarks {
            self.notes.push(wording::remark(&remark));
            self.remarks.push(remark);
        }
        self
    }

    /// With more to say about the reading, before what has been said.
    pub(crate) fn remarked_first(mut self, remarks: Vec<Remark>) -> Self {
        self.notes.splice(0..0, remarks.iter().map(wording::remark));
        self.remarks.splice(0..0, remarks);
        self
    }

    /// The same rows with other columns.
    pub(crate) fn with_columns(mut self, matrix: Matrix, names: Names) -> Result<Self> {
        self.names = NameSource::Read { columns: Some(names), rows: self.row_names()? };
        self.matrix = matrix;
        Ok(self)
    }

    /// Whether the file has checksums, against which the rows were checked.
    pub fn has_checksums(&self) -> bool {
        matches!(&self.names, NameSource::Stored(file) if file.has_checksums())
    }

    /// The names of the columns, if the file has them.
    pub fn names(&self) -> Result<Option<Names>> {
        match &self.names {
            NameSource::Read { columns, .. } => Ok(columns.clone()),
            NameSource::Stored(file) => store::read_names(file).map_err(|fault| fault.at(&self.path)),
        }
    }

    /// The names of the rows, if the file has them. Those of rows that were left out are not among them.
    pub fn row_names(&self) -> Result<Option<Names>> {
        match &self.names {
            NameSource::Read { rows, .. } => Ok(rows.clone()),
            NameSource::Stored(file) => store::read_row_names(file).map_err(|fault| fault.at(&self.path)),
        }
    }

    /// The rows of the file that were left out because they miss values, ascending.
    pub fn dropped_rows(&self) -> &[usize] {
        &self.dropped.rows
    }

    /// The names of the rows that were left out, if rows have names.
    pub(crate) fn dropped_names(&self) -> &[String] {
        &self.dropped.names
    }

    /// The number of each row of the matrix in the file.
    pub fn rows_in_file(&self) -> Vec<usize> {
        let dropped = &self.dropped.rows;
        let all = 0..self.matrix.rows() + dropped.len();
        all.filter(|row| dropped.binary_search(row).is_err()).collect()
    }

    /// The file, or the name that stands for it.
    pub fn path(&self) -> &Path {
        &self.path
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
