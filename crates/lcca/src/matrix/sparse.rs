//! Compressed sparse rows: u64 offsets, u32 columns, and values unless they are all 1.

use super::{Buffer, Packed, search};
use crate::error::{Error, Result};
use rayon::prelude::*;
use std::ops::Range;

/// The stored values of sparse rows.
#[derive(Clone)]
pub enum Values {
    /// Every stored entry is 1, and no values are stored.
    Ones,
    /// Single precision.
    F32(Buffer<f32>),
    /// Double precision.
    F64(Buffer<f64>),
}

impl Values {
    fn len(&self) -> Option<usize> {
        match self {
            Values::Ones => None,
            Values::F32(values) => Some(values.len()),
            Values::F64(values) => Some(values.len()),
        }
    }

    fn bring(&self) -> Result<()> {
        match self {
            Values::Ones => Ok(()),
            Values::F32(values) => values.bring(),
            Values::F64(values) => values.bring(),
        }
    }

    /// The value of the entry at `index`.
    pub fn get(&self, index: usize) -> f64 {
        match self {
            Values::Ones => 1.0,
            Values::F32(values) => values.as_slice()[index].get().into(),
            Values::F64(values) => values.as_slice()[index].get(),
        }
    }
}

/// Rows with few entries. Within a row, columns strictly ascend. Every value is finite.
#[derive(Clone)]
pub struct SparseRows {
    cols: usize,
    offsets: Buffer<u64>,
    columns: Buffer<u32>,
    values: Values,
}

/// The fewest rows that are worth a parallel task: fewer are checked before another thread wakes up.
const ROWS_PER_TASK: usize = 4096;

/// The result of [`SparseRows::canonical`].
pub struct Canonical {
    /// The validated rows.
    pub rows: SparseRows,
    /// The number of entries that were added to another entry in the same row and column.
    pub merged: u64,
}

impl SparseRows {
    /// Checks the invariants once, for all later uses: offsets never decrease and end at the entry count,
    /// columns are in range and strictly ascend within a row, values are finite. Errors name the row and
    /// column.
    pub fn new(cols: usize, offsets: Buffer<u64>, columns: Buffer<u32>, values: Values) -> Result<Self> {
        SparseRows::new_in_blocks(cols, offsets, columns, values, |_| Ok(()))
    }

    /// Does the same as [`SparseRows::new`] for a caller with checks of its own: `arrived` is called for
    /// every block of [`search::BLOCK`] entries just before these are checked here, because both then find
    /// them in cache.
    pub fn new_in_blocks<E: From<Error> + Send>(
        cols: usize,
        offsets: Buffer<u64>,
        columns: Buffer<u32>,
        values: Values,
        arrived: impl Fn(Range<usize>) -> std::result::Result<(), E> + Sync,
    ) -> std::result::Result<Self, E> {
        let matrix = SparseRows { cols, offsets, columns, values };
        matrix.bring()?;
        matrix.check_sizes()?;
        // The spans come first, because rows are found by their offsets below.
        matrix.check_spans()?;
        let offsets = matrix.offsets.as_slice();
        search::in_blocks(matrix.columns.len(), |entries| {
            arrived(entries.clone())?;
            let begins_before = |entry: usize| offsets.partition_point(|offset| offset.get() < entry as u64);
            // These rows begin in this block. A row may end in a later block, whose caller looks at its
            // entries too.
            for row in begins_before(entries.start)..begins_before(entries.end).min(matrix.rows()) {
                matrix.check_row(row, offsets[row].get(), offsets[row + 1].get())?;
            }
            Ok::<(), E>(())
        })?;
        Ok(matrix)
    }

    /// Rows whose maker vouches for their columns and values. These are not looked at, so they may lie in
    /// the memory of a device until the host reads them. Offsets and sizes are checked.
    #[doc(hidden)]
    pub fn ordered(cols: usize, offsets: Buffer<u64>, columns: Buffer<u32>, values: Values) -> Result<Self> {
        let matrix = SparseRows { cols, offsets, columns, values };
        matrix.offsets.bring()?;
        matrix.check_sizes()?;
        matrix.check_spans()?;
        Ok(matrix)
    }

    /// Like [`SparseRows::new`], for rows whose columns may be out of order or repeated: sorts each row and
    /// sums duplicates. If all rows are in order, nothing is copied.
    pub fn canonical(
        cols: usize,
        offsets: Buffer<u64>,
        columns: Buffer<u32>,
        values: Values,
    ) -> Result<Canonical> {
        let matrix = SparseRows { cols, offsets, columns, values };
        matrix.bring()?;
        matrix.check_sizes()?;
        if matrix.offsets_ascend() && matrix.columns_ascend() {
            let SparseRows { cols, offsets, columns, values } = matrix;
            return Ok(Canonical { rows: SparseRows::new(cols, offsets, columns, values)?, merged: 0 });
        }
        matrix.sorted_and_summed()
    }

