//! The entries of a row as the kernels read them. The storage is a type parameter, so that no loop branches
//! on it.

use crate::matrix::{OneHotRows, Packed, SparseRows};

/// The number of entries by which the prefetch of a panel row precedes its use. The load from memory must be
/// complete by then and the line not yet evicted. Measured: 4 entries ahead gain nothing, 16 make passes an
/// eighth faster, 32 no more than 16.
const AHEAD: usize = 16;

/// One entry of a row.
pub(super) struct Entry {
    pub column: usize,
    pub value: f64,
    /// The column of the entry [`AHEAD`] entries later, to be prefetched.
    pub ahead: usize,
}

/// A storage whose rows can be walked entry by entry.
pub(super) trait Rows: Copy {
    fn row(&self, row: usize) -> impl Iterator<Item = Entry>;
}

/// A stored number.
pub(super) trait Stored: Copy {
    /// The number in double precision.
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

/// The value of an entry that is always 1. It takes no memory, and multiplying by it compiles to nothing.
#[derive(Clone, Copy)]
pub(super) struct One;

impl Stored for One {
    #[inline(always)]
    fn wide(self) -> f64 {
        1.0
    }
}

/// One value per entry.
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
        columns[span.clone()].iter().zip(values).zip(span).map(move |((column, value), index)| Entry {
            column: column.get() as usize,
            value: value.wide(),
            // Looking past the end of the row is intended: the next rows are read next.
            ahead: columns[(index + AHEAD).min(last)].get() as usize,
        })
    }
}

/// Rows whose columns have other numbers in the panel.
#[derive(Clone, Copy)]
pub(super) struct Renumbered<'a, R> {
    pub rows: R,
    pub numbers: &'a [u32],
}

impl<R: Rows> Rows for Renumbered<'_, R> {
    #[inline(always)]
    fn row(&self, row: usize) -> impl Iterator<Item = Entry> {
        let numbers = self.numbers;
        self.rows.row(row).map(move |Entry { column, value, ahead }| Entry {
            column: numbers[column] as usize,
            value,
            // An empty one-hot row names a column that does not exist.
            ahead: numbers.get(ahead).map_or(0, |&number| number as usize),
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
