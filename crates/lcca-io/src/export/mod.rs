//! Rows of numbers with names, such as the weights of a model or word vectors, for other programs.
//!
//! One format a file, chosen by the extension; every number can be read back to the bit. The numbers are written as they
//! lie, so memory holds little beyond them.

mod parquet;
mod table;
mod word2vec;

use crate::Names;
use crate::atomic::Output;
use crate::error::{Fault, Outcome, Result};
use crate::npy::NpyWriter;
use lcca::matrix::Panel;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

/// What is written: a name and some numbers a row.
pub struct NamedRows<'a> {
    /// The numbers.
    pub numbers: &'a Panel,
    /// The names of the rows; where there are none, their numbers from 0 are.
    pub names: Option<&'a Names>,
    /// Only the first so many rows.
    pub rows: usize,
    /// Only the first so many numbers of each row.
    pub components: usize,
}

/// What became of the names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exported {
    /// Names that had to be changed for the format.
    pub changed: usize,
    /// Names that are, so changed, the same as an earlier one.
    pub repeated: usize,
    /// The file with the names, where that is another one.
    pub names: Option<PathBuf>,
}

/// A format that rows with names are written in.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    Word2Vec,
    Npy,
    Parquet,
    Delimited(u8),
}

impl NamedRows<'_> {
    fn name(&self, row: usize) -> String {
        self.names.map_or_else(|| row.to_string(), |names| names.get(row).to_string())
    }

    fn numbers(&self, row: usize) -> &[f64] {
        &self.numbers.row(row)[..self.components]
    }

    /// What the columns of a table are called: the name, then the components from 1.
    fn header(&self) -> impl Iterator<Item = String> {
        std::iter::once("name".into()).chain((1..=self.components).map(|at| format!("component_{at}")))
    }
}

/// Writes `.txt` or `.vec` (the text format of word2vec), `.npy` (with the names beside, see [`names_beside`]), `.parquet`,
/// `.csv` or `.tsv`. The file appears whole or not at all.
pub fn export_rows(path: &Path, rows: &NamedRows<'_>) -> Result<Exported> {
    let format = format(path).map_err(|fault| fault.at(path))?;
    check(rows).map_err(|fault| fault.at(path))?;
    if format == Format::Npy {
        return npy(path, rows);
    }
    let mut output = Output::create(path)?;
    let written = match format {
        Format::Parquet => parquet::write(&mut output, rows).map(|()| Exported::default()),
        Format::Delimited(delimiter) => {
            table::write(&mut output, rows, delimiter).map(|()| Exported::default())
        }
        _ => word2vec::write(&mut output, rows),
    };
    let exported = written.map_err(|fault| fault.at(path))?;
    output.commit()?;
    Ok(exported)
}

/// Whether rows can be written to a file of this name; asked before they are made.
pub fn check_export(path: &Path) -> Result<()> {
    format(path).map(|_| ()).map_err(|fault| fault.at(path))
}

/// Where the names go that an `.npy` file has no room for: its own name with `.names.txt` behind.
pub fn names_beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".names.txt");
    name.into()
}

/// A name as one field of a line: backslash, tab, line feed and carriage return are written `\\`, `\t`, `\n` and `\r`.
pub fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}

fn format(path: &Path) -> Outcome<Format> {
    let extension = path.extension().map(|end| end.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("txt" | "vec") => Ok(Format::Word2Vec),
        Some("npy") => Ok(Format::Npy),
        Some("parquet") => Ok(Format::Parquet),
        Some("csv") => Ok(Format::Delimited(b',')),
        Some("tsv") => Ok(Format::Delimited(b'\t')),
        _ => Err(Fault::new(
            "has no known extension; expected .txt or .vec (word2vec), .npy, .parquet, .csv or .tsv",
        )),
    }
}

fn check(rows: &NamedRows<'_>) -> Outcome<()> {
    let named = rows.names.map_or(rows.numbers.rows(), Names::len);
    let fits = rows.rows <= rows.numbers.rows() && rows.components <= rows.numbers.cols();
    match named == rows.numbers.rows() && fits {
        true => Ok(()),
        false => Err(Fault::new(format!(
            "{named} names and {} × {} numbers, expected {} × {} at least and as many names as rows",
            rows.numbers.rows(),
            rows.numbers.cols(),
            rows.rows,
            rows.components
        ))),
    }
}

/// The numbers and, one a line, the names. Both are written before either is put in place, the names first.
fn npy(path: &Path, rows: &NamedRows<'_>) -> Result<Exported> {
    let beside = names_beside(path);
    let mut names = Output::create(&beside)?;
    let mut numbers = NpyWriter::create(path, rows.rows, rows.components)?;
    for row in 0..rows.rows {
        writeln!(names, "{}", escaped(&rows.name(row))).map_err(|error| names.failed(error))?;
        numbers.write_rows(rows.numbers(row))?;
    }
    names.commit()?;
    numbers.finish()?;
    Ok(Exported { names: Some(beside), ..Exported::default() })
}