    /// These entries with other values, one per entry. Columns and offsets are not copied.
    pub fn with_values(&self, values: Values) -> Result<Self> {
        let matrix = SparseRows { values, ..self.clone() };
        matrix.bring()?;
        matrix.check_sizes()?;
        let offsets = matrix.offsets.as_slice();
        (0..matrix.rows()).into_par_iter().with_min_len(ROWS_PER_TASK).try_for_each(|row| {
            matrix.check_finite(row, offsets[row].get() as usize..offsets[row + 1].get() as usize)
        })?;
        Ok(matrix)
    }

    /// A copy with all numbers on the host, so that none of them keeps memory of a device.
    pub(crate) fn on_host(&self) -> Result<Self> {
        let values = match &self.values {
            Values::Ones => Values::Ones,
            Values::F32(values) => Values::F32(values.on_host()?),
            Values::F64(values) => Values::F64(values.on_host()?),
        };
        let (offsets, columns) = (self.offsets.on_host()?, self.columns.on_host()?);
        Ok(SparseRows { cols: self.cols, offsets, columns, values })
    }

    /// Copies all numbers in the memory of a device to the host, so that later reads cannot fail.
    pub(super) fn bring(&self) -> Result<()> {
        self.offsets.bring()?;
        self.columns.bring()?;
        self.values.bring()
    }

    fn check_sizes(&self) -> Result<()> {
        let entries = self.columns.len();
        if self.cols >= u32::MAX as usize {
            return Err(Error::TooManyColumns { cols: self.cols });
        }
        if self.offsets.is_empty() {
            return Err(Error::Length { what: "offsets", expected: 1, found: 0 });
        }
        if let Some(found) = self.values.len().filter(|&found| found != entries) {
            return Err(Error::Length { what: "values", expected: entries, found });
        }
        let offsets = self.offsets.as_slice();
        let first = offsets[0].get();
        if first != 0 {
            return Err(Error::Length { what: "first offset", expected: 0, found: first as usize });
        }
        let last = offsets[offsets.len() - 1].get();
        if last != entries as u64 {
            return Err(Error::Length { what: "last offset", expected: entries, found: last as usize });
        }
        Ok(())
    }

    fn check_spans(&self) -> Result<()> {
        let offsets = self.offsets.as_slice();
        let rows = (0..self.rows()).into_par_iter().with_min_len(ROWS_PER_TASK);
        rows.try_for_each(|row| self.check_span(row, offsets[row].get(), offsets[row + 1].get()))
    }

    fn check_row(&self, row: usize, from: u64, to: u64) -> Result<()> {
        let columns = &self.columns.as_slice()[from as usize..to as usize];
        // A loop without an early exit can be vectorized. The last column is the largest because columns
        // ascend.
        let (before, after) =
            (&columns[..columns.len().saturating_sub(1)], columns.get(1..).unwrap_or_default());
        let disordered = before.iter().zip(after).fold(false, |any, (a, b)| any | (a.get() >= b.get()));
        if disordered || columns.last().is_some_and(|last| last.get() as usize >= self.cols) {
            return Err(self.wrong_column(row, columns));
        }
        self.check_finite(row, from as usize..to as usize)
    }

    /// The error about the first column of a row that is out of range or out of order.
    fn wrong_column(&self, row: usize, columns: &[Packed<u32>]) -> Error {
        let mut previous = 0;
        for (index, column) in columns.iter().map(|column| column.get()).enumerate() {
            if column as usize >= self.cols {
                return Error::ColumnOutOfRange { row, column: column.into(), cols: self.cols };
            }
            if index > 0 && previous >= column {
                return Error::ColumnOrder { row, column, previous };
            }
            previous = column;
        }
        // This is reached if another program changes the file between the two looks.
        Error::ColumnOrder { row, column: previous, previous }
    }

    fn check_span(&self, row: usize, from: u64, to: u64) -> Result<()> {
        if from > to {
            return Err(Error::OffsetsDecrease { row, from, to });
        }
        if to > self.columns.len() as u64 {
            return Err(Error::Length {
                what: "last offset",
                expected: self.columns.len(),
                found: to as usize,
            });
        }
        Ok(())
    }

