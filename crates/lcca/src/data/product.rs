//! AᵀB of two views with the same rows, formed as sparse rows.
//!
//! A is transposed once. Row j of the product is then the sum, over the rows in which A holds column j, of B's row times
//! A's entry. The work is Σᵢ aᵢbᵢ for rows of aᵢ and bᵢ entries; the memory is that of the transpose and the result.

use crate::error::{Error, Result};
use crate::matrix::{Matrix, RowsBuilder, SparseRows, Values};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Rows of the product that one thread forms at a time.
const CHUNK: usize = 64;
/// Bytes of one entry of a product.
const ENTRY: u64 = (size_of::<u32>() + size_of::<f64>()) as u64;
/// A row of the product is sorted if it holds fewer than one column in this many. A fuller row is found faster by
/// scanning all columns than by sorting its own.
const SORTED_SHARE: usize = 16;

/// A view by columns: the rows of each, ascending, and the values unless all are one.
pub(super) struct Transposed {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Option<Vec<f64>>,
}

impl Transposed {
    /// Bytes the transpose of a view takes.
    pub fn bytes(view: &Matrix) -> u64 {
        let entry = if view.is_all_ones() { 4 } else { 12 };
        entry * view.entries() + 16 * view.cols() as u64
    }

    /// Reads the view twice: once to count the entries of each column, once to place them.
    pub fn new(view: &Matrix) -> Transposed {
        let mut starts = vec![0; view.cols() + 1];
        (0..view.rows()).for_each(|row| view.for_each(row, |column, _| starts[column + 1] += 1));
        (0..view.cols()).for_each(|j| starts[j + 1] += starts[j]);
        let mut next = starts.clone();
        let entries = starts[view.cols()];
        let mut rows = vec![0u32; entries];
        let mut values = (!view.is_all_ones()).then(|| vec![0.0; entries]);
        for row in 0..view.rows() {
            view.for_each(row, |column, value| {
                let place = next[column];
                rows[place] = row as u32;
                if let Some(values) = &mut values {
                    values[place] = value;
                }
                next[column] += 1;
            });
        }
        Transposed { starts, rows, values }
    }

    pub fn columns(&self) -> usize {
        self.starts.len() - 1
    }

    /// The transpose as a matrix of its own; `rows` is how many rows the view had.
    pub fn into_rows(self, rows: usize) -> Result<SparseRows> {
        let offsets: Vec<u64> = self.starts.iter().map(|&start| start as u64).collect();
        let values = self.values.map_or(Values::Ones, |values| Values::F64(values.into()));
        SparseRows::new(rows, offsets.into(), self.rows.into(), values)
    }

    /// Calls `visit(row, value)` for every entry of column j.
    pub fn for_each(&self, j: usize, mut visit: impl FnMut(usize, f64)) {
        for entry in self.starts[j]..self.starts[j + 1] {
            visit(self.rows[entry] as usize, self.values.as_ref().map_or(1.0, |values| values[entry]));
        }
    }
}

/// Bytes that may still be taken, shared by several products.
pub(super) struct Allowance {
    what: &'static str,
    limit: u64,
    spent: AtomicU64,
}

impl Allowance {
    pub fn new(what: &'static str, limit: u64) -> Self {
        Allowance { what, limit, spent: AtomicU64::new(0) }
    }

    /// Takes bytes; an error if fewer are left.
    pub fn take(&self, bytes: u64) -> Result<()> {
        let needed = self.spent.fetch_add(bytes, Relaxed) + bytes;
        if needed <= self.limit {
            return Ok(());
        }
        let advice = "allow more memory, or use a method that forms no Gram matrix";
        Err(Error::Memory { what: self.what.into(), needed, allowed: self.limit, advice })
    }
}

/// AᵀB with row weights: Σᵢ weight(i)·aᵢbᵢᵀ. If `diagonal`, every entry (j, j) is stored, zero or not.
pub(super) fn product(
    a: &Transposed,
    b: &Matrix,
    weight: &(impl Fn(usize) -> f64 + Sync),
    diagonal: bool,
    allowance: &Allowance,
) -> Result<SparseRows> {
    let form_chunk = |sums: &mut Sums, start: usize| {
        let mut chunk = RowsBuilder::default();
        for j in start..(start + CHUNK).min(a.columns()) {
            if diagonal {
                sums.add(j, 0.0);
            }
            a.for_each(j, |row, value| {
                let factor = weight(row) * value;
                b.for_each(row, |column, value| sums.add(column, factor * value));
            });
            sums.drain_into(&mut chunk);
        }
        allowance.take(ENTRY * chunk.entries() as u64)?;
        Ok(chunk)
    };
    let starts: Vec<usize> = (0..a.columns()).step_by(CHUNK).collect();
    let chunks = starts.into_par_iter().map_init(|| Sums::new(b.cols()), form_chunk);
    RowsBuilder::join(chunks.collect::<Result<_>>()?, b.cols(), false)
}

/// One row of the product while it is summed up.
struct Sums {
    sums: Vec<f64>,
    seen: Vec<bool>,
    touched: Vec<u32>,
}

impl Sums {
    fn new(cols: usize) -> Self {
        Sums { sums: vec![0.0; cols], seen: vec![false; cols], touched: Vec::new() }
    }

    fn add(&mut self, column: usize, value: f64) {
        if !std::mem::replace(&mut self.seen[column], true) {
            self.touched.push(column as u32);
        }
        self.sums[column] += value;
    }

    /// Appends the row to `rows`, columns ascending, and clears the sums for the next one.
    fn drain_into(&mut self, rows: &mut RowsBuilder) {
        if self.touched.len() * SORTED_SHARE < self.seen.len() {
            self.touched.sort_unstable();
        } else {
            self.touched.clear();
            self.touched.extend((0..self.seen.len() as u32).filter(|&c| self.seen[c as usize]));
        }
        for &column in &self.touched {
            rows.push(column, std::mem::take(&mut self.sums[column as usize]));
            self.seen[column as usize] = false;
        }
        self.touched.clear();
        rows.end_row();
    }
}
