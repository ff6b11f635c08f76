//! Writes canonical variables of rows block by block, in the format that the extension asks for, with the
//! names of the rows if they have any.

use super::cell::{Cell, CellKind};
use super::cells::TableWriter;
use super::formulas::Formulas;
use crate::error::{Fault, Outcome, Result};
use crate::matrix::npy::NpyWriter;
use crate::parts::names::Names;
use std::path::Path;

/// A file of numbers that is written row after row. It appears when it is finished.
pub struct RowWriter {
    /// The number of values in a row.
    columns: usize,
    row_names: Option<Names>,
    /// The number of rows that have been written.
    row: usize,
    format: Format,
}

enum Format {
    Npy(NpyWriter),
    Table(TableWriter),
}

/// Whether rows can be written to a file of this name. Callers can ask before they make the rows.
pub fn check_rows(path: &Path) -> Result<()> {
    known(path).map(|_| ()).map_err(|fault| fault.at(path))
}

fn known(path: &Path) -> Outcome<String> {
    let extension = path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "npy" | "csv" | "tsv" => Ok(extension),
        "parquet" if cfg!(feature = "parquet") => Ok(extension),
        "parquet" => Err(Fault::new("this build writes no Parquet files")),
        "npz" | "arrow" | "feather" => Err(Fault::new(format!(
            ".{extension} files of canonical variables are not written, expected .npy, .csv, .tsv or .parquet"
        ))),
        _ => Err(Fault::new("has no known extension, expected .npy, .csv, .tsv or .parquet")),
    }
}

impl RowWriter {
    /// Begins a `.npy` (numbers alone), `.csv`, `.tsv` or `.parquet` file of `rows` rows.
    pub fn create(
        path: &Path,
        rows: usize,
        columns: Vec<String>,
        row_names: Option<Names>,
        formulas: Formulas,
    ) -> Result<Self> {
        let extension = known(path).map_err(|fault| fault.at(path))?;
        let format = if extension == "npy" {
            Format::Npy(NpyWriter::create(path, rows, columns.len())?)
        } else {
            // In text files the column of row names has an empty name, as in tables of pandas and R, so
            // that it is read as row names again.
            let name = if extension == "parquet" { "name" } else { "" };
            let name = row_names.iter().map(|_| (name, CellKind::Text));
            let numbers = columns.iter().map(|column| (column.as_str(), CellKind::Number));
            Format::Table(TableWriter::create(path, &name.chain(numbers).collect::<Vec<_>>(), formulas)?)
        };
        Ok(RowWriter { columns: columns.len(), row_names, row: 0, format })
    }

    /// Writes whole rows, one after another.
    pub fn write_rows(&mut self, block: &[f64]) -> Result<()> {
        let table = match &mut self.format {
            Format::Npy(writer) => return writer.write_rows(block),
            Format::Table(table) => table,
        };
        for numbers in block.chunks_exact(self.columns) {
            let name = self.row_names.as_ref().map(|names| names.get(self.row));
            self.row += 1;
            let numbers = numbers.iter().map(|&number| Cell::Number(number));
            table.write(name.map(Cell::Text).into_iter().chain(numbers))?;
        }
        Ok(())
    }

    /// Puts the file in place. Returns the number of names in it that a spreadsheet takes for formulas.
    pub fn finish(self) -> Result<usize> {
        match self.format {
            Format::Npy(writer) => writer.finish().map(|()| 0),
            Format::Table(table) => table.finish(),
        }
    }
}
