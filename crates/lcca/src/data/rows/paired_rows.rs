//! The rows of two views that can be read directly, and their weights.

use crate::data::facts::ask::Source;
use crate::error::{Error, Result};
use crate::kernel;
use crate::matrix::{Buffer, Line, Matrix};
use crate::side::{Shape, Side};
use bytemuck::Zeroable;
use std::ops::Range;

/// The number of cache lines of z that a block of rows may fill: 16 KiB, half of a usual first-level cache,
/// because z is then still there when the block is scattered. Larger blocks spill, smaller ones pay more
/// for starting a kernel.
const BLOCK_LINES: usize = 256;

/// The places to which a part of a pass adds its products: `sums[target][source]`.
pub(in crate::data) type Sums<'a> = [[Option<&'a mut [Line]>; 2]; 2];

/// Two views with the same rows, and a weight per row if rows are weighted.
pub(in crate::data) struct PairedRows {
    pub views: [Matrix; 2],
    pub weights: Option<Buffer<f64>>,
}

impl PairedRows {
    /// Checks that both views have the same rows, at least one.
    pub fn new(x: Matrix, y: Matrix) -> Result<Self> {
        if x.rows() != y.rows() {
            return Err(Error::RowsDiffer { x: x.rows(), y: y.rows() });
        }
        if x.rows() == 0 {
            return Err(Error::NoRows);
        }
        Ok(PairedRows { views: [x, y], weights: None })
    }

    /// Gives the rows these weights, which must be finite and not negative.
    pub fn weighted(self, weights: Buffer<f64>) -> Result<Self> {
        let rows = self.views[0].rows();
        if weights.len() != rows {
            return Err(Error::Length { what: "row weights", expected: rows, found: weights.len() });
        }
        if let Some((row, value)) = weights.iter().enumerate().find(|(_, w)| !(w.is_finite() && *w >= 0.0)) {
            return Err(Error::Weight { row, value });
        }
        Ok(PairedRows { weights: Some(weights), ..self })
    }

    pub fn shape(&self) -> Shape {
        Shape { rows: self.views[0].rows(), x_cols: self.views[0].cols(), y_cols: self.views[1].cols() }
    }

    pub fn view(&self, side: Side) -> &Matrix {
        &self.views[side as usize]
    }

    /// The weight of a row; 1 if rows are not weighted.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights.as_slice()[row].get())
    }

    /// Whether the joint Gram matrix can be formed sparsely: neither view is dense, and rows can be
    /// numbered in 32 bits.
    pub fn has_sparse_gram(&self) -> bool {
        let sparse = self.views.iter().all(|view| !matches!(view, Matrix::Dense(_)));
        sparse && self.views[0].rows() <= u32::MAX as usize
    }

    /// Stored entries of one view in the rows before `row`; a one-hot row counts as one.
    pub fn entries_before(&self, side: Side, row: usize) -> u64 {
        self.view(side).entries_before(row)
    }

    /// Adds the products of the rows in `span` into `sums`, one block of rows at a time because z then
    /// stays in the cache. If `sums` do not have one row per column, `places` map each column of a view to
    /// its row.
    pub fn add_products(
        &self,
        span: Range<usize>,
        sources: [Option<Source<'_>>; 2],
        z: &mut Vec<Line>,
        sums: &mut Sums<'_>,
        places: [Option<&[u32]>; 2],
    ) {
        let stride = sources.iter().flatten().map(|s| s.panel.lines_per_row()).max().unwrap_or(1).max(1);
        let block = (BLOCK_LINES / stride).max(8);
        z.resize(block * stride, Line::zeroed());
        for start in span.clone().step_by(block) {
            let rows = start..(start + block).min(span.end);
            for side in Side::BOTH {
                if let Some(source) = sources[side as usize] {
                    self.add_block(rows.clone(), side, source, z, sums, places);
                }
            }
        }
    }

    fn add_block(
        &self,
        rows: Range<usize>,
        side: Side,
        Source { panel, offset }: Source<'_>,
        z: &mut [Line],
        sums: &mut Sums<'_>,
        places: [Option<&[u32]>; 2],
    ) {
        let stride = panel.lines_per_row();
        let z = &mut z[..rows.len() * stride];
        kernel::gather(self.view(side), rows.clone(), panel.lines(), stride, z);
        let weight = self.weights.as_ref().map(|_| |i: usize| self.weight(rows.start + i));
        kernel::adjust(z, stride, offset, weight);
        for target in Side::BOTH {
            if let Some(sum) = &mut sums[target as usize][side as usize] {
                let places = places[target as usize];
                kernel::scatter(self.view(target), rows.clone(), z, stride, sum, places);
            }
        }
    }
}
