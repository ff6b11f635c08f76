//! The Gram matrix of chosen columns of both views, dense, in one pass over the rows.
//!
//! Sparse rows are cut into batches. Of each batch only the chosen entries are kept, by rows and by
//! columns; column j of the result is then the sum, over the rows that hold column j, of their entries from
//! column j on. Because each thread owns whole columns, neither the memory nor the bits of the result
//! depend on the number of threads. The work is Σᵢ rᵢ²/2 for rows of rᵢ chosen entries. Rows that hold most
//! of the chosen columns are multiplied densely.

use super::product::Allowance;
use crate::data::facts::chosen::Chosen;
use crate::data::rows::paired_rows::PairedRows;
use crate::error::Result;
use crate::matrix::{Lower, Matrix, Reader};
use crate::side::Side;
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, Par};
use rayon::prelude::*;
use std::ops::Range;

/// The entries of both views, about, in the rows whose chosen entries are sorted by columns at a time.
/// Their places take one megabyte.
const CHUNK: usize = 1 << 18;
/// Chunks that are added up at a time.
const BATCH: usize = 32;
/// A column with more entries than this in one batch is summed by several threads.
const HEAVY: usize = 1 << 17;
/// Rows are multiplied densely if they hold more than one in `DENSE_SHARE` of the chosen columns.
const DENSE_SHARE: usize = 3;
/// The number of rows that are sampled to see how many of the chosen columns a row holds.
const SAMPLE: usize = 1024;
/// The number of entries in a block of dense rows: eight megabytes.
const DENSE_BLOCK: usize = 1 << 20;
/// Marks the last chosen entry of a row.
const LAST: u32 = 1 << 31;

/// The lower triangle of the chosen columns' Gram matrix over all pieces, with `means` subtracted from every
/// row; an error if it would take more than `limit` bytes.
pub(in crate::data) fn form(
    pieces: &[&PairedRows],
    chosen: &Chosen<'_>,
    means: Option<[&[f64]; 2]>,
    limit: u64,
) -> Result<Lower> {
    let width = chosen.len();
    let mean = means.map(|means| chosen.select(means));
    let entries: u64 = pieces.iter().flat_map(|piece| &piece.views).map(Matrix::entries).sum();
    // A chosen entry is kept twice, by rows and by columns, each time with a value unless all are one.
    let scratch = 24 * entries.min((CHUNK * BATCH) as u64).max(DENSE_BLOCK as u64 / 3);
    Allowance::new("the Gram matrix of the chosen columns", limit)
        .take(8 * (width as u64 * width as u64).saturating_add(scratch / 8))?;
    let mut sum = BlockSum { gram: Lower::zeros(width), columns: vec![0.0; width], weight: 0.0 };
    for piece in pieces {
        if is_dense(piece, chosen) {
            sum.add_dense(piece, chosen, mean.as_deref());
        } else {
            sum.add_sparse(piece, chosen);
        }
    }
    if let Some(mean) = &mean {
        subtract_means(&mut sum.gram, mean, &sum.columns, sum.weight);
    }
    Ok(sum.gram)
}

/// The lower triangle of Σ(z − μ)(z − μ)ᵀ from that of Σzzᵀ, with Σz and the sum of the row weights.
pub(in crate::data) fn subtract_means(gram: &mut Lower, mean: &[f64], sum: &[f64], weight: f64) {
    gram.par_columns_mut().enumerate().for_each(|(j, column)| {
        for (out, i) in column.iter_mut().zip(j..mean.len()) {
            *out += weight * mean[i] * mean[j] - mean[i] * sum[j] - sum[i] * mean[j];
        }
    });
}

/// Whether rows are dense or so full that a dense product is cheaper.
fn is_dense(piece: &PairedRows, chosen: &Chosen<'_>) -> bool {
    if piece.views.iter().any(|view| matches!(view, Matrix::Dense(_))) {
        return true;
    }
    let rows = piece.shape().rows;
    let sampled = (0..rows).step_by(rows.div_ceil(SAMPLE));
    let readers = piece.views.each_ref().map(Reader::new);
    let (mut looked, mut held) = (0, 0);
    for row in sampled {
        looked += 1;
        for_each_chosen(&readers, chosen, row, |_, _| held += 1);
    }
    held * DENSE_SHARE > looked * chosen.len()
}

