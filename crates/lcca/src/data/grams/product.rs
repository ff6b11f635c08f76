//! AᵀB of two views with the same rows, formed as sparse rows.
//!
//! A is transposed once. Row j of the product is then the sum, over the rows in which A holds column j, of
//! B's row times A's entry. The work is Σᵢ aᵢbᵢ for rows of aᵢ and bᵢ entries, half of that for XᵀX; the
//! memory is that of the transpose and the result, and one row of sums per thread.

use super::transposed::Transposed;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Reader, RowsBuilder, SparseRows};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// The number of entries of A that one thread takes at a time. A column with more entries is summed by
/// several threads.
const CHUNK: usize = 1 << 14;
/// The number of rows by which a row of B is announced before it is read: first for its place, then for its
/// columns.
const LATER: usize = 32;
const SOON: usize = 8;
/// The number of rows of a symmetric matrix that one thread puts together at a time.
const MIRRORED: usize = 256;
/// The number of bytes of one entry of a product.
const ENTRY: u64 = (size_of::<u32>() + size_of::<f64>()) as u64;

/// The bytes that several products may still take together.
pub struct Allowance {
    what: &'static str,
    limit: u64,
    spent: AtomicU64,
}

impl Allowance {
    /// An allowance of `limit` bytes. Errors name `what` as the object that needed more.
    pub fn new(what: &'static str, limit: u64) -> Self {
        Allowance { what, limit, spent: AtomicU64::new(0) }
    }

    /// An allowance of `limit` bytes for the four blocks of [X Y]ᵀ[X Y].
    pub fn of_joint_gram(limit: u64) -> Self {
        Allowance::new("the joint Gram matrix", limit)
    }

    /// Takes bytes from the allowance; an error if fewer are left.
    pub fn take(&self, bytes: u64) -> Result<()> {
        let needed = self.spent.fetch_add(bytes, Relaxed).saturating_add(bytes);
        if needed <= self.limit {
            return Ok(());
        }
        let advice = "allow more memory, or use a method that forms no Gram matrix";
        Err(Error::Memory { what: self.what.into(), needed, allowed: self.limit, advice })
    }

    /// Takes the bytes of `entries` entries of products.
    pub fn take_entries(&self, entries: u64) -> Result<()> {
        self.take(ENTRY * entries)
    }

    /// Takes the bytes of the largest of some transposes, because they are not needed at the same time.
    pub fn take_transposed(&self, matrices: &[&Matrix]) -> Result<()> {
        self.take(matrices.iter().map(|matrix| Transposed::bytes(matrix)).max().unwrap_or(0))
    }
}

/// AᵀB with row weights: Σᵢ weight(i)·aᵢbᵢᵀ.
pub(in crate::data) fn product(
    a: &Transposed,
    b: &Matrix,
    weight: &(impl Fn(usize) -> f64 + Sync),
    allowance: &Allowance,
) -> Result<SparseRows> {
    let reader = Reader::new(b);
    let add = |sums: &mut Sums, _: usize, row: usize, factor: f64| {
        reader.for_each(row, |column, value| sums.add(column, factor * value));
    };
    let announce = |later: usize, soon: usize| reader.prefetch(later, soon);
    RowsBuilder::join(form(a, b.cols(), weight, add, |_, _| (), announce, allowance)?, b.cols(), false)
}

/// XᵀX with row weights, from the view by columns and by rows. Every entry (j, j) is stored, zero or not.
pub(in crate::data) fn symmetric(
    by_columns: &Transposed,
    view: &Matrix,
    weight: &(impl Fn(usize) -> f64 + Sync),
    allowance: &Allowance,
) -> Result<SparseRows> {
    let upper = upper_triangle(by_columns, view, weight, allowance)?;
    // The mirrored matrix takes as much again.
    allowance.take_entries(upper.entries())?;
    mirrored(upper)
}

/// The entries of XᵀX from the diagonal on, row by row. They determine the others, because XᵀX is
/// symmetric. Every entry (j, j) is stored.
pub(in crate::data) fn upper_triangle(
    by_columns: &Transposed,
    view: &Matrix,
    weight: &(impl Fn(usize) -> f64 + Sync),
    allowance: &Allowance,
) -> Result<SparseRows> {
    let reader = Reader::new(view);
    let add = |sums: &mut Sums, j: usize, row: usize, factor: f64| {
        reader.for_each_from(row, j, |column, value| sums.add(column, factor * value));
    };
    let diagonal = |sums: &mut Sums, j: usize| sums.add(j, 0.0);
    let announce = |later: usize, soon: usize| reader.prefetch(later, soon);
    let rows = form(by_columns, view.cols(), weight, add, diagonal, announce, allowance)?;
    RowsBuilder::join(rows, view.cols(), false)
}

