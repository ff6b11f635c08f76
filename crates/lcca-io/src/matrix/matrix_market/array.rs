//! Arrays: every value, column after column.

use super::header::{Header, Symmetry, value};
use crate::error::{Fault, Outcome};
use crate::input::text::{Lines, Text, tokens};
use crate::matrix::assemble::{self, Assembled};
use crate::matrix::missing::Filling;
use crate::matrix::npy::transposed;
use crate::matrix::values::Growing;
use lcca::matrix::DenseValues;

pub(super) fn read(text: Text, header: Header, filling: Filling<'_>) -> Outcome<Assembled> {
    let mut all = Growing::new();
    let expected = listed(header.symmetry, header.rows, header.cols);
    text.parse(
        |lines| parse_lines(lines, filling.allows()),
        |more| {
            all.append(more);
            if all.len() as u128 > expected {
                return Err(Fault::line(
                    header.line,
                    format!("the header says {expected} values, found more"),
                ));
            }
            Ok(())
        },
    )?;
    // No memory is allocated for the matrix before the file has shown that it holds this many values.
    if expected != all.len() as u128 {
        let message = format!("the header says {expected} values, found {}", all.len());
        return Err(Fault::line(header.line, message));
    }
    let values = match header.symmetry {
        Symmetry::General => transposed(&all.into_dense(), header.rows, header.cols),
        symmetry => mirrored(all.into_dense(), symmetry, header.rows),
    };
    assemble::dense(header.rows, header.cols, values, filling)
}

/// The number of values that a file lists.
fn listed(symmetry: Symmetry, rows: usize, cols: usize) -> u128 {
    let (rows, cols) = (rows as u128, cols as u128);
    match symmetry {
        Symmetry::General => rows * cols,
        Symmetry::Symmetric => rows * (rows + 1) / 2,
        Symmetry::Skew => rows * (rows - 1) / 2,
    }
}

/// The whole square matrix from its lower triangle.
fn mirrored(triangle: DenseValues, symmetry: Symmetry, side: usize) -> DenseValues {
    let (skip, sign) = if symmetry == Symmetry::Skew { (1, -1.0) } else { (0, 1.0) };
    let mut values: Box<dyn Iterator<Item = f64>> = match &triangle {
        DenseValues::F32(values) => Box::new(values.iter().map(f64::from)),
        DenseValues::F64(values) => Box::new(values.iter()),
    };
    let mut square = vec![0.0; side * side];
    for column in 0..side {
        for (row, value) in (column + skip..side).zip(&mut values) {
            square[column * side + row] = sign * value;
            square[row * side + column] = value;
        }
    }
    DenseValues::F64(square.into())
}

fn parse_lines(lines: Lines<'_>, may_miss: bool) -> Outcome<Growing> {
    let mut values = Growing::new();
    for (number, line) in lines.filter(|(_, line)| !line.starts_with(b"%")) {
        for word in tokens(line) {
            values.push(value(Some(word), may_miss).map_err(|message| Fault::line(number, message))?);
        }
    }
    Ok(values)
}
