//! Both views at hand, in memory or in mapped files.
//!
//! A pass is that of `parts`, over one piece.

use super::parts::{self, MOST_PARTS, Scratch, Sums};
use super::{
    Ask, GramEstimate, GramMatrix, GramSample, JointGram, Moments, Pair, Reduced, Shape, Side, Source,
    Triangle, dense_gram, gram, reduce, triangle,
};
use crate::error::{Error, Result};
use crate::kernel;
use crate::matrix::{Buffer, Line, Matrix};
use bytemuck::Zeroable;
use faer::Mat;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::{Mutex, OnceLock};

/// Cache lines of z that a block of rows may fill: 16 KiB stay in the first-level cache.
const BLOCK_LINES: usize = 256;

/// Two views whose rows can be read here.
pub struct InMemory {
    views: [Matrix; 2],
    weights: Option<Buffer<f64>>,
    moments: [OnceLock<Moments>; 2],
    scratch: Mutex<Vec<Scratch>>,
}

impl InMemory {
    /// Two views with the same rows; at least one row.
    pub fn new(x: Matrix, y: Matrix) -> Result<Self> {
        if x.rows() != y.rows() {
            return Err(Error::RowsDiffer { x: x.rows(), y: y.rows() });
        }
        if x.rows() == 0 {
            return Err(Error::NoRows);
        }
        Ok(InMemory { views: [x, y], weights: None, moments: Default::default(), scratch: Mutex::default() })
    }

    /// Multiplies each row's contribution by its weight, as if the row occurred that often.
    pub fn weighted(self, weights: Buffer<f64>) -> Result<Self> {
        let rows = self.views[0].rows();
        if weights.len() != rows {
            return Err(Error::Length { what: "row weights", expected: rows, found: weights.len() });
        }
        let bad = weights.iter().enumerate().find(|(_, w)| !(w.is_finite() && *w >= 0.0));
        match bad {
            Some((row, value)) => Err(Error::Weight { row, value }),
            None => Ok(InMemory { weights: Some(weights), moments: Default::default(), ..self }),
        }
    }

    /// One view.
    pub fn view(&self, side: Side) -> &Matrix {
        &self.views[side as usize]
    }

    /// The weight of a row; 1 where rows have none.
    pub fn weight(&self, row: usize) -> f64 {
        self.weights.as_ref().map_or(1.0, |weights| weights.as_slice()[row].get())
    }

    /// Neither view is dense, and rows can be numbered in 32 bits.
    fn has_sparse_gram(&self) -> bool {
        let sparse = self.views.iter().all(|view| !matches!(view, Matrix::Dense(_)));
        sparse && self.views[0].rows() <= u32::MAX as usize
    }

    /// What a guess at the joint Gram matrix goes by, where this is one of `pieces` pieces of the rows; nothing where the
    /// matrix cannot be formed.
    pub fn gram_sample(&self, pieces: usize) -> Option<GramSample> {
        self.has_sparse_gram().then(|| GramSample::of(&self.views, pieces))
    }

    /// Equal rows merged where that pays, and each view in terms of the columns that are kept; nothing where all would stay as
    /// it is.
    pub fn reduced_to(&self, columns: [Option<&[u32]>; 2]) -> Result<Option<InMemory>> {
        reduce::reduced(&self.views, self.weights.as_ref(), columns)
    }

    /// Adds the rows of `span` into `sums`.
    pub(super) fn run(
        &self,
        span: Range<usize>,
        sources: [Option<Source<'_>>; 2],
        z: &mut Vec<Line>,
        sums: &mut Sums<'_>,
    ) {
        let stride = sources.iter().flatten().map(|s| s.panel.lines_per_row()).max().unwrap_or(1).max(1);
        let block = (BLOCK_LINES / stride).max(8);
        z.resize(block * stride, Line::zeroed());
        for start in span.clone().step_by(block) {
            let rows = start..(start + block).min(span.end);
            for source in Side::BOTH {
                self.run_block(rows.clone(), source, sources[source as usize], z, sums);
            }
        }
    }

    fn run_block(
        &self,
        rows: Range<usize>,
        side: Side,
        source: Option<Source<'_>>,
        z: &mut [Line],
        sums: &mut Sums<'_>,
    ) {
        let Some(Source { panel, offset }) = source else { return };
        let stride = panel.lines_per_row();
        let z = &mut z[..rows.len() * stride];
        kernel::gather(self.view(side), rows.clone(), panel.lines(), stride, z);
        let weight = self.weights.as_ref().map(|_| |i: usize| self.weight(rows.start + i));
        kernel::adjust(z, stride, offset, weight);
        for target in Side::BOTH {
            if let Some(sum) = &mut sums[target as usize][side as usize] {
                kernel::scatter(self.view(target), rows.clone(), z, stride, sum);
            }
        }
    }
}

impl Pair for InMemory {
    fn shape(&self) -> Shape {
        Shape { rows: self.views[0].rows(), x_cols: self.views[0].cols(), y_cols: self.views[1].cols() }
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        Ok(self.moments[side as usize].get_or_init(|| {
            let mut spans = Vec::new();
            // Remembered, so the cut must not depend on how many threads happen to ask first.
            let entries = parts::entries_before(self.view(side), self.shape().rows);
            let parts = (entries / (4 * self.view(side).cols().max(1) as u64)).clamp(1, MOST_PARTS as u64);
            parts::cut(std::slice::from_ref(self), parts as usize, &mut spans);
            let view = self.view(side);
            let part = |rows: &Range<usize>| match view.is_all_ones() && self.weights.is_none() {
                true => Moments::by_counting(view, rows.clone()),
                false => Moments::of(view, rows.clone(), |row| self.weight(row)),
            };
            let parts: Vec<Moments> = spans.par_iter().map(part).collect();
            let mut sum = Moments::zero(self.view(side).cols());
            parts.iter().for_each(|part| sum.add(part));
            sum
        }))
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        ask.assert_fits(self.shape());
        parts::pass(std::slice::from_ref(self), &self.scratch, ask);
        Ok(())
    }

    fn is_one_hot(&self, side: Side) -> bool {
        matches!(self.view(side), Matrix::OneHot(_))
    }

    fn reduced(&self) -> Result<Option<Reduced>> {
        let columns = reduce::columns(self)?;
        let smaller = self.reduced_to(columns.each_ref().map(|kept| kept.as_deref()))?;
        Ok(smaller.and_then(|smaller| Reduced::new(self.shape(), Box::new(smaller), columns)))
    }

    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        gram::of(self.view(side), self.weights.as_ref(), limit)
    }

    fn joint_gram_estimate(&self) -> Result<Option<GramEstimate>> {
        Ok(self.gram_sample(1).map(|sample| sample.estimate(self.shape())))
    }

    fn joint_gram(&self, limit: u64) -> Result<Option<JointGram>> {
        if !self.has_sparse_gram() {
            return Ok(None);
        }
        let moments = [self.moments(Side::X)?, self.moments(Side::Y)?];
        JointGram::of(&self.views, moments, &|row| self.weight(row), limit).map(Some)
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        dense_gram::of(&self.views, self.weights.as_ref(), means.as_ref().map(|means| &means[..]), limit)
    }

    fn triangle(&self, limit: u64) -> Result<Triangle> {
        triangle::of(&self.views, self.weights.as_ref(), limit)
    }
}
