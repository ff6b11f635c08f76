//! An opened file and its columns.

use super::broken::{broken, guarded};
use super::pages;
use crate::error::{Fault, Outcome};
use crate::table::PandasIndex;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescPtr;
use std::fs::File;

/// A file whose columns have not been read.
pub(crate) struct ParquetFile {
    pub(super) file: SerializedFileReader<File>,
    /// The columns that can be read, each with its index among all columns, without those of pandas's row names.
    pub(super) columns: Vec<(usize, ColumnDescPtr)>,
    /// The columns that can be read, all of them.
    pub(super) flat: Vec<(usize, ColumnDescPtr)>,
}

impl ParquetFile {
    pub(crate) fn open(file: File) -> Outcome<Self> {
        guarded(|| {
            let len = file.metadata()?.len();
            let pages = file.try_clone()?;
            let file = SerializedFileReader::new(file).map_err(broken)?;
            check_places(&file, len)?;
            let columns = file.metadata().row_groups().iter().flat_map(|group| group.columns());
            columns.into_iter().try_for_each(|column| pages::check(&pages, column))?;
            let schema = file.metadata().file_metadata().schema_descr_ptr();
            let columns = schema.columns().iter().cloned().enumerate();
            let flat: Vec<_> = columns.filter(|(_, column)| is_flat(column)).collect();
            let columns = flat.iter().filter(|(_, column)| !column.name().starts_with("__index_level_"));
            Ok(ParquetFile { file, columns: columns.cloned().collect(), flat })
        })
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.columns.iter().map(|(_, column)| column.name().to_string()).collect()
    }

    /// Where pandas keeps the names of rows.
    pub(super) fn pandas_index(&self) -> PandasIndex {
        let metadata = self.file.metadata().file_metadata().key_value_metadata();
        let described = metadata.into_iter().flatten().find(|entry| entry.key == "pandas");
        match described.and_then(|entry| entry.value.as_deref()) {
            Some(description) => PandasIndex::described(description),
            None => {
                let names = self.flat.iter().map(|(_, column)| column.name().to_string());
                PandasIndex::stored(names.filter(|name| name.starts_with("__index_level_")).collect())
            }
        }
    }

    pub(super) fn groups(&self) -> usize {
        self.file.num_row_groups()
    }
}

/// Checks the sizes that the file claims before any of them is used.
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
    column.max_rep_level() == 0 && column.path().parts().len() == 1
}
