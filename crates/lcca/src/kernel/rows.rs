//! The entries of a row, for kernels: no branch on the storage inside the loop.

use crate::matrix::{OneHotRows, Packed, SparseRows};

/// How many entries before its turn a column is announced, so that its panel lines can be on their way from memory.
/// Measured: 4 gains nothing, 16 an eighth, 32 no more.
const AHEAD: usize = 16;

/// One entry of a row.
pub(super) struct Entry {
    pub column: usize,
    pub value: f64,
    /// A column whose turn comes soon.
    pub ahead: usize,
}

/// Something whose rows can be walked entry by entry.
pub(super) trait Rows: Copy {
    fn row(&self, row: usize) -> impl Iterator<Item = Entry>;
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
    fn row(&self, row: usize) -> impl Iterator<Item = Entry> {
        let span = SparseRows::span(self.offsets, row);
        let values = self.values.iter(span.start, span.end);
        let (columns, last) = (self.columns, self.columns.len().saturating_sub(1));
        columns[span.clone()].iter().zip(values).zip(span).map(move |((column, value), at)| Entry {
            column: column.get() as usize,
            value: value.wide(),
            ahead: columns[(at + AHEAD).min(last)].get() as usize,
        })
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
    fn row(&self, row: usize) -> impl Iterator<Item = Entry> {
        let column = self.column[row].get();
        let ahead = self.column[(row + AHEAD).min(self.column.len() - 1)].get() as usize;
        let entry = Entry { column: column as usize, value: 1.0, ahead };
        (column != OneHotRows::EMPTY).then_some(entry).into_iter()
    }
}
