//! Dense rows, stored one after another.

use super::buffer::Buffer;
use super::search;
use crate::error::{Error, Result};
use std::ops::Range;

/// The numbers of dense rows.
#[derive(Clone)]
pub enum DenseValues {
    /// Single precision.
    F32(Buffer<f32>),
    /// Double precision.
    F64(Buffer<f64>),
}

/// Rows with every entry, stored row after row. Every value is finite.
#[derive(Clone)]
pub struct DenseRows {
    rows: usize,
    cols: usize,
    values: DenseValues,
}

impl DenseRows {
    /// Checks the count and that every value is finite. `values[i * cols + j]` is row i, column j.
    pub fn new(rows: usize, cols: usize, values: DenseValues) -> Result<Self> {
        if cols >= u32::MAX as usize {
            return Err(Error::TooManyColumns { cols });
        }
        let found = match &values {
            DenseValues::F32(values) => values.len(),
            DenseValues::F64(values) => values.len(),
        };
        let expected = rows.saturating_mul(cols);
        if found != expected {
            return Err(Error::Length { what: "values", expected, found });
        }
        let bad = match &values {
            DenseValues::F32(values) => search::first(values.as_slice(), |v| !v.is_finite()),
            DenseValues::F64(values) => search::first(values.as_slice(), |v| !v.is_finite()),
        };
        let matrix = DenseRows { rows, cols, values };
        match bad {
            None => Ok(matrix),
            Some(index) => {
                let (row, column) = (index / cols, index % cols);
                Err(Error::NotFinite { row, column, value: matrix.get(row, column) })
            }
        }
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The numbers, row after row.
    pub fn values(&self) -> &DenseValues {
        &self.values
    }

    /// The number at `row` and `column`.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let index = row * self.cols + column;
        match &self.values {
            DenseValues::F32(values) => values.as_slice()[index].get().into(),
            DenseValues::F64(values) => values.as_slice()[index].get(),
        }
    }

    /// A range of the rows, sharing the numbers.
    pub fn slice(&self, rows: Range<usize>) -> Self {
        let span = rows.start * self.cols..rows.end * self.cols;
        let values = match &self.values {
            DenseValues::F32(values) => DenseValues::F32(values.slice(span)),
            DenseValues::F64(values) => DenseValues::F64(values.slice(span)),
        };
        DenseRows { rows: rows.len(), cols: self.cols, values }
    }

    /// Calls `visit(column, value)` for every number of `row`.
    pub fn for_each(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        let span = row * self.cols..(row + 1) * self.cols;
        match &self.values {
            DenseValues::F32(values) => {
                values.as_slice()[span].iter().enumerate().for_each(|(j, v)| visit(j, v.get().into()));
            }
            DenseValues::F64(values) => {
                values.as_slice()[span].iter().enumerate().for_each(|(j, v)| visit(j, v.get()));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_infinite_value_is_named() {
        let values = DenseValues::F32(vec![0.0, 1.0, 2.0, f32::INFINITY].into());
        let error = DenseRows::new(2, 2, values).err().unwrap().to_string();
        assert!(error.contains("row 1, column 1: the value is inf"), "{error}");
    }

    #[test]
    fn the_count_must_match_the_shape() {
        let error = DenseRows::new(2, 3, DenseValues::F64(vec![0.0; 5].into())).err().unwrap().to_string();
        assert!(error.contains("expected 6, found 5"), "{error}");
    }
}
