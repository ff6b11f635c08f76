//! Writes a table of texts and numbers line after line, in the format that the extension asks for. Memory
//! holds one line of a text file, or one group of rows of a Parquet file.

use super::cell::{Cell, CellKind};
use super::formulas::{Formulas, Texts};
use super::table::failed;
use crate::error::{Fault, Outcome, Result};
use crate::safe::atomic::Output;
use std::path::{Path, PathBuf};

/// A `.csv`, `.tsv` or `.parquet` file. It appears when it is finished.
pub struct TableWriter {
    path: PathBuf,
    format: Format,
}

enum Format {
    Delimited(Box<csv::Writer<Output>>, Texts),
    #[cfg(feature = "parquet")]
    Parquet(Box<super::parquet::Groups>),
}

/// Whether a table can be written to a file of this name. Callers can ask before they make the table.
pub fn check_table(path: &Path) -> Result<()> {
    known(path).map(|_| ()).map_err(|fault| fault.at(path))
}

/// The extension, if it is one of a table.
fn known(path: &Path) -> Outcome<String> {
    let extension = path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default();
    match extension.as_str() {
        "csv" | "tsv" => Ok(extension),
        "parquet" if cfg!(feature = "parquet") => Ok(extension),
        "parquet" => Err(Fault::new("this build writes no Parquet files")),
        _ => Err(Fault::new("is not the name of a table, expected .csv, .tsv or .parquet")),
    }
}

impl TableWriter {
    /// Begins a table with these columns.
    pub fn create(path: &Path, columns: &[(&str, CellKind)], formulas: Formulas) -> Result<Self> {
        let extension = known(path).map_err(|fault| fault.at(path))?;
        let out = Output::create(path)?;
        let format = match extension.as_str() {
            #[cfg(feature = "parquet")]
            "parquet" => super::parquet::Groups::create(out, columns).map(Box::new).map(Format::Parquet),
            "csv" => begin_delimited(out, b',', columns, formulas),
            _ => begin_delimited(out, b'\t', columns, formulas),
        };
        Ok(TableWriter { path: path.into(), format: format.map_err(|fault| fault.at(path))? })
    }

    /// Writes one line. Each cell must be of the kind of its column.
    pub fn write<'c>(&mut self, cells: impl IntoIterator<Item = Cell<'c>>) -> Result<()> {
        let written = match &mut self.format {
            Format::Delimited(writer, texts) => delimited(writer, texts, cells),
            #[cfg(feature = "parquet")]
            Format::Parquet(groups) => groups.push(cells),
        };
        written.map_err(|fault| fault.at(&self.path))
    }

    /// Puts the file in place. Returns the number of texts in it that a spreadsheet takes for formulas.
    pub fn finish(self) -> Result<usize> {
        match self.format {
            Format::Delimited(writer, texts) => {
                let output = writer.into_inner().map_err(|e| Fault::from(e.into_error()).at(&self.path))?;
                output.commit().map(|()| texts.left)
            }
            #[cfg(feature = "parquet")]
            Format::Parquet(groups) => {
                groups.finish().map_err(|fault| fault.at(&self.path))?.commit().map(|()| 0)
            }
        }
    }
}

fn begin_delimited(
    out: Output,
    delimiter: u8,
    columns: &[(&str, CellKind)],
    formulas: Formulas,
) -> Outcome<Format> {
    let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(out);
    writer.write_record(columns.iter().map(|(name, _)| name)).map_err(failed)?;
    Ok(Format::Delimited(Box::new(writer), Texts::new(formulas)))
}

fn delimited<'c>(
    writer: &mut csv::Writer<Output>,
    texts: &mut Texts,
    cells: impl IntoIterator<Item = Cell<'c>>,
) -> Outcome<()> {
    for cell in cells {
        match cell {
            Cell::Text(text) => writer.write_field(&*texts.cell(text)),
            Cell::Integer(number) => writer.write_field(number.to_string()),
            Cell::Number(number) => writer.write_field(format!("{number:?}")),
        }
        .map_err(failed)?;
    }
    writer.write_record(None::<&[u8]>).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read_matrix;

    /// One line more than there are rows in a group of a Parquet file.
    const LINES: i64 = (1 << 16) + 1;

    #[test]
    fn every_format_has_the_same_cells() {
        let folder = tempfile::tempdir().unwrap();
        let columns =
            [("a \"b\", c", CellKind::Number), ("pair", CellKind::Integer), ("kind", CellKind::Text)];
        let read = ["csv", "tsv", "parquet"].map(|extension| {
            let path = folder.path().join(format!("table.{extension}"));
            let mut table = TableWriter::create(&path, &columns, Formulas::Kept).unwrap();
            for line in 0..LINES {
                let text = if line % 2 == 0 { "x, \"y\"" } else { "z\tz" };
                let number = Cell::Number(1.0 / (1 + line) as f64);
                table.write([number, Cell::Integer(line % 7), Cell::Text(text)]).unwrap();
            }
            table.finish().unwrap();
            read_matrix(&path).unwrap()
        });
        for table in &read {
            let names: Vec<String> = table.names().unwrap().unwrap().iter().map(String::from).collect();
            assert_eq!(names, ["a \"b\", c", "pair", "kind=x, \"y\"", "kind=z\tz"]);
            for row in [0, 1, 8, LINES as usize - 1] {
                let mut cells = [0.0; 4];
                table.matrix.for_each(row, |column, value| cells[column] = value);
                let is_even = f64::from(u8::from(row % 2 == 0));
                assert_eq!(cells, [1.0 / (1 + row) as f64, (row % 7) as f64, is_even, 1.0 - is_even]);
            }
        }
    }

    #[test]
    fn other_extensions_are_refused_and_unfinished_tables_do_not_appear() {
        let folder = tempfile::tempdir().unwrap();
        let refused = check_table(&folder.path().join("table.npy")).unwrap_err().to_string();
        assert!(refused.contains("expected .csv, .tsv or .parquet"), "{refused}");
        let path = folder.path().join("table.csv");
        let mut table = TableWriter::create(&path, &[("a", CellKind::Number)], Formulas::Kept).unwrap();
        table.write([Cell::Number(1.0)]).unwrap();
        drop(table);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
