//! A matrix that was read, with the names of its columns and rows and remarks about the reading.

use crate::error::{Fault, Result};
use crate::input::format::Format;
use crate::matrix::assemble::Assembled;
use crate::matrix::pick::pick;
use crate::matrix::store;
use crate::parts::names::Names;
use crate::parts::tensors::TensorFile;
use crate::tables::matching::{IdColumn, Labeled, RowLabels};
use crate::words::remark::Remark;
use crate::words::wording;
use lcca::matrix::Matrix;
use std::fmt;
use std::path::{Path, PathBuf};

/// A matrix, and how it was read. Its file was opened once, and need not be opened again for the names.
#[non_exhaustive]
pub struct Loaded {
    /// The rows. If rows with missing values are to be dropped, they are not among them.
    pub matrix: Matrix,
    /// The name of the file's format.
    pub format: &'static str,
    /// Notes for a person about the reading, such as duplicates that were summed. All remarks are among
    /// them.
    pub notes: Vec<String>,
    /// The notes that are also data, such as guesses.
    pub remarks: Vec<Remark>,
    pub(crate) path: PathBuf,
    names: NameSource,
    dropped: Dropped,
    /// Whether rows are numbered 0, 1, 2 and so on by an index that is not stored.
    counted: bool,
    /// Columns that may name the rows, each with its place in the matrix.
    ids: Vec<IdColumn>,
    /// The name of the column that names the rows.
    index_name: Option<String>,
}

/// Names, or where to find them.
pub(crate) enum NameSource {
    /// Names that have been read, if there are any.
    Read { columns: Option<Names>, rows: Option<Names> },
    /// Names in a mapped store. They are read and checked only when they are needed, because most fits
    /// never do.
    Stored(TensorFile),
}

/// Rows that were left out because they miss values.
#[derive(Default)]
pub(crate) struct Dropped {
    /// The numbers of these rows in the file, ascending.
    pub(crate) rows: Vec<usize>,
    /// The names of these rows, if rows have names.
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

    /// Adds whether an unstored index counts the rows, the columns that may name them, and the name of the
    /// column that does.
    pub(crate) fn indexed(mut self, counted: bool, ids: Vec<IdColumn>, name: Option<String>) -> Self {
        (self.counted, self.ids, self.index_name) = (counted, ids, name);
        self
    }

    /// Whether the matrix was read from a table, which may have a column that names the rows.
    pub(crate) fn is_table(&self) -> bool {
        [Format::Csv, Format::Tsv, Format::Parquet, Format::Arrow]
            .iter()
            .any(|format| format.name() == self.format)
    }

    /// The name of the column of a table that names the rows, if one does and columns have names.
    pub fn index_name(&self) -> Option<&str> {
        self.index_name.as_deref()
    }

    /// Adds remarks about the reading, after the earlier ones.
    pub(crate) fn remarked(mut self, remarks: impl IntoIterator<Item = Remark>) -> Self {
        for remark in remarks {
            self.notes.push(wording::remark(&remark));
            self.remarks.push(remark);
        }
        self
    }

    /// Adds remarks about the reading, before the earlier ones.
    pub(crate) fn remarked_first(mut self, remarks: Vec<Remark>) -> Self {
        self.notes.splice(0..0, remarks.iter().map(wording::remark));
        self.remarks.splice(0..0, remarks);
        self
    }

    /// Replaces the columns by others, and keeps the rows.
    pub(crate) fn with_columns(mut self, matrix: Matrix, names: Names) -> Result<Self> {
        self.names = NameSource::Read { columns: Some(names), rows: self.row_names()? };
        self.matrix = matrix;
        self.ids.clear();
        Ok(self)
    }

    /// Names the rows by one of the columns that may name them, which is then no longer data.
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

    /// The names of the rows, if the file has them, without those of rows that were left out.
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

    /// The names of all rows of the file, with those of rows that were left out.
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

    /// The labels of all rows of the file, with those of rows that were left out.
    pub fn labels(&self) -> Result<RowLabels> {
        Ok(match self.all_row_names()? {
            Some(names) => RowLabels::Named(names),
            None if self.counted => RowLabels::Counting,
            None => RowLabels::Absent,
        })
    }

    /// The columns of different whole numbers whose names are like those of row names, with the numbers of
    /// all rows.
    pub fn ids(&self) -> &[IdColumn] {
        &self.ids
    }

    /// All rows of the file, as the rule for matching rows takes them. `called` is their name in messages.
    pub(crate) fn labeled<'a>(&'a self, called: &'a str, labels: &'a RowLabels) -> Labeled<'a> {
        Labeled { path: &self.path, called, rows: self.rows_of_file(), labels, may_have_more: false }
    }

    /// The number of rows of the file, with those that were left out.
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

/// Splits names into those of the rows that were kept and those of the rows that were left out.
fn split(names: Names, dropped: Vec<usize>) -> (Names, Dropped) {
    if dropped.is_empty() {
        return (names, Dropped::default());
    }
    let dropped_names = dropped.iter().map(|&row| names.get(row).to_string()).collect();
    let kept = (0..names.len()).filter(|row| dropped.binary_search(row).is_err());
    (Names::new(kept.map(|row| names.get(row))), Dropped { rows: dropped, names: dropped_names })
}

impl fmt::Debug for Loaded {
    /// Shows the shape, not the numbers.
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
