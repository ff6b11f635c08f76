//! Builds sparse rows entry by entry. Several builders fill consecutive parts in parallel and are joined at the end.

use super::{SparseRows, Values};
use crate::error::Result;

/// Consecutive rows under construction.
#[derive(Default)]
pub(crate) struct RowsBuilder {
    ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl RowsBuilder {
    /// Adds an entry to the current row. Columns must ascend within a row.
    pub fn push(&mut self, column: u32, value: f64) {
        self.columns.push(column);
        self.values.push(value);
    }

    /// Completes the current row.
    pub fn end_row(&mut self) {
        self.ends.push(self.columns.len());
    }

    /// The number of entries so far.
    pub fn entries(&self) -> usize {
        self.columns.len()
    }

    /// Concatenates the rows of all parts. If the values are known to be `all_ones`, they are not stored.
    pub fn join(parts: Vec<RowsBuilder>, cols: usize, all_ones: bool) -> Result<SparseRows> {
        let entries = parts.iter().map(RowsBuilder::entries).sum();
        let (mut offsets, mut columns) = (vec![0u64], Vec::with_capacity(entries));
        let mut values = Vec::with_capacity(if all_ones { 0 } else { entries });
        for part in parts {
            let before = columns.len();
            offsets.extend(part.ends.iter().map(|end| (before + end) as u64));
            columns.extend(part.columns);
            if !all_ones {
                values.extend(part.values);
            }
        }
        let values = if all_ones { Values::Ones } else { Values::F64(values.into()) };
        SparseRows::new(cols, offsets.into(), columns.into(), values)
    }
}
