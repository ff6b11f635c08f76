//! One-hot rows: one column number per row and nothing else.

use super::{Buffer, search};
use crate::error::{Error, Result};
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

    /// Checks that every column is in range. `column[i]` is the column of the 1 in row i, or
    /// [`OneHotRows::EMPTY`].
    pub fn new(cols: usize, column: Buffer<u32>) -> Result<Self> {
        OneHotRows::new_in_blocks(cols, column, |_| Ok(()))
    }

    /// Does the same as [`OneHotRows::new`] for a caller with checks of its own: `arrived` is called for
    /// every block of [`search::BLOCK`] rows just before these are checked here, because both then find
    /// them in cache.
    pub fn new_in_blocks<E: From<Error> + Send>(
        cols: usize,
        column: Buffer<u32>,
        arrived: impl Fn(Range<usize>) -> std::result::Result<(), E> + Sync,
    ) -> std::result::Result<Self, E> {
        if cols >= u32::MAX as usize {
            return Err(Error::TooManyColumns { cols }.into());
        }
        column.bring()?;
        let outside = |column: u32| column != Self::EMPTY && column as usize >= cols;
        search::in_blocks(column.len(), |rows| {
            arrived(rows.clone())?;
            let columns = &column.as_slice()[rows.clone()];
            // A loop without an early exit can be vectorized.
            if columns.iter().fold(false, |any, column| any | outside(column.get())) {
                let (row, column) =
                    rows.zip(columns).find(|(_, column)| outside(column.get())).unwrap_or((0, &columns[0]));
                return Err(Error::ColumnOutOfRange { row, column: column.get().into(), cols }.into());
            }
            Ok::<(), E>(())
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
