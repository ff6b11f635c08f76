//! Reading matrices and pairing them; remarks about a file are printed once.

use crate::failure::Failure;
use crate::progress;
use lcca::data::{InMemory, Pair};
use lcca::matrix::{Buffer, Matrix};
use lcca_io::{Loaded, ReadOptions, read_matrix_with};
use std::path::{Path, PathBuf};

/// Reads one matrix.
pub fn matrix(path: &Path, options: &ReadOptions, quiet: bool) -> Result<Loaded, Failure> {
    read(path, quiet, || read_matrix_with(path, options))
}

fn read(path: &Path, quiet: bool, read: impl FnOnce() -> lcca_io::Result<Loaded>) -> Result<Loaded, Failure> {
    let spinner = progress::spinner(format!("reading {}", path.display()), quiet);
    let loaded = read()?;
    spinner.finish_and_clear();
    if !quiet {
        loaded.notes.iter().for_each(|note| eprintln!("lcca: {}: {note}", path.display()));
    }
    Ok(loaded)
}

/// Reads both views, X first, without the empty columns of a wide view.
pub fn views(paths: [&Path; 2], options: &[ReadOptions; 2], quiet: bool) -> Result<[Loaded; 2], Failure> {
    Ok([view(paths[0], &options[0], quiet)?, view(paths[1], &options[1], quiet)?])
}

fn view(path: &Path, options: &ReadOptions, quiet: bool) -> Result<Loaded, Failure> {
    read(path, quiet, || read_matrix_with(path, options)?.without_empty_columns(path))
}

/// Pairs two views. If their numbers of rows differ, the failure says which file has how many.
pub fn pair(paths: [&Path; 2], [x, y]: [Matrix; 2]) -> Result<InMemory, Failure> {
    if x.rows() != y.rows() {
        return Err(Failure::Usage(format!(
            "{} has {} rows and {} has {}, expected as many rows in both",
            paths[0].display(),
            x.rows(),
            paths[1].display(),
            y.rows()
        )));
    }
    Ok(InMemory::new(x, y)?)
}

/// Weights the rows of a pair by a file, if there is one.
pub fn weighted(pair: InMemory, weights: Option<&Path>, quiet: bool) -> Result<InMemory, Failure> {
    let Some(path) = weights else { return Ok(pair) };
    let weights = row_weights(path, pair.shape().rows, quiet)?;
    pair.weighted(weights).map_err(|error| Failure::in_file(path, error))
}

/// Reads one number per row.
fn row_weights(path: &Path, rows: usize, quiet: bool) -> Result<Buffer<f64>, Failure> {
    let matrix = matrix(path, &ReadOptions::default(), quiet)?.matrix;
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

/// Refuses an output that would replace one of the inputs.
pub fn check_output(output: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    match inputs.iter().find(|input| is_same_file(input, output)) {
        None => Ok(()),
        Some(input) => {
            let input = input.display();
            Err(Failure::Usage(format!("{input}: is to be read and written, expected another file to write")))
        }
    }
}

/// Whether two paths lead to the same file, which need not exist yet.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    absolute(a).is_some_and(|a| absolute(b) == Some(a))
}

/// The path with links resolved; of a file that does not exist, the links of its folder.
fn absolute(path: &Path) -> Option<PathBuf> {
    if let Ok(path) = path.canonicalize() {
        return Some(path);
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(folder.canonicalize().ok()?.join(path.file_name()?))
}
