//! Every value, column after column.

use super::{Banner, Sizes, Symmetry, value};
use crate::assemble::Assembled;
use crate::error::{Fault, Outcome};
use crate::npy::transposed;
use crate::text::{Lines, Text, tokens};
use crate::values::Growing;
use lcca::matrix::{DenseRows, DenseValues, Matrix};

pub(super) fn read(text: Text, banner: Banner, sizes: Sizes) -> Outcome<Assembled> {
    let mut all = Growing::new();
    text.parse(parse_lines, |more| {
        all.append(more);
        Ok(())
    })?;
    // Nothing is set aside for the matrix before the file has shown that it holds it.
    let expected = listed(banner.symmetry, sizes.rows, sizes.cols);
    if expected != all.len() as u128 {
        let message = format!("the header says {expected} values, found {}", all.len());
        return Err(Fault::line(sizes.line, message));
    }
    let values = match banner.symmetry {
        Symmetry::General => transposed(&all.into_dense(), sizes.rows, sizes.cols),
        symmetry => mirrored(all.into_dense(), symmetry, sizes.rows),
    };
    Ok(Matrix::from(DenseRows::new(sizes.rows, sizes.cols, values)?).into())
}

/// How many values the file lists.
fn listed(symmetry: Symmetry, rows: usize, cols: usize) -> u128 {
    let (rows, cols) = (rows as u128, cols as u128);
    match symmetry {
        Symmetry::General => rows * cols,
        Symmetry::Symmetric => rows * (rows + 1) / 2,
        Symmetry::Skew => rows * (rows - 1) / 2,
    }
}

/// The whole square from its lower triangle.
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

fn parse_lines(lines: Lines<'_>) -> Outcome<Growing> {
    let mut values = Growing::new();
    for (number, line) in lines.filter(|(_, line)| !line.starts_with(b"%")) {
        for word in tokens(line) {
            values.push(value(Some(word)).map_err(|message| Fault::line(number, message))?);
        }
    }
    Ok(values)
}
