//! Canonical variables of new rows, block by block: nothing n-sized is held.

use super::model::{Model, View};
use crate::data::Side;
use crate::error::{Error, Result};
use crate::kernel;
use crate::matrix::{Line, Matrix, Panel};
use bytemuck::Zeroable;
use rayon::prelude::*;

/// Rows handed over at a time.
const BLOCK: usize = 16_384;
/// Rows one thread takes at a time.
const CHUNK: usize = 256;

impl Model {
    /// One view's half of the model.
    pub fn view(&self, side: Side) -> &View {
        match side {
            Side::X => &self.x,
            Side::Y => &self.y,
        }
    }

    /// Pairs of canonical variables.
    pub fn pairs(&self) -> usize {
        self.correlations.len()
    }

    /// Calls `sink` with the canonical variables (x − μ)ᵀW of consecutive blocks of rows, k numbers per row. If
    /// the model has no pairs, `sink` is not called.
    pub fn transform<E: From<Error>>(
        &self,
        side: Side,
        rows: &Matrix,
        sink: impl FnMut(&[f64]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.view(side).transform(side, rows, sink)
    }

    /// All canonical variables of `rows` at once, one row of the panel per row.
    pub fn transform_all(&self, side: Side, rows: &Matrix) -> Result<Panel> {
        let (k, mut done) = (self.pairs(), 0);
        let mut scores = Panel::zeros(rows.rows(), k);
        self.transform(side, rows, |block| -> Result<()> {
            for row in block.chunks_exact(k) {
                scores.row_mut(done).copy_from_slice(row);
                done += 1;
            }
            Ok(())
        })?;
        Ok(scores)
    }
}

impl View {
    /// As [`Model::transform`], with the half of the model that it needs; errors name `side`.
    pub fn transform<E: From<Error>>(
        &self,
        side: Side,
        rows: &Matrix,
        mut sink: impl FnMut(&[f64]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let (expected, found) = (self.weights.rows(), rows.cols());
        if expected != found {
            return Err(Error::Width { side, expected, found }.into());
        }
        let offset = self.offset();
        let mut scores = Vec::new();
        if self.weights.cols() == 0 {
            return Ok(());
        }
        for start in (0..rows.rows()).step_by(BLOCK) {
            let end = (start + BLOCK).min(rows.rows());
            block_scores(&self.weights, &offset, rows, start, end, &mut scores);
            sink(&scores)?;
        }
        Ok(())
    }

    /// Wᵀμ, or zero if the model is not centered.
    fn offset(&self) -> Vec<f64> {
        let mut offset = vec![0.0; self.weights.cols()];
        for (i, mu) in self.mean.iter().flatten().enumerate() {
            offset.iter_mut().zip(self.weights.row(i)).for_each(|(o, w)| *o += mu * w);
        }
        offset
    }
}

fn block_scores(
    weights: &Panel,
    offset: &[f64],
    rows: &Matrix,
    start: usize,
    end: usize,
    scores: &mut Vec<f64>,
) {
    let (k, stride) = (weights.cols(), weights.lines_per_row());
    scores.clear();
    scores.resize((end - start) * k, 0.0);
    scores.par_chunks_mut(CHUNK * k).enumerate().for_each(|(chunk, scores)| {
        let from = start + chunk * CHUNK;
        let count = scores.len() / k;
        let mut z = vec![Line::zeroed(); count * stride];
        kernel::gather(rows, from..from + count, weights.lines(), stride, &mut z);
        for (out, z) in scores.chunks_exact_mut(k).zip(z.chunks_exact(stride)) {
            let z: &[f64] = bytemuck::cast_slice(z);
            out.iter_mut().zip(z).zip(offset).for_each(|((out, z), o)| *out = z - o);
        }
    });
}
