//! One-hot rows: one column number per row and nothing else.

use super::Buffer;
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::ops::Range;

/// Rows with at most one entry, which is 1.
#[derive(Clone)]
pub struct OneHotRows {
    cols: usize,
    column: Buffer<u32>,
}

impl OneHotRows {
    /// The column number that marks a row without an entry.
    pub const EMPTY: u32 = u32::MAX;

    /// Checks that every column is in range. `column[i]` is the column of the 1 in row i, or [`OneHotRows::EMPTY`].
    pub fn new(cols: usize, column: Buffer<u32>) -> Result<Self> {
        if cols >= u32::MAX as usize {
            return Err(Error::TooManyColumns { cols });
        }
        // Fewer rows than this are checked in less time than another thread takes to wake up.
        let rows = column.as_slice().par_iter().enumerate().with_min_len(65_536);
        rows.try_for_each(|(row, column)| {
            let column = column.get();
            if column == Self::EMPTY || (column as usize) < cols {
                Ok(())
            } else {
                Err(Error::ColumnOutOfRange { row, column: column.into(), cols })
            }
        })?;
        Ok(OneHotRows { cols, column })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.column.len()
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The number of rows that have an entry.
    pub fn entries(&self) -> u64 {
        self.column.iter().filter(|&column| column != Self::EMPTY).count() as u64
    }

    /// The column of each row.
    pub fn columns(&self) -> &Buffer<u32> {
        &self.column
    }

    /// The column of the entry in `row`, if it has one.
    pub fn column(&self, row: usize) -> Option<usize> {
        let column = self.column.as_slice()[row].get();
        (column != Self::EMPTY).then_some(column as usize)
    }

    /// A range of the rows, sharing the numbers.
    pub fn slice(&self, rows: Range<usize>) -> Self {
        OneHotRows { cols: self.cols, column: self.column.slice(rows) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_rows_are_allowed_and_far_columns_are_not() {
        let rows = OneHotRows::new(3, vec![2, OneHotRows::EMPTY, 0].into()).unwrap();
        assert_eq!((rows.entries(), rows.column(0), rows.column(1)), (2, Some(2), None));
        let error = OneHotRows::new(3, vec![0, 3].into()).err().unwrap().to_string();
        assert!(error.contains("row 1: column 3 is out of range"), "{error}");
    }
}
