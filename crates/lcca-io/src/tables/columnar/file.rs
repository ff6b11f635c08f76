//! An opened file and its columns.

use super::broken::{broken, guarded};
use super::column::{Column, Reading};
use super::encryption::explained;
use super::holds::{Holds, flat, nested, unreadable_columns};
use super::pages;
use crate::error::{Fault, Outcome};
use crate::tables::table::{PandasIndex, refuse};
use parquet::basic::Compression;
use parquet::file::metadata::FileMetaData;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::ColumnDescPtr;
use std::fs::File;

/// A file whose columns have not been read.
pub(crate) struct ParquetFile {
    pub(super) file: SerializedFileReader<File>,
    /// A second handle of the file, to look at pages before the library does.
    pages: File,
    /// All columns, with those in which pandas keeps row names.
    pub(super) columns: Vec<Column>,
}

impl ParquetFile {
    pub(crate) fn open(file: File) -> Outcome<Self> {
        let pages = file.try_clone()?;
        let opened = guarded(|| {
            let len = file.metadata()?.len();
            let file = SerializedFileReader::new(file).map_err(broken)?;
            check_places(&file, len)?;
            let columns = columns(file.metadata().file_metadata());
            Ok((file, columns))
        });
        match opened {
            Ok((file, columns)) => Ok(ParquetFile { file, pages, columns }),
            Err(fault) => Err(explained(&pages, fault)),
        }
    }

    /// The columns of data, without those in which pandas keeps row names.
    pub(super) fn data(&self) -> impl Iterator<Item = &Column> {
        self.columns.iter().filter(|column| !is_index(&column.name))
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.data().map(|column| column.name.clone()).collect()
    }

    /// Begins to read a column of a group of rows, after checking the sizes that its pages claim.
    pub(super) fn reading(&self, group: usize, column: &Column) -> Outcome<Reading> {
        let label = format!("column {:?}", column.name);
        let Some((index, description)) = &column.stored else {
            let Holds::Other(what) = column.holds else { return Err(refuse(&label, "is not stored")) };
            return Err(refuse(&label, &format!("holds {what}, expected numbers or texts")));
        };
        let stored = self.file.metadata().row_group(group).column(*index);
        check_codec(stored.compression()).map_err(|message| refuse(&label, &message))?;
        pages::check(&self.pages, stored).map_err(|fault| explained(&self.pages, fault))?;
        let group = self.file.get_row_group(group).map_err(broken)?;
        let reader = group.get_column_reader(*index).map_err(broken)?;
        Ok(Reading { reader, level: description.max_def_level(), holds: column.holds })
    }

    /// The number of rows in a group.
    pub(super) fn rows(&self, group: usize) -> usize {
        usize::try_from(self.file.metadata().row_group(group).num_rows()).unwrap_or(0)
    }

    /// Where pandas keeps the names of rows.
    pub(super) fn pandas_index(&self) -> PandasIndex {
        let metadata = self.file.metadata().file_metadata().key_value_metadata();
        let described = metadata.into_iter().flatten().find(|entry| entry.key == "pandas");
        match described.and_then(|entry| entry.value.as_deref()) {
            Some(description) => PandasIndex::described(description),
            None => {
                let names = self.columns.iter().map(|column| column.name.clone());
                PandasIndex::stored(names.filter(|name| is_index(name)).collect())
            }
        }
    }

    pub(super) fn groups(&self) -> usize {
        self.file.num_row_groups()
    }
}

/// Checks the sizes that the file claims, before any of them is used.
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

/// All columns of the schema, each with its type. Arrow's schema is believed if it has the same columns.
fn columns(file: &FileMetaData) -> Vec<Column> {
    let schema = file.schema_descr();
    let roots = schema.root_schema().get_fields();
    let unreadable = unreadable_columns(file);
    let same = unreadable.len() == roots.len()
        && unreadable.iter().zip(roots).all(|((name, _), root)| name == root.name());
    let mut stored = vec![None; roots.len()];
    for (index, column) in schema.columns().iter().enumerate() {
        let root = schema.get_column_root_idx(index);
        if roots[root].is_primitive() && column.max_rep_level() == 0 {
            stored[root] = Some((index, column.clone()));
        }
    }
    let column = |(place, stored): (usize, Option<(usize, ColumnDescPtr)>)| {
        let name = roots[place].name().to_string();
        let known = unreadable.get(place).filter(|_| same).and_then(|(_, word)| *word);
        let holds = match (known, &stored) {
            (Some(word), _) => Holds::Other(word),
            (None, Some((_, column))) => flat(column),
            (None, None) => Holds::Other(nested(&roots[place])),
        };
        Column { name, holds, stored }
    };
    stored.into_iter().enumerate().map(column).collect()
}

/// Refuses the codecs that this program does not have.
fn check_codec(codec: Compression) -> Result<(), String> {
    let name = match codec {
        Compression::BROTLI(_) => "Brotli",
        Compression::LZO => "LZO",
        _ => return Ok(()),
    };
    let expected = "expected Snappy, gzip, LZ4 or zstd";
    Err(format!("is packed with {name}, {expected}: write the file again with compression=\"zstd\""))
}

fn is_index(name: &str) -> bool {
    name.starts_with("__index_level_")
}
