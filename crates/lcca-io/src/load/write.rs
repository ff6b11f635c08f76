//! Writes a matrix in the format that its name announces.

use crate::error::{Fault, Outcome, Result};
use crate::input::format::{self, Format};
use crate::matrix::assemble::check_shape;
use crate::matrix::store::{self, StoredNames};
use crate::matrix::{matrix_market, npy, npz};
use crate::parts::names::Names;
use crate::safe::atomic::Output;
use lcca::matrix::Matrix;
use std::path::Path;

/// Writes a matrix: `.safetensors` or `.lcca` (the mapped store), `.npz` (SciPy's compressed rows), `.npy`
/// (dense only) or `.mtx`. The file appears whole or not at all.
pub fn write_matrix(path: &Path, matrix: &Matrix) -> Result<()> {
    write_matrix_named(path, matrix, None)
}

/// Writes a matrix with the names of its columns. Only the store keeps them; see [`keeps_names`].
pub fn write_matrix_named(path: &Path, matrix: &Matrix, names: Option<&Names>) -> Result<()> {
    write_with_names(path, matrix, names, None)
}

/// Writes a matrix with the names of its columns and of its rows. Only the store keeps them; see
/// [`keeps_names`].
pub fn write_with_names(
    path: &Path,
    matrix: &Matrix,
    columns: Option<&Names>,
    rows: Option<&Names>,
) -> Result<()> {
    let names = StoredNames { columns, rows };
    let format = format::to_write(path).map_err(|fault| fault.at(path))?;
    let mut output = Output::create(path)?;
    write(&mut output, matrix, names, format).map_err(|fault| fault.at(path))?;
    output.commit()
}

/// Whether a file of this name keeps the names of columns and rows.
pub fn keeps_names(path: &Path) -> bool {
    format::named(path).0 == Some(Format::Store)
}

fn write(output: &mut Output, matrix: &Matrix, names: StoredNames<'_>, format: Format) -> Outcome<()> {
    check_shape(matrix.rows(), matrix.cols())?;
    let counts = [("column", names.columns, matrix.cols()), ("row", names.rows, matrix.rows())];
    for (each, names, expected) in counts {
        if let Some(named) = names.map(Names::len).filter(|&named| named != expected) {
            return Err(Fault::new(format!("{named} names for {expected} {each}s, expected one per {each}")));
        }
    }
    match (format, matrix) {
        (Format::Npz, _) => npz::write(output, matrix),
        (Format::Npy, Matrix::Dense(dense)) => npy::write_dense(output, dense),
        (Format::Npy, _) => {
            Err(Fault::new("npy files hold dense matrices and this one is sparse: write it as .npz"))
        }
        (Format::MatrixMarket, _) => matrix_market::write(output, matrix),
        (Format::Store, _) => store::write(output, matrix, names),
        (other, _) => Err(Fault::new(format!("{} files are read, not written", other.name()))),
    }
}
