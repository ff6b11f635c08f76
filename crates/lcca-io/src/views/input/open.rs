//! Opens the reader that a file of texts needs.

#[cfg(feature = "parquet")]
use super::parquet;
use super::row::Batches;
use super::{csv, json, paired, tsv};
use crate::error::{Error, Fault, Remedy, Result};
use crate::input::source::Packing;
use std::path::{Path, PathBuf};

/// A text file with columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum TableFormat {
    /// Fields between tabs; quotes mean nothing.
    Tsv,
    /// Fields between commas, quoted if they hold commas or line ends.
    Csv,
    /// One JSON object per line.
    JsonLines,
    /// A Parquet file; its columns have names.
    Parquet,
}

/// The source of the texts of two views.
#[derive(Clone, Debug, PartialEq)]
pub enum TextInput {
    /// Columns of one file, `-` for standard input. A column is given by its name or by its number from 1.
    Table {
        /// The file.
        path: PathBuf,
        /// The format of the file, if its name does not tell.
        format: Option<TableFormat>,
        /// Whether the first line names the columns.
        header: bool,
        /// The column of x, of y and, if labels are wanted, of the label.
        columns: [Option<String>; 3],
    },
    /// Two files with one line per row.
    Lines {
        /// The texts of x.
        x: PathBuf,
        /// The texts of y.
        y: PathBuf,
    },
}

pub(crate) fn open(input: &TextInput) -> Result<Batches> {
    match input {
        TextInput::Lines { x, y } => paired::open(x, y),
        TextInput::Table { path, format, header, columns } => {
            let format = format.or_else(|| named(path)).ok_or_else(|| unknown(path))?;
            match format {
                TableFormat::Tsv => tsv::open(path, *header, columns),
                TableFormat::Csv => csv::open(path, *header, columns),
                TableFormat::JsonLines => json::open(path, columns),
                #[cfg(feature = "parquet")]
                TableFormat::Parquet => parquet::open(path, columns),
                #[cfg(not(feature = "parquet"))]
                TableFormat::Parquet => {
                    Err(Fault::new("is in the format parquet, and this build reads no such files").at(path))
                }
            }
        }
    }
}

/// The format that a name announces.
fn named(path: &Path) -> Option<TableFormat> {
    let (name, _) = Packing::named(path);
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "tsv" | "tab" | "txt" => Some(TableFormat::Tsv),
        "csv" => Some(TableFormat::Csv),
        "jsonl" | "ndjson" => Some(TableFormat::JsonLines),
        "parquet" => Some(TableFormat::Parquet),
        _ if name == "-" => Some(TableFormat::Tsv),
        _ => None,
    }
}

fn unknown(path: &Path) -> Error {
    let message = "has no known extension, expected .tsv, .txt, .csv, .jsonl (also .gz, .zst) or .parquet";
    Fault::new(message).remedied_by(Remedy::NameFormat).at(path)
}