    fn check_finite(&self, row: usize, span: Range<usize>) -> Result<()> {
        let bad = match &self.values {
            Values::Ones => None,
            Values::F32(values) => first_not_finite(&values.as_slice()[span.clone()], |v| v.is_finite()),
            Values::F64(values) => first_not_finite(&values.as_slice()[span.clone()], |v| v.is_finite()),
        };
        match bad.map(|position| span.start + position) {
            None => Ok(()),
            Some(index) => {
                let column = self.columns.as_slice()[index].get() as usize;
                Err(Error::NotFinite { row, column, value: self.values.get(index) })
            }
        }
    }

    fn offsets_ascend(&self) -> bool {
        self.offsets.as_slice().windows(2).all(|pair| pair[0].get() <= pair[1].get())
    }

    fn columns_ascend(&self) -> bool {
        let (offsets, columns) = (self.offsets.as_slice(), self.columns.as_slice());
        (0..self.rows()).into_par_iter().with_min_len(ROWS_PER_TASK).all(|row| {
            let span = offsets[row].get() as usize..offsets[row + 1].get() as usize;
            columns[span].windows(2).all(|pair| pair[0].get() < pair[1].get())
        })
    }

    fn sorted_and_summed(&self) -> Result<Canonical> {
        let mut offsets = vec![0u64];
        let (mut columns, mut values) = (Vec::new(), Vec::new());
        let mut row_entries: Vec<(u32, f64)> = Vec::new();
        let old = self.offsets.as_slice();
        for row in 0..self.rows() {
            self.check_span(row, old[row].get(), old[row + 1].get())?;
            row_entries.clear();
            row_entries.extend(self.span_entries(old[row].get() as usize..old[row + 1].get() as usize));
            row_entries.sort_by_key(|&(column, _)| column);
            let row_start = columns.len();
            for &(column, value) in &row_entries {
                if columns.len() > row_start && columns.last() == Some(&column) {
                    *values.last_mut().expect("as many values as columns") += value;
                } else {
                    columns.push(column);
                    values.push(value);
                }
            }
            offsets.push(columns.len() as u64);
        }
        let merged = (self.columns.len() - columns.len()) as u64;
        // Sums keep the precision of the input. Sums of ones are whole numbers, which single precision holds
        // exactly up to 2^24.
        let values = match (&self.values, merged) {
            (Values::Ones, 0) => Values::Ones,
            (Values::F64(_), _) => Values::F64(values.into()),
            _ => Values::F32(values.iter().map(|&v| v as f32).collect::<Vec<_>>().into()),
        };
        let rows = SparseRows::new(self.cols, offsets.into(), columns.into(), values)?;
        Ok(Canonical { rows, merged })
    }

    fn span_entries(&self, span: Range<usize>) -> impl Iterator<Item = (u32, f64)> + '_ {
        let columns = &self.columns.as_slice()[span.clone()];
        columns.iter().zip(span).map(|(column, index)| (column.get(), self.values.get(index)))
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The number of stored entries.
    pub fn entries(&self) -> u64 {
        let offsets = self.offsets.as_slice();
        offsets[offsets.len() - 1].get() - offsets[0].get()
    }

    /// The positions in `columns` and `values` at which each row begins, and the one at which the last row
    /// ends.
    pub fn offsets(&self) -> &Buffer<u64> {
        &self.offsets
    }

    /// The column of each entry. A slice of rows still has the columns of all rows, so index through
    /// `offsets`.
    pub fn columns(&self) -> &Buffer<u32> {
        &self.columns
    }

    /// The value of each entry, indexed like `columns`.
    pub fn values(&self) -> &Values {
        &self.values
    }

    /// The positions of the entries of `row`.
    #[inline(always)]
    pub(crate) fn span(offsets: &[Packed<u64>], row: usize) -> Range<usize> {
        offsets[row].get() as usize..offsets[row + 1].get() as usize
    }

    /// A range of the rows, sharing the numbers.
    pub fn slice(&self, rows: Range<usize>) -> Self {
        SparseRows { offsets: self.offsets.slice(rows.start..rows.end + 1), ..self.clone() }
    }

    /// A copy of the values after subtracting `origin`, one number per column. Offsets and columns are
    /// shared.
    pub(crate) fn less(&self, origin: &[f64]) -> Self {
        fn differences<T: Copy + Into<f64> + Sync>(
            columns: &[Packed<u32>],
            values: &[Packed<T>],
            origin: &[f64],
        ) -> Values {
            let entries = columns.par_iter().zip(values);
            let less = entries.map(|(column, value)| value.get().into() - origin[column.get() as usize]);
            Values::F64(less.collect::<Vec<f64>>().into())
        }
        let columns = self.columns.as_slice();
        let values = match &self.values {
            // Nothing is gained by moving a column of ones that every row stores, because it is constant.
            Values::Ones => Values::Ones,
            Values::F32(values) => differences(columns, values.as_slice(), origin),
            Values::F64(values) => differences(columns, values.as_slice(), origin),
        };
        SparseRows { values, ..self.clone() }
    }

