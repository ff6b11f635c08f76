//! Passes over Gram matrices with panels in single precision. Sums are in double precision, and are rounded
//! once, when they are stored.

use super::joint::JointGram;
use crate::data::facts::composition::Composition;
use crate::data::rows::parts::first_row;
use crate::kernel;
use crate::matrix::{LANES, Line, Matrix, SinglePanel};
use crate::side::Side;
use bytemuck::Zeroable;
use rayon::prelude::*;
use std::ops::Range;

/// The number of entries of a block that one thread multiplies at a time, and the most rows that hold them.
const ENTRIES: u64 = 4096;
const ROWS: usize = 1024;
/// The number of lines of sums that are formed before they are stored: 16 KiB, half of a usual first-level
/// cache.
const LINES: usize = 256;
/// The number of columns whose share of Wᵀμ one thread adds up at a time.
const COLUMNS: usize = 4096;

/// The innermost Gram matrices of a pair, if its passes consist of nothing but a pass over them in single
/// precision.
pub(crate) fn grams_of<'a>(composition: &Composition<'a>) -> Option<&'a JointGram> {
    if composition.is_scaled() { None } else { composition.home.downcast_ref() }
}

/// Replaces the given `targets[target][source]` by the products of `sources`, with the changes of
/// `composition`.
pub(crate) fn pass(
    joint: &JointGram,
    composition: &Composition<'_>,
    sources: [Option<&SinglePanel>; 2],
    targets: [[Option<&mut SinglePanel>; 2]; 2],
) {
    let offsets = [0, 1].map(|side| {
        let means = composition.means.map(|means| means[side]);
        sources[side].zip(means).map(|(panel, mean)| weighted_sum(panel, mean))
    });
    for (target, row) in Side::BOTH.into_iter().zip(targets) {
        for (source, out) in Side::BOTH.into_iter().zip(row) {
            let (Some(out), Some(w)) = (out, sources[source as usize]) else { continue };
            let shift =
                offsets[source as usize].as_deref().map(|offset| (&joint.moments(target).sum[..], offset));
            let product = Product { block: joint.block(target, source), w, shift };
            product.store(out.numbers_mut(), 0..product.block.rows());
            for &dead in composition.dead[target as usize] {
                out.row_mut(dead).fill(0.0);
            }
        }
    }
}

/// Wᵀμ, in lines.
fn weighted_sum(w: &SinglePanel, mean: &[f64]) -> Vec<Line> {
    let lines = w.stride() / LANES;
    let of_chunk = |(numbers, mean): (&[f32], &[f64])| {
        let mut sum = vec![Line::zeroed(); lines];
        for (row, &mu) in numbers.chunks_exact(w.stride()).zip(mean) {
            for (sum, numbers) in sum.iter_mut().zip(row.chunks_exact(LANES)) {
                (0..LANES).for_each(|lane| sum.0[lane] += mu * f64::from(numbers[lane]));
            }
        }
        sum
    };
    let chunks = w.numbers().par_chunks(COLUMNS * w.stride().max(1)).zip(mean.par_chunks(COLUMNS));
    let sums: Vec<Vec<Line>> = chunks.map(of_chunk).collect();
    sums.iter().fold(vec![Line::zeroed(); lines], |mut all, sum| {
        kernel::add(&mut all, sum);
        all
    })
}

/// A block times W, minus the outer product of sums and an offset if there is one.
struct Product<'a> {
    block: &'a Matrix,
    w: &'a SinglePanel,
    shift: Option<(&'a [f64], &'a [Line])>,
}

impl Product<'_> {
    /// Stores some rows of the product. Rows are shared out by entries, because those of frequent columns
    /// hold most of them.
    fn store(&self, out: &mut [f32], rows: Range<usize>) {
        let (block, stride) = (self.block, self.w.stride());
        let (start, end) = (block.entries_before(rows.start), block.entries_before(rows.end));
        if rows.len() > 1 && (end - start > ENTRIES || rows.len() > ROWS) {
            let load = |row: usize| block.entries_before(row) + row as u64;
            let half = load(rows.start) + (load(rows.end) - load(rows.start)) / 2;
            let middle = first_row(rows.start + 1, rows.end - 1, |row| load(row) >= half);
            let (above, below) = out.split_at_mut((middle - rows.start) * stride);
            rayon::join(|| self.store(above, rows.start..middle), || self.store(below, middle..rows.end));
            return;
        }
        let lines = stride / LANES;
        if lines == 0 {
            return;
        }
        let height = (LINES / lines).max(1);
        let mut sums = vec![Line::zeroed(); height * lines];
        for (first, out) in rows.step_by(height).zip(out.chunks_mut(height * stride)) {
            let count = out.len() / stride;
            let sums = &mut sums[..count * lines];
            kernel::gather_single(block, first..first + count, self.w.numbers(), lines, sums);
            for (i, (out, sums)) in out.chunks_exact_mut(stride).zip(sums.chunks_exact_mut(lines)).enumerate()
            {
                if let Some((totals, offset)) = self.shift {
                    let total = totals[first + i];
                    for (sum, offset) in sums.iter_mut().zip(offset) {
                        (0..LANES).for_each(|lane| sum.0[lane] -= total * offset.0[lane]);
                    }
                }
                for (out, sum) in out.chunks_exact_mut(LANES).zip(sums) {
                    (0..LANES).for_each(|lane| out[lane] = sum.0[lane] as f32);
                }
            }
        }
    }
}
