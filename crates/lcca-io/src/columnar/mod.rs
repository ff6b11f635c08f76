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
        let file = SerializedFileReader::new(source::open(path)?).map_err(broken)?;
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

fn is_flat(column: &ColumnDescPtr) -> bool {
    column.max_rep_level() == 0
        && column.path().parts().len() == 1
        && !column.name().starts_with("__index_level_")
}

fn broken(error: ParquetError) -> Fault {
    Fault::new(format!("truncated, corrupt or not a Parquet file ({})", one_line(&error)))
}