/// The rows of a product, in parts. `begin` prepares the sums of a row, `add(sums, j, row, factor)` adds
/// B's row to row j, and `announce(later, soon)` names rows of B that will be read.
fn form(
    a: &Transposed,
    cols: usize,
    weight: &(impl Fn(usize) -> f64 + Sync),
    add: impl Fn(&mut Sums, usize, usize, f64) + Sync,
    begin: impl Fn(&mut Sums, usize) + Sync,
    announce: impl Fn(usize, usize) + Sync,
    allowance: &Allowance,
) -> Result<Vec<RowsBuilder>> {
    let pool = SumsPool { cols, idle: Mutex::default() };
    let sum_span = |sums: &mut Sums, j: usize, span: Range<usize>| {
        let ahead = |entry: usize| a.rows()[entry.min(a.rows().len() - 1)] as usize;
        let mut entry = span.start;
        a.for_each_in(span, |row, value| {
            announce(ahead(entry + LATER), ahead(entry + SOON));
            entry += 1;
            add(sums, j, row, weight(row) * value);
        });
    };
    let form_chunk = |columns: &Range<usize>| {
        let mut chunk = RowsBuilder::default();
        let before = |j: usize| a.entries_before(j);
        if columns.len() == 1 && before(columns.end) - before(columns.start) > CHUNK {
            let j = columns.start;
            let spans: Vec<usize> = (before(j)..before(j + 1)).step_by(CHUNK).collect();
            let sum_part = |&start: &usize| {
                pool.with(|sums| {
                    sum_span(sums, j, start..(start + CHUNK).min(before(j + 1)));
                    let mut part = Vec::with_capacity(sums.count);
                    sums.drain(|column, value| part.push((column, value)));
                    part
                })
            };
            // The pieces of one column are added in their order, no matter which threads summed them.
            let parts: Vec<Vec<(u32, f64)>> = spans.par_iter().with_max_len(1).map(sum_part).collect();
            pool.with(|sums| {
                begin(sums, j);
                for part in &parts {
                    part.iter().for_each(|&(column, value)| sums.add(column as usize, value));
                }
                sums.drain_into(&mut chunk);
            });
        } else {
            pool.with(|sums| {
                for j in columns.clone() {
                    begin(sums, j);
                    sum_span(sums, j, before(j)..before(j + 1));
                    sums.drain_into(&mut chunk);
                }
            });
        }
        allowance.take_entries(chunk.entries() as u64)?;
        Ok(chunk)
    };
    cut(a).par_iter().with_max_len(1).map(form_chunk).collect()
}

/// Cuts A's columns into ranges of at most [`CHUNK`] entries, or of one column. A range has no more columns
/// than entries are allowed, because an empty column costs something too.
fn cut(a: &Transposed) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    for j in 0..a.columns() {
        let is_full = a.entries_before(j + 1) - a.entries_before(start) > CHUNK || j - start >= CHUNK;
        if is_full && j > start {
            ranges.push(start..j);
            start = j;
        }
    }
    if start < a.columns() {
        ranges.push(start..a.columns());
    }
    ranges
}

/// All of a symmetric matrix from its upper triangle, whose diagonal is stored in full.
fn mirrored(upper: SparseRows) -> Result<SparseRows> {
    let (size, upper) = (upper.cols(), Matrix::from(upper));
    let lower = Transposed::new(&upper);
    let reader = Reader::new(&upper);
    let mirror_rows = |start: usize| {
        let mut rows = RowsBuilder::default();
        for i in start..(start + MIRRORED).min(size) {
            // The last entry of a row of the lower triangle is the diagonal, which the upper triangle
            // already holds.
            let left = lower.entries_before(i)..lower.entries_before(i + 1) - 1;
            lower.for_each_in(left, |column, value| rows.push(column as u32, value));
            reader.for_each(i, |column, value| rows.push(column as u32, value));
            rows.end_row();
        }
        rows
    };
    let starts: Vec<usize> = (0..size).step_by(MIRRORED).collect();
    let parts = starts.into_par_iter().map(mirror_rows).collect();
    drop((lower, upper));
    RowsBuilder::join(parts, size, false)
}

/// Sums that no thread is using, kept so that they can be used again.
struct SumsPool {
    cols: usize,
    idle: Mutex<Vec<Sums>>,
}

impl SumsPool {
    fn with<R>(&self, run: impl FnOnce(&mut Sums) -> R) -> R {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let known = idle().pop();
        let mut sums = known.unwrap_or_else(|| Sums::new(self.cols));
        let result = run(&mut sums);
        idle().push(sums);
        result
    }
}

/// One row of the product while it is summed up. One bit for each column says whether the row holds it, and
/// one bit for each word of these says whether it is not zero, because the columns are then found in order
/// without sorting.
struct Sums {
    sums: Vec<f64>,
    seen: Vec<u64>,
    words: Vec<u64>,
    count: usize,
}

impl Sums {
    fn new(cols: usize) -> Self {
        let words = cols.div_ceil(64);
        Sums { sums: vec![0.0; cols], seen: vec![0; words], words: vec![0; words.div_ceil(64)], count: 0 }
    }

    #[inline(always)]
    fn add(&mut self, column: usize, value: f64) {
        let (word, bit) = (column / 64, 1 << (column % 64));
        if self.seen[word] & bit == 0 {
            self.seen[word] |= bit;
            self.words[word / 64] |= 1 << (word % 64);
            self.count += 1;
        }
        self.sums[column] += value;
    }

    /// Calls `visit(column, sum)` for every column of the row, ascending, and clears the sums for the next
    /// one.
    fn drain(&mut self, mut visit: impl FnMut(u32, f64)) {
        for group in 0..self.words.len() {
            for word in bits(std::mem::take(&mut self.words[group])) {
                let word = 64 * group + word;
                for bit in bits(std::mem::take(&mut self.seen[word])) {
                    let column = 64 * word + bit;
                    visit(column as u32, std::mem::take(&mut self.sums[column]));
                }
            }
        }
        self.count = 0;
    }

    /// Appends the row to `rows`.
    fn drain_into(&mut self, rows: &mut RowsBuilder) {
        rows.reserve(self.count);
        self.drain(|column, value| rows.push(column, value));
        rows.end_row();
    }
}

/// The positions of the bits that are set, ascending.
fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        next
    })
}
