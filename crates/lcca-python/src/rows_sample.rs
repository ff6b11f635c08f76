//! Converts a sample of rows to NumPy and back.

use crate::failure::Failure;
use crate::grams::{BlockArrays, block_from_numpy};
use crate::panels::Vector;
use lcca::data::{InMemory, Pair, Shape, Side};
use lcca::matrix::Matrix;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;

/// Both views as offsets, columns and values of sparse rows, and one weight per row if rows are weighted.
pub type RowsArrays<'py> = (BlockArrays<'py>, BlockArrays<'py>, Option<Vector<'py, f64>>);

/// The arrays of a sample, from views of any storage.
pub fn rows_to_numpy<'py>(py: Python<'py>, rows: &InMemory) -> RowsArrays<'py> {
    let [x, y] = Side::BOTH.map(|side| entries_to_numpy(py, rows.view(side)));
    let weights: Vec<f64> = (0..rows.shape().rows).map(|row| rows.weight(row)).collect();
    let is_weighted = weights.iter().any(|&weight| weight != 1.0);
    (x, y, is_weighted.then(|| PyArray1::from_vec(py, weights)))
}

fn entries_to_numpy<'py>(py: Python<'py>, view: &Matrix) -> BlockArrays<'py> {
    let (mut offsets, mut columns, mut values) = (vec![0u64], Vec::new(), Vec::new());
    for row in 0..view.rows() {
        view.for_each(row, |column, value| {
            columns.push(column as u32);
            values.push(value);
        });
        offsets.push(columns.len() as u64);
    }
    (PyArray1::from_vec(py, offsets), PyArray1::from_vec(py, columns), PyArray1::from_vec(py, values))
}

/// Rows that share the arrays' numbers, with the columns of `shape`.
pub fn rows_from_numpy((x, y, weights): &RowsArrays<'_>, shape: Shape) -> Result<InMemory, Failure> {
    let rows = InMemory::new(block_from_numpy(x, shape.x_cols)?, block_from_numpy(y, shape.y_cols)?)?;
    Ok(match weights {
        Some(weights) => rows.weighted(weights.readonly().as_array().to_vec().into())?,
        None => rows,
    })
}
