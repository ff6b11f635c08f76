//! AᵀB of several sets of rows at once, on one pattern of entries.
//!
//! As in `product`, row j of the result is summed over the rows in which A holds column j. Every entry has
//! one value for each set of rows, its lane, so reading the rows once gives the products of all sets. Sums
//! of lanes share the pattern.

use super::product::Allowance;
use super::transposed::Transposed;
use crate::error::Result;
use crate::matrix::{Matrix, Reader, SparseRows, Values};
use rayon::prelude::*;

/// The number of rows of the product that one thread forms at a time.
const CHUNK: usize = 64;
/// The number of entries whose lanes one thread adds up at a time.
const SUMMED: usize = 1 << 14;

/// Sparse rows with several values per entry.
pub(in crate::data) struct Laned {
    /// Where the entries are.
    pattern: SparseRows,
    /// The values of each entry, one per lane, entry after entry.
    values: Vec<f64>,
    lanes: usize,
}

impl Laned {
    /// The bytes of an entry while parts of the product are put together: once in its part and once in the
    /// result.
    fn entry_bytes(lanes: usize) -> u64 {
        2 * (size_of::<u32>() + lanes * size_of::<f64>()) as u64
    }

    /// AᵀB for every set of rows: `lane` says to which set a row belongs. If `diagonal`, every entry (j, j)
    /// is stored.
    pub fn product(
        a: &Transposed,
        b: &Matrix,
        (lane, lanes): (&[u32], usize),
        weight: &(impl Fn(usize) -> f64 + Sync),
        diagonal: bool,
        allowance: &Allowance,
    ) -> Result<Self> {
        let reader = Reader::new(b);
        let form_chunk = |sums: &mut Sums, start: usize| {
            let mut part = Part::default();
            for j in start..(start + CHUNK).min(a.columns()) {
                if diagonal {
                    sums.add(j, 0, 0.0);
                }
                a.for_each(j, |row, value| {
                    let (factor, lane) = (weight(row) * value, lane[row] as usize);
                    reader.for_each(row, |column, value| sums.add(column, lane, factor * value));
                });
                sums.drain_into(&mut part);
            }
            allowance.take(Laned::entry_bytes(lanes) * part.columns.len() as u64)?;
            Ok(part)
        };
        let starts: Vec<usize> = (0..a.columns()).step_by(CHUNK).collect();
        let parts = starts.into_par_iter().map_init(|| Sums::new(b.cols(), lanes), form_chunk);
        Laned::join(parts.collect::<Result<_>>()?, b.cols(), lanes)
    }

    /// A diagonal matrix for each lane.
    pub fn diagonal(diagonals: &[&[f64]]) -> Result<Self> {
        let (size, lanes) = (diagonals.first().map_or(0, |diagonal| diagonal.len()), diagonals.len());
        let values = (0..size).flat_map(|j| diagonals.iter().map(move |diagonal| diagonal[j])).collect();
        let offsets: Vec<u64> = (0..=size as u64).collect();
        let columns: Vec<u32> = (0..size as u32).collect();
        let pattern = SparseRows::new(size, offsets.into(), columns.into(), Values::Ones)?;
        Ok(Laned { pattern, values, lanes })
    }

    fn join(parts: Vec<Part>, cols: usize, lanes: usize) -> Result<Self> {
        let entries = parts.iter().map(|part| part.columns.len()).sum();
        let (mut offsets, mut columns) = (vec![0u64], Vec::with_capacity(entries));
        let mut values = Vec::with_capacity(entries * lanes);
        for part in parts {
            let before = columns.len();
            offsets.extend(part.ends.iter().map(|end| (before + end) as u64));
            columns.extend(part.columns);
            values.extend(part.values);
        }
        let pattern = SparseRows::new(cols, offsets.into(), columns.into(), Values::Ones)?;
        Ok(Laned { pattern, values, lanes })
    }

    pub fn pattern(&self) -> &SparseRows {
        &self.pattern
    }

    /// The sum of the wanted lanes, entry by entry. No digits are lost, because nothing is subtracted.
    pub fn sum(&self, wanted: &[bool]) -> Vec<f64> {
        let entries = self.pattern.entries() as usize;
        let mut sums = vec![0.0; entries];
        let lanes: Vec<usize> = (0..self.lanes).filter(|&lane| wanted[lane]).collect();
        let chunks = sums.par_chunks_mut(SUMMED).zip(self.values.par_chunks(SUMMED * self.lanes));
        chunks.for_each(|(sums, values)| {
            for (sum, values) in sums.iter_mut().zip(values.chunks_exact(self.lanes)) {
                *sum = lanes.iter().map(|&lane| values[lane]).sum();
            }
        });
        sums
    }
}

/// Consecutive rows of the product.
#[derive(Default)]
struct Part {
    ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

/// One row of the product while it is summed up.
struct Sums {
    sums: Vec<f64>,
    lanes: usize,
    seen: Vec<bool>,
    touched: Vec<u32>,
}

impl Sums {
    fn new(cols: usize, lanes: usize) -> Self {
        Sums { sums: vec![0.0; cols * lanes], lanes, seen: vec![false; cols], touched: Vec::new() }
    }

    fn add(&mut self, column: usize, lane: usize, value: f64) {
        if !std::mem::replace(&mut self.seen[column], true) {
            self.touched.push(column as u32);
        }
        self.sums[column * self.lanes + lane] += value;
    }

    /// Appends the row to `part`, columns ascending, and clears the sums for the next one.
    fn drain_into(&mut self, part: &mut Part) {
        self.touched.sort_unstable();
        for &column in &self.touched {
            let own = column as usize * self.lanes..(column as usize + 1) * self.lanes;
            part.columns.push(column);
            part.values.extend_from_slice(&self.sums[own.clone()]);
            self.sums[own].fill(0.0);
            self.seen[column as usize] = false;
        }
        self.touched.clear();
        part.ends.push(part.columns.len());
    }
}
