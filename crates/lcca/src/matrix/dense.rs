//! Dense rows, stored one after another.

use super::buffer::{Buffer, Packed};
use super::elsewhere::{Elsewhere, Numbers};
use super::search;
use crate::error::{Error, Result};
use bytemuck::Pod;
use pulp::NullaryFnOnce;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

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
    /// One number per column, which is subtracted from every stored value when it is read.
    origin: Option<Arc<[f64]>>,
}

/// Whether all numbers are finite. The loop is compiled for the processor it runs on, and can be vectorized
/// because it has no early exit.
struct AllFinite<'a, T, F>(&'a [Packed<T>], F);

impl<T: Copy, F: Fn(T) -> bool> NullaryFnOnce for AllFinite<'_, T, F> {
    type Output = bool;
    #[inline(always)]
    fn call(self) -> bool {
        let AllFinite(numbers, is_finite) = self;
        numbers.iter().fold(true, |all, number| all & is_finite(number.get()))
    }
}

/// A copy of some rows of `cols` numbers, in a buffer of their own.
fn taken<T: Pod + Send + Sync>(values: &Buffer<T>, cols: usize, rows: &[usize]) -> Result<Buffer<T>> {
    let mut out = vec![T::zeroed(); rows.len() * cols];
    for (out, &row) in out.chunks_exact_mut(cols.max(1)).zip(rows) {
        match values.elsewhere() {
            Some((device, start)) => {
                device.read(start + row * cols * size_of::<T>(), bytemuck::cast_slice_mut(out))?;
            }
            None => values.slice(row * cols..(row + 1) * cols).iter().zip(out).for_each(|(v, out)| *out = v),
        }
    }
    Ok(out.into())
}

impl DenseRows {
    /// Checks the count and that every value is finite. `values[i * cols + j]` is row i, column j.
    pub fn new(rows: usize, cols: usize, values: DenseValues) -> Result<Self> {
        DenseRows::new_in_blocks(rows, cols, values, |_| Ok(()))
    }

    /// Does the same as [`DenseRows::new`] for a caller with checks of its own: `arrived` is called for
    /// every block of [`search::BLOCK`] values just before these are checked here, because both then find
    /// them in cache.
    pub fn new_in_blocks<E: From<Error> + Send>(
        rows: usize,
        cols: usize,
        values: DenseValues,
        arrived: impl Fn(Range<usize>) -> std::result::Result<(), E> + Sync,
    ) -> std::result::Result<Self, E> {
        if cols >= u32::MAX as usize {
            return Err(Error::TooManyColumns { cols }.into());
        }
        let found = match &values {
            DenseValues::F32(values) => values.len(),
            DenseValues::F64(values) => values.len(),
        };
        let expected = rows.saturating_mul(cols);
        if found != expected {
            return Err(Error::Length { what: "values", expected, found }.into());
        }
        let matrix = DenseRows { rows, cols, values, origin: None };
        if let Some((device, numbers)) = matrix.elsewhere() {
            // `arrived` is not called, because it would need a copy: a caller that uses numbers on a device
            // has no checks of its own.
            return match device.first_not_finite(numbers)? {
                None => Ok(matrix),
                Some(index) => Err(matrix.not_finite_at(index)?.into()),
            };
        }
        let values = &matrix.values;
        let all_finite = |span: Range<usize>| match values {
            DenseValues::F32(values) => {
                pulp::Arch::new().dispatch(AllFinite(&values.as_slice()[span], f32::is_finite))
            }
            DenseValues::F64(values) => {
                pulp::Arch::new().dispatch(AllFinite(&values.as_slice()[span], f64::is_finite))
            }
        };
        let is_finite = AtomicBool::new(true);
        search::in_blocks(found, |span| {
            arrived(span.clone())?;
            if !all_finite(span) {
                is_finite.store(false, Relaxed);
            }
            Ok::<(), E>(())
        })?;
        if is_finite.into_inner() { Ok(matrix) } else { Err(matrix.not_finite().into()) }
    }

    /// The error about the first value that is not finite, for a matrix that has one.
    fn not_finite(&self) -> Error {
        let index = match &self.values {
            DenseValues::F32(values) => search::first(values.as_slice(), |value| !value.is_finite()),
            DenseValues::F64(values) => search::first(values.as_slice(), |value| !value.is_finite()),
        };
        // None may be left if another program changed the file between the two looks.
        let index = index.unwrap_or(0);
        let (row, column) = (index / self.cols, index % self.cols);
        Error::NotFinite { row, column, value: self.get(row, column) }
    }

    /// The error about a value in the memory of a device.
    fn not_finite_at(&self, index: usize) -> Result<Error> {
        let (row, column) = (index / self.cols, index % self.cols);
        Ok(Error::NotFinite { row, column, value: self.taken(&[row])?.get(0, column) })
    }

    /// The device in whose memory the numbers lie, and where they are; `None` if they lie on the host.
    pub fn elsewhere(&self) -> Option<(&dyn Elsewhere, Numbers)> {
        let (found, len, is_single) = match &self.values {
            DenseValues::F32(values) => (values.elsewhere(), values.len(), true),
            DenseValues::F64(values) => (values.elsewhere(), values.len(), false),
        };
        found.map(|(device, start)| (device, Numbers { start, len, is_single }))
    }

    /// A copy on the host of some of the rows, in the given order. No other numbers are copied from the
    /// memory of a device.
    pub fn taken(&self, rows: &[usize]) -> Result<Self> {
        let values = match &self.values {
            DenseValues::F32(values) => DenseValues::F32(taken(values, self.cols, rows)?),
            DenseValues::F64(values) => DenseValues::F64(taken(values, self.cols, rows)?),
        };
        Ok(DenseRows { rows: rows.len(), values, ..self.clone() })
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The stored numbers, row after row. [`DenseRows::origin`] is not subtracted from them.
    pub fn values(&self) -> &DenseValues {
        &self.values
    }

    /// Subtracts `origin`, one number per column, from every value that is read. The stored numbers are not
    /// copied, and the difference is in double precision.
    pub fn less(&self, origin: &[f64]) -> Self {
        assert_eq!(origin.len(), self.cols, "one number per column");
        let origin = match &self.origin {
            Some(before) => before.iter().zip(origin).map(|(before, more)| before + more).collect(),
            None => origin.into(),
        };
        DenseRows { origin: Some(origin), ..self.clone() }
    }

    /// The numbers that are subtracted from the columns, if there are any.
    pub fn origin(&self) -> Option<&[f64]> {
        self.origin.as_deref()
    }

    /// The number at `row` and `column`.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        let index = row * self.cols + column;
        let stored = match &self.values {
            DenseValues::F32(values) => values.as_slice()[index].get().into(),
            DenseValues::F64(values) => values.as_slice()[index].get(),
        };
        self.origin.as_ref().map_or(stored, |origin| stored - origin[column])
    }

    /// A range of the rows, sharing the numbers.
    pub fn slice(&self, rows: Range<usize>) -> Self {
        let span = rows.start * self.cols..rows.end * self.cols;
        let values = match &self.values {
            DenseValues::F32(values) => DenseValues::F32(values.slice(span)),
            DenseValues::F64(values) => DenseValues::F64(values.slice(span)),
        };
        DenseRows { rows: rows.len(), values, ..self.clone() }
    }

    /// Calls `visit(column, value)` for every number of `row`.
    pub fn for_each(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        match &self.origin {
            None => self.for_each_stored(row, visit),
            Some(origin) => self.for_each_stored(row, |column, value| visit(column, value - origin[column])),
        }
    }

    fn for_each_stored(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
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
