//! The entries of a row, for kernels: no branch on the storage inside the loop.

use crate::matrix::{OneHotRows, Packed, SparseRows};

/// Something whose rows can be walked entry by entry.
pub(super) trait Rows: Copy {
    fn for_each(&self, row: usize, visit: impl FnMut(usize, f64));
}

/// A number as stored.
pub(super) trait Stored: Copy {
    fn wide(self) -> f64;
}

impl Stored for Packed<f32> {
    #[inline(always)]
    fn wide(self) -> f64 {
        self.get().into()
    }
}

impl Stored for Packed<f64> {
    #[inline(always)]
    fn wide(self) -> f64 {
        self.get()
    }
}

/// The value of an entry that is always 1. Takes no memory; multiplying by it compiles to nothing.
#[derive(Clone, Copy)]
pub(super) struct One;

impl Stored for One {
    #[inline(always)]
    fn wide(self) -> f64 {
        1.0
    }
}

/// One value an entry.
pub(super) trait ValueRun: Copy {
    type Value: Stored;
    fn iter(self, from: usize, to: usize) -> impl Iterator<Item = Self::Value>;
}

impl<T> ValueRun for &[Packed<T>]
where
    Packed<T>: Stored,
{
    type Value = Packed<T>;
    #[inline(always)]
    fn iter(self, from: usize, to: usize) -> impl Iterator<Item = Packed<T>> {
        self[from..to].iter().copied()
    }
}

impl ValueRun for One {
    type Value = One;
    #[inline(always)]
    fn iter(self, from: usize, to: usize) -> impl Iterator<Item = One> {
        (from..to).map(|_| One)
    }
}

#[derive(Clone, Copy)]
pub(super) struct SparseEntries<'a, V> {
    offsets: &'a [Packed<u64>],
    columns: &'a [Packed<u32>],
    values: V,
}

impl<'a, V> SparseEntries<'a, V> {
    pub(super) fn new(rows: &'a SparseRows, values: V) -> Self {
        SparseEntries { offsets: rows.offsets().as_slice(), columns: rows.columns().as_slice(), values }
    }
}

impl<'a> SparseEntries<'a, One> {
    pub(super) fn ones(rows: &'a SparseRows) -> Self {
        SparseEntries::new(rows, One)
    }
}

impl<V: ValueRun> Rows for SparseEntries<'_, V> {
    #[inline(always)]
    fn for_each(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        let span = SparseRows::span(self.offsets, row);
        let values = self.values.iter(span.start, span.end);
        for (column, value) in self.columns[span].iter().zip(values) {
            visit(column.get() as usize, value.wide());
        }
    }
}

#[derive(Clone, Copy)]
pub(super) struct OneHotEntries<'a> {
    column: &'a [Packed<u32>],
}

impl<'a> OneHotEntries<'a> {
    pub(super) fn new(rows: &'a OneHotRows) -> Self {
        OneHotEntries { column: rows.columns().as_slice() }
    }
}

impl Rows for OneHotEntries<'_> {
    #[inline(always)]
    fn for_each(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        let column = self.column[row].get();
        if column != OneHotRows::EMPTY {
            visit(column as usize, 1.0);
        }
    }
}
