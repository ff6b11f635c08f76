//! Rows of texts from files: batches read one after another, each cut into rows by whatever thread works on it.
//!
//! One format a file. A row's three texts are those of x, of y, and the label; a text that nobody asked for is empty.

mod csv;
mod json;
pub(crate) mod lines;
mod paired;
mod parquet;
mod tsv;

use crate::error::{Fault, Outcome, Result};
use crate::format;
use crate::source;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

/// A text file with columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Fields between tabs; quotes mean nothing.
    Tsv,
    /// Fields between commas, quoted where they hold commas or line ends.
    Csv,
    /// One JSON object a line.
    JsonLines,
    /// A Parquet file; its columns have names.
    Parquet,
}

/// Where the texts of two views come from.
#[derive(Clone, Debug, PartialEq)]
pub enum TextInput {
    /// Columns of one file, `-` for standard input. A column is given by its name or by its number from 1.
    Table {
        /// The file.
        path: PathBuf,
        /// Its format, where its name does not say.
        format: Option<TableFormat>,
        /// Whether its first line names the columns.
        header: bool,
        /// The column of x, of y and, where labels are wanted, of the label.
        columns: [Option<String>; 3],
    },
    /// A line of each file is a row.
    Lines {
        /// The texts of x.
        x: PathBuf,
        /// The texts of y.
        y: PathBuf,
    },
}

/// One row.
pub(crate) struct Row<'a> {
    /// Its line in the file, from 1.
    pub(crate) line: u64,
    pub(crate) texts: [&'a [u8]; 3],
}

/// Some rows, not yet cut apart.
pub(crate) trait Batch: Send {
    /// The file that text number `text` of these rows comes from.
    fn path(&self, text: usize) -> &Path;
    fn for_each(&self, visit: &mut dyn FnMut(Row<'_>) -> Result<()>) -> Result<()>;
}

/// Gives the next batch, or none at the end.
pub(crate) type Batches = Box<dyn FnMut() -> Result<Option<Box<dyn Batch>>> + Send>;

pub(crate) fn open(input: &TextInput) -> Result<Batches> {
    match input {
        TextInput::Lines { x, y } => paired::open(x, y),
        TextInput::Table { path, format, header, columns } => {
            let format = format.or_else(|| named(path)).ok_or_else(|| unknown(path))?;
            match format {
                TableFormat::Tsv => tsv::open(path, *header, columns),
                TableFormat::Csv => csv::open(path, *header, columns),
                TableFormat::JsonLines => json::open(path, columns),
                TableFormat::Parquet => parquet::open(path, columns),
            }
        }
    }
}

/// The format that a name announces.
fn named(path: &Path) -> Option<TableFormat> {
    let name = path.file_name()?.to_string_lossy().to_lowercase();
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(&name);
    match name.rsplit_once('.').map_or("", |(_, extension)| extension) {
        "tsv" | "tab" | "txt" => Some(TableFormat::Tsv),
        "csv" => Some(TableFormat::Csv),
        "jsonl" | "ndjson" => Some(TableFormat::JsonLines),
        "parquet" => Some(TableFormat::Parquet),
        _ if name == "-" => Some(TableFormat::Tsv),
        _ => None,
    }
}

fn unknown(path: &Path) -> crate::Error {
    Fault::new(
        "has no known extension, expected .tsv, .txt, .csv, .jsonl (also .gz, .zst) or .parquet, or --format",
    )
    .at(path)
}

/// The bytes of a file, unpacked, without the mark some programs put at the beginning of UTF-8.
pub(crate) fn stream(path: &Path) -> Outcome<Box<dyn BufRead + Send>> {
    const MARK: &[u8] = b"\xef\xbb\xbf";
    let bytes: Box<dyn Read + Send> = match path.as_os_str() == "-" {
        true => Box::new(std::io::stdin()),
        false => source::stream(path, format::packing(path)?)?,
    };
    let mut bytes = BufReader::with_capacity(1 << 18, bytes);
    if bytes.fill_buf()?.starts_with(MARK) {
        bytes.consume(MARK.len());
    }
    Ok(Box::new(bytes))
}

/// Which field each of the three texts is; `header` where the columns have names.
fn picked(
    columns: &[Option<String>; 3],
    header: Option<&[String]>,
    fields: usize,
) -> Outcome<[Option<usize>; 3]> {
    let mut picked = [None; 3];
    for (place, column) in picked.iter_mut().zip(columns) {
        *place = column.as_deref().map(|column| pick(column, header, fields)).transpose()?;
    }
    Ok(picked)
}

fn pick(column: &str, header: Option<&[String]>, fields: usize) -> Outcome<usize> {
    let by_name = header.and_then(|names| names.iter().position(|name| name == column));
    let by_number = || column.parse::<usize>().ok().filter(|number| (1..=fields).contains(number));
    by_name.or_else(|| by_number().map(|number| number - 1)).ok_or_else(|| missing(column, header, fields))
}

fn missing(column: &str, header: Option<&[String]>, fields: usize) -> Fault {
    const SHOWN: usize = 10;
    let expected = match header {
        None => format!("a number in 1..={fields}"),
        Some(names) => {
            let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
            let more = if names.len() > SHOWN { ", …" } else { "" };
            format!("one of {}{more} or a number in 1..={fields}", shown.join(", "))
        }
    };
    Fault::line(1, format!("there is no column {column:?}, expected {expected}"))
}

fn ragged(line: u64, found: usize, expected: usize) -> Fault {
    let plural = if found == 1 { "" } else { "s" };
    Fault::line(line, format!("has {found} field{plural}, expected {expected} as in the first line"))
}

pub(crate) fn utf8(line: u64) -> Fault {
    Fault::line(line, "is not UTF-8; --lossy replaces what is broken")
}
