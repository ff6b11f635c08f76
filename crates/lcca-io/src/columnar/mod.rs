//! Parquet: columns in groups of rows, each column of a group in one piece.
//!
//! Only flat columns are read. Lists and structures, and columns called `__index_level_0__` and so on, in which pandas
//! keeps the names of rows, are left out.

mod numbers;
mod texts;

pub(crate) use numbers::{read, read_names};
pub(crate) use texts::{Texts, texts};

use crate::error::{Fault, Outcome, one_line};
use crate::source;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescPtr;
use std::fs::File;
use std::path::Path;

/// The bytes every such file begins and ends with.
pub(crate) const MAGIC: &[u8] = b"PAR1";

/// An opened file and the columns that are read, with their places.
pub(crate) struct Opened {
    file: SerializedFileReader<File>,
    columns: Vec<(usize, ColumnDescPtr)>,
}

impl Opened {
    pub(crate) fn open(path: &Path) -> Outcome<Self> {
        guarded(|| Self::begin(path))
    }

    fn begin(path: &Path) -> Outcome<Self> {
        let bytes = source::open(path)?;
        let len = bytes.metadata()?.len();
        let file = SerializedFileReader::new(bytes).map_err(broken)?;
        check_places(&file, len)?;
        let schema = file.metadata().file_metadata().schema_descr_ptr();
        let columns =
            schema.columns().iter().cloned().enumerate().filter(|(_, column)| is_flat(column)).collect();
        Ok(Opened { file, columns })
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.columns.iter().map(|(_, column)| column.name().to_string()).collect()
    }

    fn groups(&self) -> usize {
        self.file.num_row_groups()
    }
}

/// Sizes that are claimed are checked before anything is done with them.
fn check_places(file: &SerializedFileReader<File>, len: u64) -> Outcome<()> {
    let wrong = || Fault::new("truncated, corrupt or not a Parquet file (a column lies outside of it)");
    for group in file.metadata().row_groups() {
        let rows = u64::try_from(group.num_rows()).map_err(|_| wrong())?;
        for column in group.columns() {
            let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
            let (start, bytes) = (u64::try_from(start), u64::try_from(column.compressed_size()));
            let end = start.ok().zip(bytes.ok()).and_then(|(start, bytes)| start.checked_add(bytes));
            if end.is_none_or(|end| end > len)
                || column.num_values() as u64 != rows && column.column_descr().max_rep_level() == 0
            {
                return Err(wrong());
            }
        }
    }
    Ok(())
}

fn is_flat(column: &ColumnDescPtr) -> bool {
    column.max_rep_level() == 0
        && column.path().parts().len() == 1
        && !column.name().starts_with("__index_level_")
}

/// The library panics over some broken pages.
fn guarded<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    crate::guard::guarded("Parquet", work)
}

fn broken(error: ParquetError) -> Fault {
    Fault::new(format!("truncated, corrupt or not a Parquet file ({})", one_line(&error)))
}
