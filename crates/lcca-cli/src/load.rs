//! Reading views, with remarks said once.

use crate::args::Reading;
use crate::failure::Failure;
use crate::progress;
use lcca::data::{InMemory, Pair};
use lcca::matrix::{Buffer, Matrix};
use lcca_io::{ReadOptions, read_matrix_with};
use std::path::{Path, PathBuf};

/// Reads one view.
pub fn view(path: &Path, cols: Option<usize>, zero_based: bool, quiet: bool) -> Result<Matrix, Failure> {
    let spinner = progress::spinner(format!("reading {}", path.display()), quiet);
    let options = ReadOptions { cols, zero_based: zero_based.then_some(true) };
    let loaded = read_matrix_with(path, &options)?;
    spinner.finish_and_clear();
    if !quiet {
        loaded.notes.iter().for_each(|note| eprintln!("lcca: {}: {note}", path.display()));
    }
    Ok(loaded.matrix)
}

/// Pairs two views; where their rows differ, says which file has how many.
pub fn pair(x: (&Path, Matrix), y: (&Path, Matrix)) -> Result<InMemory, Failure> {
    if x.1.rows() != y.1.rows() {
        return Err(Failure::Usage(format!(
            "{} has {} rows and {} has {}, expected as many rows in both",
            x.0.display(),
            x.1.rows(),
            y.0.display(),
            y.1.rows()
        )));
    }
    Ok(InMemory::new(x.1, y.1)?)
}

/// Reads and pairs both views, and weights their rows where there are weights.
pub fn views(
    x: &Path,
    y: &Path,
    reading: &Reading,
    row_weights: Option<&Path>,
    quiet: bool,
) -> Result<InMemory, Failure> {
    let first = view(x, reading.x_cols, reading.zero_based, quiet)?;
    let second = view(y, reading.y_cols, reading.zero_based, quiet)?;
    let pair = pair((x, first), (y, second))?;
    match row_weights {
        None => Ok(pair),
        Some(path) => {
            let weights = weights(path, pair.shape().rows, quiet)?;
            pair.weighted(weights).map_err(|error| Failure::data_of(path, error))
        }
    }
}

/// A result must not take the place of what it was made from.
pub fn check_output(output: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    match inputs.iter().find(|input| is_same(input, output)) {
        None => Ok(()),
        Some(input) => {
            let input = input.display();
            Err(Failure::Usage(format!("{input}: is to be read and written, expected another file to write")))
        }
    }
}

/// Whether two paths lead to the same file, which need not be there yet.
pub fn is_same(a: &Path, b: &Path) -> bool {
    place(a).is_some_and(|a| place(b) == Some(a))
}

fn place(path: &Path) -> Option<PathBuf> {
    let in_folder = || {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(path.file_name()?))
    };
    path.canonicalize().ok().or_else(in_folder)
}

/// Reads one number a row.
pub fn weights(path: &Path, rows: usize, quiet: bool) -> Result<Buffer<f64>, Failure> {
    let matrix = view(path, None, false, quiet)?;
    if matrix.cols() != 1 || matrix.rows() != rows {
        return Err(Failure::Usage(format!(
            "{}: {} rows and {} columns, expected {rows} rows and one column of weights",
            path.display(),
            matrix.rows(),
            matrix.cols()
        )));
    }
    let mut weights = vec![0.0; rows];
    (0..rows).for_each(|row| matrix.for_each(row, |_, value| weights[row] = value));
    if weights.iter().all(|&weight| weight == 0.0) {
        let path = path.display();
        return Err(Failure::Usage(format!("{path}: every row weight is 0, expected one above")));
    }
    Ok(weights.into())
}
