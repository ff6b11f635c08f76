//! Gram mode: passes over the four blocks of [X Y]ᵀ[X Y] instead of the rows.
//!
//! If many rows share few pairs of columns, the blocks hold far fewer entries than a pass over the rows
//! touches, because a pass meets every entry of a row three times and every entry of a block once.
//! Multiplying a block's row with a panel is the same gather as for a row of the data.

use crate::data::facts::ask::Ask;
use crate::data::facts::chosen::Chosen;
use crate::data::facts::composition::Composition;
use crate::data::facts::moments::Moments;
use crate::data::grams::block_gram::subtract_means;
use crate::data::grams::gram::{GramMatrix, SparseGram, StoredGram};
use crate::data::grams::joint::JointGram;
use crate::data::grams::product::Allowance;
use crate::data::pair::{Blocks, Capabilities, Grams, Pair};
use crate::data::rows::parts::first_row;
use crate::error::Result;
use crate::kernel;
use crate::matrix::{Line, Lower, Matrix, Panel};
use crate::side::{Shape, Side};
use bytemuck::Zeroable;
use faer::Mat;
use rayon::prelude::*;
use std::ops::Range;

/// The number of entries of a block that one thread multiplies at a time, and the most rows that hold them.
const ENTRIES: u64 = 4096;
const ROWS: usize = 1024;
/// The number of cache lines of products that are formed before they are added: 16 KiB, half of a usual
/// first-level cache.
const LINES: usize = 256;

impl Pair for JointGram {
    fn shape(&self) -> Shape {
        self.shape()
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        Ok(self.moments(side))
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        ask.assert_fits(self.shape());
        self.bring()?;
        for (target, source) in Side::BOTH.into_iter().flat_map(|t| Side::BOTH.map(|s| (t, s))) {
            let Some(from) = ask.source_of(source) else { continue };
            let Some(out) = ask.target(target, source) else { continue };
            add_product(out, self.block(target, source), from.panel);
            if let Some(offset) = from.offset {
                subtract_outer(out, &self.moments(target).sum, offset);
            }
        }
        Ok(())
    }

    /// All capabilities that need rows are declined, because there are none left to look at, factorize,
    /// sample or form more Gram matrices from.
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { grams: Some(self), blocks: Some(self), ..Capabilities::none() }
    }

    fn composition(&self) -> Option<Composition<'_>> {
        Some(Composition::of(self))
    }
}

impl Grams for JointGram {
    fn gram(&self, side: Side, _limit: u64) -> Result<GramMatrix> {
        self.bring()?;
        Ok(GramMatrix { stored: StoredGram::Sparse(SparseGram::lower(self.block(side, side))), shift: None })
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        let Shape { x_cols, y_cols, .. } = self.shape();
        let [x, y] = [x_cols, y_cols].map(|cols| (0..cols as u32).collect::<Vec<u32>>());
        Ok(self.block_gram([&x, &y], means, limit)?.to_mat())
    }
}

impl Blocks for JointGram {
    /// Column j of the lower triangle is row j of the blocks, from the diagonal on.
    fn block_gram(&self, columns: [&[u32]; 2], means: Option<[&[f64]; 2]>, limit: u64) -> Result<Lower> {
        self.bring()?;
        let chosen = Chosen::new(self.shape(), columns);
        let width = chosen.len();
        Allowance::new("the Gram matrix of the chosen columns", limit).take(8 * (width * width) as u64)?;
        let mut lower = Lower::zeros(width);
        lower.par_columns_mut().enumerate().for_each(|(j, out)| {
            let [x, y] = columns;
            let (own, row) = if j < x.len() { (Side::X, x[j]) } else { (Side::Y, y[j - x.len()]) };
            for source in Side::BOTH.into_iter().filter(|&source| source as usize >= own as usize) {
                let places = chosen.places(source);
                self.block(own, source).for_each(row as usize, |column, value| {
                    let place = places[column];
                    if place != Chosen::NONE && place as usize >= j {
                        out[place as usize - j] = value;
                    }
                });
            }
        });
        if let Some(means) = means {
            let sums = chosen.select(Side::BOTH.map(|side| &self.moments(side).sum[..]));
            subtract_means(&mut lower, &chosen.select(means), &sums, self.moments(Side::X).weight);
        }
        Ok(lower)
    }
}

/// out ← out + block·w.
fn add_product(out: &mut Panel, block: &Matrix, w: &Panel) {
    if w.lines_per_row() > 0 {
        add_rows(out.lines_mut(), 0..block.rows(), block, w);
    }
}

/// Adds the product of some rows of a block. Rows are shared out by entries, because those of frequent
/// columns hold most of them.
fn add_rows(out: &mut [Line], rows: Range<usize>, block: &Matrix, w: &Panel) {
    let stride = w.lines_per_row();
    let (start, end) = (block.entries_before(rows.start), block.entries_before(rows.end));
    if rows.len() > 1 && (end - start > ENTRIES || rows.len() > ROWS) {
        let load = |row: usize| block.entries_before(row) + row as u64;
        let half = load(rows.start) + (load(rows.end) - load(rows.start)) / 2;
        let middle = first_row(rows.start + 1, rows.end - 1, |row| load(row) >= half);
        let (above, below) = out.split_at_mut((middle - rows.start) * stride);
        rayon::join(
            || add_rows(above, rows.start..middle, block, w),
            || add_rows(below, middle..rows.end, block, w),
        );
        return;
    }
    let mut lines = [Line::zeroed(); LINES];
    // A panel of thousands of columns has longer rows.
    let mut longer = Vec::new();
    let z = if stride <= LINES {
        &mut lines[..]
    } else {
        longer.resize(stride, Line::zeroed());
        &mut longer[..]
    };
    let height = (LINES / stride).max(1);
    for (first, out) in rows.step_by(height).zip(out.chunks_mut(height * stride)) {
        let z = &mut z[..out.len()];
        kernel::gather(block, first..first + out.len() / stride, w.lines(), stride, z);
        kernel::add(out, z);
    }
}

/// out ← out − sums·offsetᵀ. The sum over rows changes by this if the offset is subtracted from every row's
/// z.
fn subtract_outer(out: &mut Panel, sums: &[f64], offset: &[Line]) {
    let stride = offset.len().max(1);
    out.lines_mut().par_chunks_mut(stride).zip(sums).with_min_len(4096).for_each(|(row, sum)| {
        for (out, offset) in row.iter_mut().zip(offset) {
            out.0.iter_mut().zip(&offset.0).for_each(|(out, offset)| *out -= sum * offset);
        }
    });
}
