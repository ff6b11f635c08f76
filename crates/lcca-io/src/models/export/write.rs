//! Writes rows with names in the format that the extension asks for.

use super::named_rows::{Exported, NamedRows, escaped};
#[cfg(feature = "parquet")]
use super::parquet;
use super::{table, word2vec};
use crate::error::{Fault, Outcome, Result};
use crate::matrix::npy::NpyWriter;
use crate::parts::names::Names;
use crate::safe::atomic::Output;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};

/// A format that rows with names are written in.
#[derive(Clone, Copy, PartialEq)]
enum Format {
    Word2Vec,
    Npy,
    #[cfg(feature = "parquet")]
    Parquet,
    Delimited(u8),
}

/// Writes `.txt` or `.vec` (the text format of word2vec), `.npy` (with the names beside, see
/// [`names_beside`]), `.parquet`, `.csv` or `.tsv`. The file appears whole or not at all.
pub fn export_rows(path: &Path, rows: &NamedRows<'_>) -> Result<Exported> {
    let format = format(path).map_err(|fault| fault.at(path))?;
    check(rows).map_err(|fault| fault.at(path))?;
    if format == Format::Npy {
        return npy(path, rows);
    }
    let mut output = Output::create(path)?;
    let written = match format {
        #[cfg(feature = "parquet")]
        Format::Parquet => parquet::write(&mut output, rows).map(|()| Exported::default()),
        Format::Delimited(delimiter) => table::write(&mut output, rows, delimiter),
        _ => word2vec::write(&mut output, rows),
    };
    let exported = written.map_err(|fault| fault.at(path))?;
    output.commit()?;
    Ok(exported)
}

/// Whether rows can be written to a file of this name. Callers can ask before they make the rows.
pub fn check_export(path: &Path) -> Result<()> {
    format(path).map(|_| ()).map_err(|fault| fault.at(path))
}

/// The file for the names that an `.npy` file cannot hold. It is called like that file, followed by
/// `.names.txt`.
pub fn names_beside(path: &Path) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(".names.txt");
    name.into()
}

fn format(path: &Path) -> Outcome<Format> {
    let extension = path.extension().map(|end| end.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("txt" | "vec") => Ok(Format::Word2Vec),
        Some("npy") => Ok(Format::Npy),
        #[cfg(feature = "parquet")]
        Some("parquet") => Ok(Format::Parquet),
        #[cfg(not(feature = "parquet"))]
        Some("parquet") => Err(Fault::new("this build writes no Parquet files")),
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
    if named != rows.numbers.rows() || !fits {
        return Err(Fault::new(format!(
            "{named} names and {} × {} numbers, expected {} × {} at least and as many names as rows",
            rows.numbers.rows(),
            rows.numbers.cols(),
            rows.rows,
            rows.components
        )));
    }
    Ok(())
}

/// Writes the numbers, and the names one per line. Both are written before either is put in place; the
/// names are put in place first.
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