/// Calls `visit(place, value)` for every chosen entry of a row, places ascending.
fn for_each_chosen(
    readers: &[Reader<'_>; 2],
    chosen: &Chosen<'_>,
    row: usize,
    mut visit: impl FnMut(u32, f64),
) {
    for (side, reader) in Side::BOTH.into_iter().zip(readers) {
        let places = chosen.places(side);
        reader.for_each(row, |column, value| {
            if places[column] != Chosen::NONE {
                visit(places[column], value);
            }
        });
    }
}

/// The sum over the rows so far. `columns` and `weight` cover only the rows whose means are not subtracted
/// yet.
struct BlockSum {
    gram: Lower,
    columns: Vec<f64>,
    weight: f64,
}

impl BlockSum {
    /// Adds rows as dense blocks, about the means if they are given.
    fn add_dense(&mut self, piece: &PairedRows, chosen: &Chosen<'_>, mean: Option<&[f64]>) {
        let (rows, width) = (piece.shape().rows, chosen.len());
        let height = (DENSE_BLOCK / width.max(1)).clamp(64, 4096).min(rows);
        let mut block = Mat::zeros(width, height);
        let readers = piece.views.each_ref().map(Reader::new);
        for start in (0..rows).step_by(height) {
            let count = height.min(rows - start);
            block.par_col_iter_mut().take(count).enumerate().for_each(|(i, mut z)| {
                (0..width).for_each(|place| z[place] = mean.map_or(0.0, |mean| -mean[place]));
                for_each_chosen(&readers, chosen, start + i, |place, value| z[place as usize] += value);
                let root = piece.weight(start + i).sqrt();
                if root != 1.0 {
                    (0..width).for_each(|place| z[place] *= root);
                }
            });
            let z = block.subcols(0, count);
            let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
            let gram = self.gram.as_mat_mut();
            matmul(gram, lower, Accum::Add, z, full, z.transpose(), full, 1.0, Par::rayon(0));
        }
    }

    /// Adds rows entry by entry.
    fn add_sparse(&mut self, piece: &PairedRows, chosen: &Chosen<'_>) {
        let rows = piece.shape().rows;
        self.weight +=
            if piece.weights.is_some() { (0..rows).map(|row| piece.weight(row)).sum() } else { rows as f64 };
        let all_ones = piece.weights.is_none() && piece.views.iter().all(Matrix::is_all_ones);
        for batch in spans(piece).chunks(BATCH) {
            let chunks: Vec<Chunk> =
                batch.par_iter().map(|span| Chunk::new(piece, chosen, span.clone(), all_ones)).collect();
            self.add_chunks(&chunks);
        }
    }

    fn add_chunks(&mut self, chunks: &[Chunk]) {
        let columns = self.gram.par_columns_mut().zip(&mut self.columns).enumerate();
        columns.with_max_len(1).for_each(|(j, (column, sum))| {
            let held: usize = chunks.iter().map(|chunk| chunk.count(j)).sum();
            if held <= HEAVY {
                for chunk in chunks {
                    *sum += chunk.add_column(j, |i, value| column[i - j] += value);
                }
                return;
            }
            let partial = |chunk: &Chunk| {
                let mut part = vec![0.0; column.len()];
                let sum = chunk.add_column(j, |i, value| part[i - j] += value);
                (sum, part)
            };
            let parts: Vec<(f64, Vec<f64>)> = chunks.par_iter().map(partial).collect();
            for (own, part) in parts {
                *sum += own;
                column.iter_mut().zip(&part).for_each(|(sum, value)| *sum += value);
            }
        });
    }
}

/// The rows cut into spans of about [`CHUNK`] entries of both views.
fn spans(piece: &PairedRows) -> Vec<Range<usize>> {
    let rows = piece.shape().rows;
    let before = |row: usize| Side::BOTH.iter().map(|&side| piece.entries_before(side, row)).sum::<u64>();
    let count = (before(rows) as usize).div_ceil(CHUNK).clamp(1, rows.max(1));
    (0..count).map(|part| rows * part / count..rows * (part + 1) / count).collect()
}

/// The chosen entries of some rows, by rows and by columns.
struct Chunk {
    /// The place of each entry, row after row; that of a row's last entry is marked by [`LAST`].
    places: Vec<u32>,
    /// The value of each entry; empty if all are one.
    values: Vec<f64>,
    /// Where the entries of each place begin in `entries`.
    starts: Vec<u32>,
    /// For each place, its entries as indices of `places`, rows ascending.
    entries: Vec<u32>,
    /// For each of `entries`, its value times the weight of its row; empty if all are one.
    weighted: Vec<f64>,
}

impl Chunk {
    fn new(piece: &PairedRows, chosen: &Chosen<'_>, rows: Range<usize>, all_ones: bool) -> Self {
        let (mut places, mut values, mut row_weights) = (Vec::new(), Vec::new(), Vec::new());
        let mut starts = vec![0u32; chosen.len() + 1];
        let readers = piece.views.each_ref().map(Reader::new);
        for row in rows {
            let first = places.len();
            for_each_chosen(&readers, chosen, row, |place, value| {
                places.push(place);
                starts[place as usize + 1] += 1;
                if !all_ones {
                    values.push(value);
                }
            });
            if !all_ones {
                row_weights.resize(places.len(), piece.weight(row));
            }
            if let Some(last) = places[first..].last_mut() {
                *last |= LAST;
            }
        }
        (0..chosen.len()).for_each(|j| starts[j + 1] += starts[j]);
        let mut next = starts.clone();
        let mut entries = vec![0; places.len()];
        let mut weighted = vec![0.0; values.len()];
        for (index, place) in places.iter().enumerate() {
            let next = &mut next[(place & !LAST) as usize];
            entries[*next as usize] = index as u32;
            if !all_ones {
                weighted[*next as usize] = row_weights[index] * values[index];
            }
            *next += 1;
        }
        Chunk { places, values, starts, entries, weighted }
    }

    fn count(&self, j: usize) -> usize {
        (self.starts[j + 1] - self.starts[j]) as usize
    }

    /// Calls `add(i, value)` for every term of column j from the diagonal down, and returns the column's
    /// weighted sum.
    fn add_column(&self, j: usize, mut add: impl FnMut(usize, f64)) -> f64 {
        let span = self.starts[j] as usize..self.starts[j + 1] as usize;
        if self.values.is_empty() {
            for &entry in &self.entries[span.clone()] {
                for &place in &self.places[entry as usize..] {
                    add((place & !LAST) as usize, 1.0);
                    if place & LAST != 0 {
                        break;
                    }
                }
            }
            return span.len() as f64;
        }
        let mut sum = 0.0;
        for (&entry, &weighted) in self.entries[span.clone()].iter().zip(&self.weighted[span]) {
            sum += weighted;
            for (place, value) in self.places[entry as usize..].iter().zip(&self.values[entry as usize..]) {
                add((place & !LAST) as usize, weighted * value);
                if place & LAST != 0 {
                    break;
                }
            }
        }
        sum
    }
}