    /// The number in a row and a column, 0 if none is stored.
    pub(crate) fn get(&self, row: usize, column: usize) -> f64 {
        let span = Self::span(self.offsets.as_slice(), row);
        let columns = &self.columns.as_slice()[span.clone()];
        let place = columns.partition_point(|c| (c.get() as usize) < column);
        let is_stored = columns.get(place).is_some_and(|c| c.get() as usize == column);
        if is_stored { self.values.get(span.start + place) } else { 0.0 }
    }

    /// Calls `visit(column, value)` for every entry of `row`.
    pub fn for_each(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        let span = Self::span(self.offsets.as_slice(), row);
        let columns = self.columns.as_slice()[span.clone()].iter().map(|c| c.get() as usize);
        match &self.values {
            Values::Ones => columns.for_each(|column| visit(column, 1.0)),
            Values::F32(values) => {
                columns.zip(&values.as_slice()[span]).for_each(|(column, v)| visit(column, v.get().into()));
            }
            Values::F64(values) => {
                columns.zip(&values.as_slice()[span]).for_each(|(column, v)| visit(column, v.get()));
            }
        }
    }
}

fn first_not_finite<T: Copy>(values: &[Packed<T>], finite: impl Fn(T) -> bool) -> Option<usize> {
    values.iter().position(|value| !finite(value.get()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(cols: usize, offsets: &[u64], columns: &[u32], values: &[f64]) -> Result<SparseRows> {
        let values = Values::F64(values.to_vec().into());
        SparseRows::new(cols, offsets.to_vec().into(), columns.to_vec().into(), values)
    }

    #[test]
    fn errors_name_row_and_column() {
        let message = |result: Result<SparseRows>| result.err().map(|e| e.to_string()).unwrap_or_default();
        assert!(
            message(rows(3, &[0, 1, 2], &[0, 3], &[1.0, 1.0])).contains("row 1: column 3 is out of range")
        );
        assert!(
            message(rows(3, &[0, 2], &[2, 1], &[1.0, 1.0])).contains("column 1 does not come after column 2")
        );
        assert!(
            message(rows(3, &[0, 2], &[1, 1], &[1.0, 1.0])).contains("column 1 does not come after column 1")
        );
        assert!(
            message(rows(3, &[0, 1, 2], &[0, 2], &[1.0, f64::NAN]))
                .contains("row 1, column 2: the value is NaN")
        );
        assert!(message(rows(3, &[0, 2, 1, 2], &[0, 2], &[1.0, 1.0])).contains("row 1: offsets decrease"));
        assert!(message(rows(3, &[0, 5, 2], &[0, 2], &[1.0, 1.0])).contains("last offset"));
        assert!(message(rows(3, &[0, 2], &[0, 2], &[1.0])).contains("values: expected 2, found 1"));
        assert!(message(rows(3, &[0, 3], &[0, 2], &[1.0, 1.0])).contains("last offset: expected 2, found 3"));
        assert!(message(rows(3, &[], &[], &[])).contains("offsets"));
    }

    #[test]
    fn duplicates_are_summed_and_counted() {
        let canonical = SparseRows::canonical(
            4,
            vec![0, 3, 5].into(),
            vec![2, 0, 2, 1, 3].into(),
            Values::F64(vec![1.0, 5.0, 2.0, 7.0, 8.0].into()),
        )
        .unwrap();
        assert_eq!(canonical.merged, 1);
        let mut seen = Vec::new();
        (0..2).for_each(|row| canonical.rows.for_each(row, |column, value| seen.push((row, column, value))));
        assert_eq!(seen, [(0, 0, 5.0), (0, 2, 3.0), (1, 1, 7.0), (1, 3, 8.0)]);
    }

    #[test]
    fn a_slice_of_rows_keeps_its_entries() {
        let whole = rows(3, &[0, 1, 1, 3], &[2, 0, 1], &[1.0, 2.0, 3.0]).unwrap();
        let part = whole.slice(1..3);
        assert_eq!((part.rows(), part.entries()), (2, 2));
        let mut seen = Vec::new();
        part.for_each(1, |column, value| seen.push((column, value)));
        assert_eq!(seen, [(0, 2.0), (1, 3.0)]);
    }
}
