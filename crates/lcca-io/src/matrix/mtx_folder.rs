//! A folder of single-cell counts: `matrix.mtx` (features × cells), `features.tsv` (or `genes.tsv`) and
//! `barcodes.tsv`, each possibly with `.gz` or `.zst`. Cells become the rows, because they are the samples.
//! Features name the columns, by the second field of their line (the symbol of a gene) if there is one.

use super::assemble::{self, Assembled};
use super::matrix_market;
use super::missing::Filling;
use super::triplets::{Columns, Triplets};
use super::values::Growing;
use crate::error::{Fault, Outcome};
use crate::input::lines::LineReader;
use crate::input::source::Source;
use crate::input::text::Text;
use crate::parts::names::Names;
use lcca::matrix::{Buffer, Matrix, Values};
use std::path::{Path, PathBuf};

const MATRIX: &[&str] = &["matrix.mtx"];
const FEATURES: &[&str] = &["features.tsv", "genes.tsv"];
const BARCODES: &[&str] = &["barcodes.tsv"];

/// Whether there is a matrix in the folder.
pub(crate) fn is_one(path: &Path) -> bool {
    path.is_dir() && find(path, MATRIX).is_some()
}

fn find(folder: &Path, names: &[&str]) -> Option<PathBuf> {
    let packed = names.iter().flat_map(|name| ["", ".gz", ".zst"].map(|packing| format!("{name}{packing}")));
    packed.map(|name| folder.join(name)).find(|path| path.is_file())
}

/// Reads the matrix, the names of its columns and those of its rows, if the folder has them. Each file is
/// opened once.
pub(crate) fn read(folder: &Path) -> Outcome<(Assembled, Option<Names>, Option<Names>)> {
    let path = find(folder, MATRIX).ok_or_else(|| Fault::new("holds no matrix.mtx"))?;
    let name = file_name(&path);
    let text = Text::new(Source::open(&path)?.stream()?);
    let read = matrix_market::read(text, Filling::REFUSED);
    let Assembled { matrix, mut notes, .. } = read.map_err(|fault| fault.in_file(&name))?;
    let features = lines(folder, FEATURES)?;
    if let Some(features) = &features {
        features.check_len(matrix.rows(), &format!("the rows of {name}"))?;
    }
    let barcodes = lines(folder, BARCODES)?;
    if let Some(barcodes) = &barcodes {
        barcodes.check_len(matrix.cols(), &format!("the columns of {name}"))?;
    }
    let cells_as_rows = transposed(&matrix)?;
    notes.push("cells are rows: the matrix was transposed".into());
    notes.extend(cells_as_rows.notes.iter().cloned());
    let assembled = Assembled { notes, ..cells_as_rows };
    let cells = barcodes.map(|barcodes| barcodes.firsts());
    Ok((assembled, features.map(|features| features.symbols()), cells))
}

/// The names of the features, if the folder has them.
pub(crate) fn read_names(folder: &Path) -> Outcome<Option<Names>> {
    Ok(lines(folder, FEATURES)?.map(|features| features.symbols()))
}

/// The lines of one file of the folder.
struct Lines {
    file: String,
    lines: Vec<String>,
}

fn lines(folder: &Path, names: &[&str]) -> Outcome<Option<Lines>> {
    let Some(path) = find(folder, names) else { return Ok(None) };
    let file = file_name(&path);
    let mut lines = Vec::new();
    let mut reader = LineReader::open(&path).map_err(|fault| fault.in_file(&file))?;
    while let Some(bytes) = reader.one().map_err(|fault| fault.in_file(&file))? {
        let line = String::from_utf8(bytes);
        lines.push(line.map_err(|_| Fault::line(reader.line - 1, "is not UTF-8").in_file(&file))?);
    }
    Ok(Some(Lines { file, lines }))
}

impl Lines {
    fn check_len(&self, expected: usize, what: &str) -> Outcome<()> {
        let len = self.lines.len();
        if len != expected {
            let message = format!("has {len} lines, expected {expected}, {what}");
            return Err(Fault::new(message).within(&self.file));
        }
        Ok(())
    }

    /// The first field of each line.
    fn firsts(&self) -> Names {
        Names::new(self.lines.iter().map(|line| line.split('\t').next().unwrap_or_default()))
    }

    /// The second field of each line, or the first if it is the only one.
    fn symbols(&self) -> Names {
        Names::new(self.lines.iter().map(|line| {
            let mut fields = line.split('\t');
            let first = fields.next().unwrap_or_default();
            fields.next().unwrap_or(first)
        }))
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The transpose of a matrix. Its compressed rows are the compressed columns of the transpose.
fn transposed(matrix: &Matrix) -> Outcome<Assembled> {
    let (offsets, rows_of, values) = match matrix {
        Matrix::Sparse(rows) => (rows.offsets().clone(), rows.columns().clone(), rows.values().clone()),
        other => listed(other),
    };
    let entries = Triplets { rows: rows_of, columns: Columns::Grouped(offsets), values };
    assemble::triplets(matrix.cols(), matrix.rows(), entries, Filling::REFUSED)
}

fn listed(matrix: &Matrix) -> (Buffer<u64>, Buffer<u32>, Values) {
    let (mut ends, mut columns, mut values) = (vec![0u64], Vec::new(), Growing::new());
    for row in 0..matrix.rows() {
        matrix.for_each(row, |column, value| {
            columns.push(column as u32);
            values.push(value);
        });
        ends.push(columns.len() as u64);
    }
    (ends.into(), columns.into(), values.into_values())
}
