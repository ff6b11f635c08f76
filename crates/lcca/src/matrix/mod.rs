//! The rows of one view, in the storage that suits them, and the thin panels they are multiplied with.

mod buffer;
mod dense;
mod elsewhere;
mod line;
mod lower;
mod normalize;
mod one_hot;
mod pages;
mod panel;
mod reader;
mod rows_builder;
pub mod search;
mod single;
mod sparse;

pub use buffer::{Buffer, Owner, Packed};
pub use dense::{DenseRows, DenseValues};
pub use elsewhere::{Bytes, ColumnSums, Elsewhere, Numbers, Unreadable};
pub use line::{LANES, Line};
pub use lower::Lower;
pub use normalize::Normalize;
pub use one_hot::OneHotRows;
pub(crate) use pages::zeroed as zeroed_lines;
pub use pages::zeros;
pub use panel::Panel;
pub(crate) use panel::row_major_mut;
pub(crate) use reader::Reader;
pub(crate) use rows_builder::RowsBuilder;
pub(crate) use single::SinglePanel;
pub use sparse::{Canonical, SparseRows, Values};

use crate::error::Result;
use std::fmt;
use std::ops::Range;

/// One view: `rows` samples of `cols` features. Cloning shares the numbers.
#[derive(Clone)]
pub enum Matrix {
    /// Rows with few entries.
    Sparse(SparseRows),
    /// Rows with at most one entry, which is 1.
    OneHot(OneHotRows),
    /// Rows with every entry.
    Dense(DenseRows),
}

impl Matrix {
    /// The number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Matrix::Sparse(m) => m.rows(),
            Matrix::OneHot(m) => m.rows(),
            Matrix::Dense(m) => m.rows(),
        }
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Matrix::Sparse(m) => m.cols(),
            Matrix::OneHot(m) => m.cols(),
            Matrix::Dense(m) => m.cols(),
        }
    }

    /// The number of stored entries.
    pub fn entries(&self) -> u64 {
        match self {
            Matrix::Sparse(m) => m.entries(),
            Matrix::OneHot(m) => m.entries(),
            Matrix::Dense(m) => m.rows() as u64 * m.cols() as u64,
        }
    }

    /// The number of stored entries of one row.
    pub fn row_entries(&self, row: usize) -> u64 {
        match self {
            Matrix::Sparse(m) => {
                let offsets = m.offsets().as_slice();
                offsets[row + 1].get() - offsets[row].get()
            }
            Matrix::OneHot(m) => m.column(row).map_or(0, |_| 1),
            Matrix::Dense(m) => m.cols() as u64,
        }
    }

    /// The number of stored entries in the rows before `row`; a one-hot row counts as one.
    pub(crate) fn entries_before(&self, row: usize) -> u64 {
        match self {
            Matrix::Sparse(m) => {
                let offsets = m.offsets().as_slice();
                offsets[row].get() - offsets[0].get()
            }
            Matrix::OneHot(_) => row as u64,
            Matrix::Dense(m) => row as u64 * m.cols() as u64,
        }
    }

    /// Returns whether every stored entry is known to be 1.
    pub(crate) fn is_all_ones(&self) -> bool {
        match self {
            Matrix::Sparse(m) => matches!(m.values(), Values::Ones),
            Matrix::OneHot(_) => true,
            Matrix::Dense(_) => false,
        }
    }

    /// The name of the storage, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Matrix::Sparse(m) => match m.values() {
                Values::Ones => "sparse, all ones",
                Values::F32(_) => "sparse f32",
                Values::F64(_) => "sparse f64",
            },
            Matrix::OneHot(_) => "one-hot",
            Matrix::Dense(m) => match m.values() {
                DenseValues::F32(_) => "dense f32",
                DenseValues::F64(_) => "dense f64",
            },
        }
    }

    /// A range of the rows, sharing the numbers.
    pub fn slice(&self, rows: Range<usize>) -> Matrix {
        match self {
            Matrix::Sparse(m) => Matrix::Sparse(m.slice(rows)),
            Matrix::OneHot(m) => Matrix::OneHot(m.slice(rows)),
            Matrix::Dense(m) => Matrix::Dense(m.slice(rows)),
        }
    }

    /// Subtracts `origin`, one number per column, from every stored entry. Dense rows subtract while they
    /// are read; sparse rows get values of their own, 8 bytes per entry. Columns whose number is not 0 must
    /// be stored in every row.
    pub(crate) fn less(&self, origin: &[f64]) -> Matrix {
        match self {
            Matrix::Dense(m) => Matrix::Dense(m.less(origin)),
            Matrix::Sparse(m) => Matrix::Sparse(m.less(origin)),
            // A column that every row stores is constant, because entries are 1.
            Matrix::OneHot(_) => self.clone(),
        }
    }

    /// Copies numbers that lie in the memory of a device to the host, so that reading them cannot fail.
    pub(crate) fn bring(&self) -> Result<()> {
        match self {
            Matrix::Dense(m) => m.elsewhere().map_or(Ok(()), |(device, _)| device.bring()),
            Matrix::Sparse(m) => m.bring(),
            // One-hot rows were copied when they were checked.
            Matrix::OneHot(_) => Ok(()),
        }
    }

    /// The number in a row and a column, 0 if none is stored.
    pub(crate) fn get(&self, row: usize, column: usize) -> f64 {
        match self {
            Matrix::Sparse(m) => m.get(row, column),
            Matrix::OneHot(m) => f64::from(u8::from(m.column(row) == Some(column))),
            Matrix::Dense(m) => m.get(row, column),
        }
    }

    /// Calls `visit(column, value)` for every stored entry of `row`, columns ascending.
    pub fn for_each(&self, row: usize, mut visit: impl FnMut(usize, f64)) {
        match self {
            Matrix::Sparse(m) => m.for_each(row, visit),
            Matrix::OneHot(m) => m.column(row).into_iter().for_each(|column| visit(column, 1.0)),
            Matrix::Dense(m) => m.for_each(row, visit),
        }
    }
}

impl From<SparseRows> for Matrix {
    fn from(rows: SparseRows) -> Self {
        Matrix::Sparse(rows)
    }
}

impl From<OneHotRows> for Matrix {
    fn from(rows: OneHotRows) -> Self {
        Matrix::OneHot(rows)
    }
}

impl From<DenseRows> for Matrix {
    fn from(rows: DenseRows) -> Self {
        Matrix::Dense(rows)
    }
}

impl fmt::Debug for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}×{}", self.kind(), self.rows(), self.cols())?;
        let mut rows = f.debug_list();
        // A failing test prints its matrices, and 50 rows are enough for a reader.
        for row in 0..self.rows().min(50) {
            let mut entries = Vec::new();
            self.for_each(row, |column, value| entries.push((column, value)));
            rows.entry(&entries);
        }
        rows.finish()
    }
}
