//! A matrix that was read, with the names of its columns and rows and what there is to say about the reading.

use crate::assemble::Assembled;
use crate::error::{Fault, Result};
use crate::format::Format;
use crate::matching::{IdColumn, Labeled, RowLabels};
use crate::names::Names;
use crate::pick::pick;
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
    /// What a person should know about the reading, such as duplicates that were summed; all remarks are
    /// among it.
    pub notes: Vec<String>,
    /// The notes that are data too, such as what was guessed.
    pub remarks: Vec<Remark>,
    pub(crate) path: PathBuf,
    names: NameSource,
    dropped: Dropped,
    /// Whether rows are numbered 0, 1, 2 and so on by an index that is not stored.
    counted: bool,
    /// Columns that may name the rows, each with its place in the matrix.
    ids: Vec<IdColumn>,
    /// What the column that names the rows is called.
    index_name: Option<String>,
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
            NameSource::Read { columns, rows: Some(rows) } => {
                let (rows, dropped) = split(rows, gaps.dropped);
                (NameSource::Read { columns, rows: Some(rows) }, dropped)
            }
            names => (names, Dropped { rows: gaps.dropped, names: Vec::new() }),
        };
        let path = path.to_path_buf();
        let (remarks, ids) = (Vec::new(), Vec::new());
        Loaded { matrix, format, notes, remarks, path, names, dropped, counted: false, ids, index_name: None }
    }

    /// With rows that an index counts without being stored, with columns that may name them, and with what
    /// the column is called that does.
    pub(crate) fn indexed(mut self, counted: bool, ids: Vec<IdColumn>, name: Option<String>) -> Self {
        (self.counted, self.ids, self.index_name) = (counted, ids, name);
        self
    }

    /// Whether it was read from a table, which may have a column that names the rows.
    pub(crate) fn is_table(&self) -> bool {
        [Format::Csv, Format::Tsv, Format::Parquet, Format::Arrow]
            .iter()
            .any(|format| format.name() == self.format)
    }

    /// What the column of a table that names the rows is called, if one does and columns have names.
    pub fn index_name(&self) -> Option<&str> {
        self.index_name.as_deref()
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
        self.ids.clear();
        Ok(self)
    }

    /// The same rows, named by one of the columns that may name them. The column is no data then.
    pub fn named_by(&self, id: usize) -> Result<Self> {
        let id = &self.ids[id];
        let column_names = self.names()?;
        let is_kept =
            |column: &usize| column_names.as_ref().is_none_or(|names| names.get(*column) != id.name);
        let kept: Vec<usize> = (0..self.matrix.cols()).filter(is_kept).collect();
        if kept.is_empty() {
            let message = format!("has no column but {:?}, which names its rows, expected data", id.name);
            return Err(Fault::new(message).at(&self.path));
        }
        let matrix = pick(&self.matrix, &kept).map_err(|fault| fault.at(&self.path))?;
        let columns = column_names.map(|names| Names::new(kept.iter().map(|&column| names.get(column))));
        let (rows, dropped) = split(id.numbers.clone(), self.dropped.rows.clone());
        let said = Remark::NumericId { column: id.name.clone() };
        let sentence = wording::remark(&said);
        Ok(Loaded {
            matrix,
            format: self.format,
            notes: self.notes.iter().filter(|note| **note != sentence).cloned().collect(),
            remarks: self.remarks.iter().filter(|remark| **remark != said).cloned().collect(),
            path: self.path.clone(),
            names: NameSource::Read { columns, rows: Some(rows) },
            dropped,
            counted: false,
            ids: Vec::new(),
            index_name: Some(id.name.clone()),
        })
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

    /// The names of all rows of the file, those of rows that were left out included.
    fn all_row_names(&self) -> Result<Option<Names>> {
        let (rows, names) = (&self.dropped.rows, &self.dropped.names);
        let Some(kept) = self.row_names()? else { return Ok(None) };
        if names.is_empty() {
            return Ok(Some(kept));
        }
        let (mut kept, mut dropped) = (kept.iter(), rows.iter().zip(names).peekable());
        let all = (0..self.rows_of_file()).map(|row| match dropped.next_if(|(next, _)| **next == row) {
            Some((_, name)) => name.as_str(),
            None => kept.next().unwrap_or_default(),
        });
        Ok(Some(Names::new(all)))
    }

    /// What all rows of the file are called, those that were left out included.
    pub fn labels(&self) -> Result<RowLabels> {
        Ok(match self.all_row_names()? {
            Some(names) => RowLabels::Named(names),
            None if self.counted => RowLabels::Counting,
            None => RowLabels::Absent,
        })
    }

    /// Columns of different whole numbers that are called like one that names the rows, with the numbers of
    /// all rows.
    pub fn ids(&self) -> &[IdColumn] {
        &self.ids
    }

    /// All rows of the file for the rule by which rows find each other.
    pub(crate) fn labeled<'a>(&'a self, called: &'a str, labels: &'a RowLabels) -> Labeled<'a> {
        Labeled { path: &self.path, called, rows: self.rows_of_file(), labels, may_have_more: false }
    }

    /// How many rows the file has, those that were left out included.
    pub fn rows_of_file(&self) -> usize {
        self.matrix.rows() + self.dropped.rows.len()
    }

    /// The place of each row of the file in the matrix; `None` if it was left out.
    pub(crate) fn places_in_matrix(&self) -> Vec<Option<usize>> {
        let mut places = vec![None; self.rows_of_file()];
        self.rows_in_file().into_iter().enumerate().for_each(|(place, row)| places[row] = Some(place));
        places
    }

    /// The number of each row of the matrix in the file.
    pub fn rows_in_file(&self) -> Vec<usize> {
        let dropped = &self.dropped.rows;
        let all = 0..self.rows_of_file();
        all.filter(|row| dropped.binary_search(row).is_err()).collect()
    }

    /// The file, or the name that stands for it.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// The names of the rows that were not left out, and those that were.
fn split(names: Names, dropped: Vec<usize>) -> (Names, Dropped) {
    if dropped.is_empty() {
        return (names, Dropped::default());
    }
    let dropped_names = dropped.iter().map(|&row| names.get(row).to_string()).collect();
    let kept = (0..names.len()).filter(|row| dropped.binary_search(row).is_err());
    (Names::new(kept.map(|row| names.get(row))), Dropped { rows: dropped, names: dropped_names })
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
