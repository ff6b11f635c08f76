//! Writes MatrixMarket. Values are printed with as many digits as it takes to read the same number back.

use crate::error::Outcome;
use crate::parts::rows::is_all_ones;
use lcca::matrix::Matrix;
use std::io::{self, Write};

pub(crate) fn write(out: &mut impl Write, matrix: &Matrix) -> Outcome<()> {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    match matrix {
        Matrix::Dense(dense) => {
            writeln!(out, "%%MatrixMarket matrix array real general\n{rows} {cols}")?;
            // The format lists arrays column after column.
            for column in 0..cols {
                (0..rows).try_for_each(|row| writeln!(out, "{:?}", dense.get(row, column)))?;
            }
        }
        _ => {
            let field = if is_all_ones(matrix) { "pattern" } else { "real" };
            writeln!(out, "%%MatrixMarket matrix coordinate {field} general")?;
            writeln!(out, "{rows} {cols} {}", matrix.entries())?;
            (0..rows).try_for_each(|row| write_row(out, matrix, row))?;
        }
    }
    Ok(())
}

fn write_row(out: &mut impl Write, matrix: &Matrix, row: usize) -> io::Result<()> {
    let pattern = is_all_ones(matrix);
    let mut result = Ok(());
    matrix.for_each(row, |column, value| {
        if result.is_ok() {
            result = if pattern {
                writeln!(out, "{} {}", row + 1, column + 1)
            } else {
                writeln!(out, "{} {} {value:?}", row + 1, column + 1)
            };
        }
    });
    result
}
