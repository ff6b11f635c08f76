//! Canonical variables of new rows, block by block: nothing n-sized is held.

use super::model::{Effects, Model, View};
use crate::data::Side;
use crate::error::{Error, Result};
use crate::kernel;
use crate::matrix::{Line, Matrix, Panel};
use crate::panels;
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

    /// As [`Model::transform`], with the covariates of the rows. A model that was fitted with covariates needs them, and no other
    /// takes any.
    pub fn transform_with<E: From<Error>>(
        &self,
        side: Side,
        rows: &Matrix,
        covariates: Option<&Matrix>,
        sink: impl FnMut(&[f64]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.view(side).transform_with(side, rows, covariates, sink)
    }

    /// All canonical variables of `rows` at once, one row of the panel per row.
    pub fn transform_all(&self, side: Side, rows: &Matrix) -> Result<Panel> {
        self.transform_all_with(side, rows, None)
    }

    /// As [`Model::transform_all`], with the covariates of the rows.
    pub fn transform_all_with(
        &self,
        side: Side,
        rows: &Matrix,
        covariates: Option<&Matrix>,
    ) -> Result<Panel> {
        let (k, mut done) = (self.pairs(), 0);
        let mut scores = Panel::zeros(rows.rows(), k);
        self.transform_with(side, rows, covariates, |block| -> Result<()> {
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
        sink: impl FnMut(&[f64]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.transform_with(side, rows, None, sink)
    }

    /// As [`Model::transform_with`], with the half of the model that it needs; errors name `side`.
    pub fn transform_with<E: From<Error>>(
        &self,
        side: Side,
        rows: &Matrix,
        covariates: Option<&Matrix>,
        mut sink: impl FnMut(&[f64]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let (expected, found) = (self.weights.rows(), rows.cols());
        if expected != found {
            return Err(Error::Width { side, expected, found }.into());
        }
        let explained = self.explained(rows.rows(), covariates)?;
        let mut terms = vec![(rows, &self.weights)];
        terms.extend(covariates.zip(explained.as_ref()));
        let offset = self.offset(explained.as_ref());
        let mut scores = Vec::new();
        if self.weights.cols() == 0 {
            return Ok(());
        }
        for start in (0..rows.rows()).step_by(BLOCK) {
            let end = (start + BLOCK).min(rows.rows());
            block_scores(&terms, &offset, start, end, &mut scores);
            sink(&scores)?;
        }
        Ok(())
    }

    /// What each covariate adds to the canonical variables: −coefficientsᵀ·W, q×k. An error if covariates are missing, unknown or of another shape.
    pub(super) fn explained(&self, rows: usize, covariates: Option<&Matrix>) -> Result<Option<Panel>> {
        let Some(Effects { mean, coefficients }) = &self.effects else {
            return if covariates.is_some() { Err(Error::CovariatesUnknown) } else { Ok(None) };
        };
        let Some(covariates) = covariates else {
            return Err(Error::CovariatesNeeded { columns: mean.len() });
        };
        let (expected, found) = (mean.len(), covariates.cols());
        if expected != found {
            return Err(Error::CovariateWidth { expected, found });
        }
        let (expected, found) = (rows, covariates.rows());
        if expected != found {
            return Err(Error::CovariateRows { expected, found });
        }
        let along = panels::cross(coefficients, &self.weights);
        Ok(Some(Panel::from_fn(along.nrows(), along.ncols(), |i, j| -along[(i, j)])))
    }

    /// What the means of the view and of its covariates add to the canonical variables.
    fn offset(&self, explained: Option<&Panel>) -> Vec<f64> {
        let mut offset = vec![0.0; self.weights.cols()];
        let mut add = |mean: &[f64], panel: &Panel| {
            for (i, mu) in mean.iter().enumerate() {
                offset.iter_mut().zip(panel.row(i)).for_each(|(o, w)| *o += mu * w);
            }
        };
        self.mean.iter().for_each(|mean| add(mean, &self.weights));
        self.effects.iter().zip(explained).for_each(|(effects, panel)| add(&effects.mean, panel));
        offset
    }
}

/// Rows `start..end` of the sum of products of rows with panels, less `offset`.
fn block_scores(
    terms: &[(&Matrix, &Panel)],
    offset: &[f64],
    start: usize,
    end: usize,
    scores: &mut Vec<f64>,
) {
    let (k, stride) = (offset.len(), terms[0].1.lines_per_row());
    scores.clear();
    scores.resize((end - start) * k, 0.0);
    scores.par_chunks_mut(CHUNK * k).enumerate().for_each(|(chunk, scores)| {
        let from = start + chunk * CHUNK;
        let count = scores.len() / k;
        let mut z = vec![Line::zeroed(); count * stride];
        scores.chunks_exact_mut(k).for_each(|out| out.iter_mut().zip(offset).for_each(|(out, o)| *out = -o));
        for (rows, panel) in terms {
            kernel::gather(rows, from..from + count, panel.lines(), stride, &mut z);
            for (out, z) in scores.chunks_exact_mut(k).zip(z.chunks_exact(stride)) {
                let z: &[f64] = bytemuck::cast_slice(z);
                out.iter_mut().zip(z).for_each(|(out, z)| *out += z);
            }
        }
    });
}
