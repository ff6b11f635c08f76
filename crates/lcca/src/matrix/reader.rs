//! The entries of a view with its numbers at hand, for loops over many short rows. A matrix would find its
//! numbers through their owner for each row anew, which takes as long as reading the row.

use super::{DenseRows, Matrix, OneHotRows, Packed, SparseRows, Values};

/// Reads the rows of a view.
#[derive(Clone, Copy)]
pub(crate) enum Reader<'a> {
    Sparse { offsets: &'a [Packed<u64>], columns: &'a [Packed<u32>], values: ReadValues<'a> },
    OneHot(&'a [Packed<u32>]),
    Dense(&'a DenseRows),
}

#[derive(Clone, Copy)]
pub(crate) enum ReadValues<'a> {
    Ones,
    F32(&'a [Packed<f32>]),
    F64(&'a [Packed<f64>]),
}

impl<'a> Reader<'a> {
    pub fn new(view: &'a Matrix) -> Self {
        match view {
            Matrix::Sparse(m) => Reader::Sparse {
                offsets: m.offsets().as_slice(),
                columns: m.columns().as_slice(),
                values: match m.values() {
                    Values::Ones => ReadValues::Ones,
                    Values::F32(values) => ReadValues::F32(values.as_slice()),
                    Values::F64(values) => ReadValues::F64(values.as_slice()),
                },
            },
            Matrix::OneHot(m) => Reader::OneHot(m.columns().as_slice()),
            Matrix::Dense(m) => Reader::Dense(m),
        }
    }

    /// Starts loading the place of a row that will be read later, and the columns of one that will be read
    /// soon.
    #[inline(always)]
    pub fn prefetch(&self, later: usize, soon: usize) {
        if let Reader::Sparse { offsets, columns, .. } = self {
            prefetch(offsets.as_ptr().wrapping_add(later));
            prefetch(columns.as_ptr().wrapping_add(offsets[soon].get() as usize));
        }
    }

    /// The number of stored entries of `row`.
    #[inline(always)]
    pub fn row_entries(&self, row: usize) -> u64 {
        match self {
            Reader::Sparse { offsets, .. } => offsets[row + 1].get() - offsets[row].get(),
            Reader::OneHot(columns) => u64::from(columns[row].get() != OneHotRows::EMPTY),
            Reader::Dense(m) => m.cols() as u64,
        }
    }

    /// Calls `visit(column, value)` for every stored entry of `row`, columns ascending.
    #[inline(always)]
    pub fn for_each(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Reader::Sparse { offsets, columns, values } => {
                let span = SparseRows::span(offsets, row);
                let columns = columns[span.clone()].iter().map(|column| column.get() as usize);
                match values {
                    ReadValues::Ones => columns.for_each(|column| visit(column, 1.0)),
                    ReadValues::F32(values) => {
                        columns.zip(&values[span]).for_each(|(column, v)| visit(column, v.get().into()));
                    }
                    ReadValues::F64(values) => {
                        columns.zip(&values[span]).for_each(|(column, v)| visit(column, v.get()));
                    }
                }
            }
            Reader::OneHot(columns) => {
                let column = columns[row].get();
                if column != OneHotRows::EMPTY {
                    visit(column as usize, 1.0);
                }
            }
            Reader::Dense(m) => m.for_each(row, visit),
        }
    }

    /// Calls `visit(column, value)` for the stored entries of `row` in column `first` and later ones, the
    /// last column first.
    #[inline(always)]
    pub fn for_each_from(&self, row: usize, first: usize, mut visit: impl FnMut(usize, f64)) {
        let Reader::Sparse { offsets, columns, values } = self else {
            self.for_each(row, |column, value| {
                if column >= first {
                    visit(column, value);
                }
            });
            return;
        };
        let span = SparseRows::span(offsets, row);
        for entry in span.rev() {
            let column = columns[entry].get() as usize;
            if column < first {
                return;
            }
            let value = match values {
                ReadValues::Ones => 1.0,
                ReadValues::F32(values) => values[entry].get().into(),
                ReadValues::F64(values) => values[entry].get(),
            };
            visit(column, value);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn prefetch<T>(address: *const T) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    // SAFETY: a prefetch reads nothing and cannot fault at any address.
    unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
}

/// Does nothing: stable Rust has no prefetch for other processors.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
fn prefetch<T>(_address: *const T) {}
