//! Canonical variables of rows, written block by block in the format that the extension asks for, with the names of the
//! rows if they have any.

use super::table::failed;
use crate::atomic::Output;
use crate::error::{Fault, Outcome, Result};
use crate::names::Names;
use crate::npy::NpyWriter;
use std::path::{Path, PathBuf};

/// A file of numbers that is written row after row. It appears when it is finished.
pub struct RowWriter {
    path: PathBuf,
    columns: Vec<String>,
    row_names: Option<Names>,
    /// How many rows have been written.
    row: usize,
    format: Format,
}

enum Format {
    Npy(NpyWriter),
    Delimited(Box<csv::Writer<Output>>),
    #[cfg(feature = "parquet")]
    Parquet(Box<super::parquet::Groups>),
}

/// Whether rows can be written to a file of this name, for callers that want to know before they make the rows.
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
    /// Begins a `.npy` (numbers alone), `.csv`, `.tsv` or `.parquet` file of so many rows.
    pub fn create(path: &Path, rows: usize, columns: Vec<String>, row_names: Option<Names>) -> Result<Self> {
        let extension = known(path).map_err(|fault| fault.at(path))?;
        let format = match extension.as_str() {
            "npy" => Format::Npy(NpyWriter::create(path, rows, columns.len())?),
            #[cfg(feature = "parquet")]
            "parquet" => {
                let groups =
                    super::parquet::Groups::create(Output::create(path)?, &columns, row_names.is_some());
                Format::Parquet(Box::new(groups.map_err(|fault| fault.at(path))?))
            }
            extension => {
                let delimiter = if extension == "csv" { b',' } else { b'\t' };
                let writer =
                    csv::WriterBuilder::new().delimiter(delimiter).from_writer(Output::create(path)?);
                Format::Delimited(Box::new(writer))
            }
        };
        let mut writer = RowWriter { path: path.into(), columns, row_names, row: 0, format };
        writer.write_header().map_err(|fault| fault.at(path))?;
        Ok(writer)
    }

    fn write_header(&mut self) -> Outcome<()> {
        let Format::Delimited(writer) = &mut self.format else { return Ok(()) };
        // The column of row names has none, as in tables of pandas and R, so that it is read as such again.
        let header = self.row_names.iter().map(|_| "").chain(self.columns.iter().map(String::as_str));
        writer.write_record(header).map_err(failed)
    }

    /// Writes whole rows, one after another.
    pub fn write_rows(&mut self, block: &[f64]) -> Result<()> {
        let path = self.path.clone();
        if let Format::Npy(writer) = &mut self.format {
            return writer.write_rows(block);
        }
        block
            .chunks_exact(self.columns.len())
            .try_for_each(|numbers| self.write_row(numbers))
            .map_err(|fault| fault.at(&path))
    }

    fn write_row(&mut self, numbers: &[f64]) -> Outcome<()> {
        let name =
            self.row_names.as_ref().filter(|names| self.row < names.len()).map(|names| names.get(self.row));
        self.row += 1;
        match &mut self.format {
            Format::Npy(_) => Ok(()),
            Format::Delimited(writer) => {
                if let Some(name) = name {
                    writer.write_field(name).map_err(failed)?;
                }
                for number in numbers {
                    writer.write_field(format!("{number:?}")).map_err(failed)?;
                }
                writer.write_record(None::<&[u8]>).map_err(failed)
            }
            #[cfg(feature = "parquet")]
            Format::Parquet(groups) => groups.push(name, numbers),
        }
    }

    /// Puts the file in place.
    pub fn finish(self) -> Result<()> {
        let path = self.path;
        match self.format {
            Format::Npy(writer) => writer.finish(),
            Format::Delimited(writer) => match writer.into_inner() {
                Ok(output) => output.commit(),
                Err(error) => Err(Fault::from(error.into_error()).at(&path)),
            },
            #[cfg(feature = "parquet")]
            Format::Parquet(groups) => groups.finish().map_err(|fault| fault.at(&path))?.commit(),
        }
    }
}
