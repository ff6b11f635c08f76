//! A folder of single-cell counts: `matrix.mtx` (features × cells), `features.tsv` (or `genes.tsv`) and `barcodes.tsv`,
//! each possibly with `.gz` or `.zst`. Cells are samples, so they become the rows; features name the columns, by the second
//! field of their line (the symbol of a gene) where there is one.

use crate::Names;
use crate::assemble::{self, Assembled};
use crate::error::{Fault, Outcome};
use crate::text::Text;
use crate::triplets::{Columns, Triplets};
use crate::values::Growing;
use crate::views::LineReader;
use crate::{format, matrix_market, source};
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

pub(crate) fn read(folder: &Path) -> Outcome<Assembled> {
    let path = find(folder, MATRIX).ok_or_else(|| Fault::new("holds no matrix.mtx"))?;
    let name = name_of(&path);
    let text = Text::new(source::stream(&path, format::packing(&path)?)?);
    let Assembled { matrix, mut notes } = matrix_market::read(text).map_err(|fault| fault.beneath(&name))?;
    check_lines(folder, FEATURES, matrix.rows(), &name, "rows")?;
    check_lines(folder, BARCODES, matrix.cols(), &name, "columns")?;
    let turned = transposed(&matrix)?;
    notes.push("cells are rows: the matrix was transposed".into());
    notes.extend(turned.notes);
    Ok(Assembled { matrix: turned.matrix, notes })
}

/// The names of the features, where the folder has them.
pub(crate) fn read_names(folder: &Path) -> Outcome<Option<Names>> {
    match find(folder, FEATURES) {
        None => Ok(None),
        Some(path) => {
            let symbol = |line: &str| {
                line.split('\t').nth(1).or(line.split('\t').next()).unwrap_or_default().to_string()
            };
            Ok(Some(Names::new(lines(&path)?.iter().map(|line| symbol(line)))))
        }
    }
}

fn lines(path: &Path) -> Outcome<Vec<String>> {
    let within = |fault: Fault| fault.beneath(&name_of(path));
    let mut reader = LineReader::open(path).map_err(within)?;
    let mut lines = Vec::new();
    while let Some(bytes) = reader.one().map_err(within)? {
        let line = String::from_utf8(bytes);
        lines.push(line.map_err(|_| within(Fault::line(reader.line - 1, "is not UTF-8")))?);
    }
    Ok(lines)
}

fn check_lines(folder: &Path, names: &[&str], expected: usize, matrix: &str, side: &str) -> Outcome<()> {
    let Some(path) = find(folder, names) else { return Ok(()) };
    match lines(&path)?.len() {
        found if found == expected => Ok(()),
        found => {
            let message = format!("has {found} lines, expected {expected}, the {side} of {matrix}");
            Err(Fault::new(message).within(&name_of(&path)))
        }
    }
}

fn name_of(path: &Path) -> String {
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Compressed rows of a matrix are compressed columns of its transpose.
fn transposed(matrix: &Matrix) -> Outcome<Assembled> {
    let (offsets, rows_of, values) = match matrix {
        Matrix::Sparse(rows) => (rows.offsets().clone(), rows.columns().clone(), rows.values().clone()),
        other => listed(other),
    };
    let entries = Triplets { rows: rows_of, columns: Columns::Grouped(offsets), values };
    assemble::triplets(matrix.cols(), matrix.rows(), entries)
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
