//! Canonical variables of new rows, block by block, so that memory does not grow with the number of rows.

use super::model::{Effects, Model, View};
use crate::data::Side;
use crate::error::{Error, Result};
use crate::kernel;
use crate::matrix::{LANES, Line, Matrix, Panel};
use crate::panels;
use bytemuck::Zeroable;
use rayon::prelude::*;
use std::borrow::Cow;

/// The number of rows handed over at a time.
const BLOCK: usize = 16_384;
/// The number of rows that one thread takes at a time.
const CHUNK: usize = 256;

impl Model {
    /// One view's half of the model.
    pub fn view(&self, side: Side) -> &View {
        match side {
            Side::X => &self.x,
            Side::Y => &self.y,
        }
    }

    /// The number of pairs of canonical variables.
    pub fn pairs(&self) -> usize {
        self.correlations.len()
    }

    /// Calls `sink` with the canonical variables (x − μ)ᵀW of consecutive blocks of rows, k numbers per row.
    /// If the model has no pairs, `sink` is not called.
    pub fn transform<E: From<Error>>(
        &self,
        side: Side,
        rows: &Matrix,
        sink: impl FnMut(&[f64]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.view(side).transform(side, rows, sink)
    }

    /// Calls `sink` as [`Model::transform`] does, with the covariates of the rows taken into account. A
    /// model that was fitted with covariates needs them, and no other takes any.
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

    /// All canonical variables of `rows` as [`Model::transform_all`] gives them, with the covariates of the
    /// rows taken into account.
    pub fn transform_all_with(
        &self,
        side: Side,
        rows: &Matrix,
        covariates: Option<&Matrix>,
    ) -> Result<Panel> {
        let mut scores = Panel::zeros(rows.rows(), self.pairs());
        if let Some(terms) = self.view(side).terms(side, rows, covariates)? {
            let pitch = scores.lines_per_row() * LANES;
            terms.scores(0, bytemuck::cast_slice_mut(scores.lines_mut()), pitch);
        }
        Ok(scores)
    }
}

impl View {
    /// Calls `sink` as [`Model::transform`] does, from one half of the model alone; errors name `side`.
    pub fn transform<E: From<Error>>(
        &self,
        side: Side,
        rows: &Matrix,
        sink: impl FnMut(&[f64]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.transform_with(side, rows, None, sink)
    }

    /// Calls `sink` as [`Model::transform_with`] does, from one half of the model alone; errors name
    /// `side`.
    pub fn transform_with<E: From<Error>>(
        &self,
        side: Side,
        rows: &Matrix,
        covariates: Option<&Matrix>,
        mut sink: impl FnMut(&[f64]) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        let Some(terms) = self.terms(side, rows, covariates)? else { return Ok(()) };
        let (k, mut scores) = (self.weights.cols(), Vec::new());
        for start in (0..rows.rows()).step_by(BLOCK) {
            scores.resize(BLOCK.min(rows.rows() - start) * k, 0.0);
            terms.scores(start, &mut scores, k);
            sink(&scores)?;
        }
        Ok(())
    }

    /// The terms that add up to the canonical variables of rows. `None` if the model has no pairs.
    fn terms<'a>(
        &'a self,
        side: Side,
        rows: &'a Matrix,
        covariates: Option<&'a Matrix>,
    ) -> Result<Option<Terms<'a>>> {
        let (expected, found) = (self.weights.rows(), rows.cols());
        if expected != found {
            return Err(Error::Width { side, expected, found });
        }
        let explained = self.explained(rows.rows(), covariates)?;
        let centered_covariates = match (&self.effects, covariates) {
            (Some(effects), Some(rows)) => Some(less_mean(rows, Some(&effects.mean))),
            _ => None,
        };
        let rows = less_mean(rows, self.mean.as_deref());
        let mut offset = vec![0.0; self.weights.cols()];
        rows.add_offset(&mut offset, &self.weights);
        if let (Some(covariates), Some(panel)) = (&centered_covariates, &explained) {
            covariates.add_offset(&mut offset, panel);
        }
        let covariates = centered_covariates.zip(explained);
        let terms = Terms { rows, weights: &self.weights, covariates, offset };
        Ok((self.weights.cols() > 0).then_some(terms))
    }

    /// The change of the canonical variables with each covariate: −coefficientsᵀ·W, q×k. An error if
    /// covariates are missing, unknown or of another shape.
    pub(in crate::fit) fn explained(
        &self,
        rows: usize,
        covariates: Option<&Matrix>,
    ) -> Result<Option<Panel>> {
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
}

/// Rows, and means that are yet to be subtracted from them.
struct LessMean<'a> {
    rows: Cow<'a, Matrix>,
    mean: Option<&'a [f64]>,
}

/// Subtracts the means of dense rows while they are read, so that no digit is lost if means are far above
/// the deviations. Sparse rows would become dense by that, so an offset takes the place of their means.
fn less_mean<'a>(rows: &'a Matrix, mean: Option<&'a [f64]>) -> LessMean<'a> {
    match (rows, mean) {
        (Matrix::Dense(_), Some(mean)) => LessMean { rows: Cow::Owned(rows.less(mean)), mean: None },
        _ => LessMean { rows: Cow::Borrowed(rows), mean },
    }
}

impl LessMean<'_> {
    /// Adds the contribution of the means to the products with a panel.
    fn add_offset(&self, offset: &mut [f64], panel: &Panel) {
        for (i, mu) in self.mean.into_iter().flatten().enumerate() {
            offset.iter_mut().zip(panel.row(i)).for_each(|(o, w)| *o += mu * w);
        }
    }
}

/// The terms of canonical variables: products of rows with panels, less an offset.
struct Terms<'a> {
    rows: LessMean<'a>,
    weights: &'a Panel,
    covariates: Option<(LessMean<'a>, Panel)>,
    offset: Vec<f64>,
}

impl Terms<'_> {
    /// Writes the canonical variables of consecutive rows from `start` on, as many as there is room for if
    /// each row takes `pitch` numbers.
    fn scores(&self, start: usize, scores: &mut [f64], pitch: usize) {
        scores.par_chunks_mut(CHUNK * pitch).enumerate().for_each(|(chunk, scores)| {
            let (from, count) = (start + chunk * CHUNK, scores.len() / pitch);
            scores
                .chunks_exact_mut(pitch)
                .for_each(|out| out.iter_mut().zip(&self.offset).for_each(|(out, o)| *out = -o));
            let covariates = self.covariates.iter().map(|(rows, panel)| (&*rows.rows, panel));
            let mut z = Vec::new();
            for (matrix, panel) in std::iter::once((&*self.rows.rows, self.weights)).chain(covariates) {
                let stride = panel.lines_per_row();
                z.resize(count * stride, Line::zeroed());
                kernel::gather(matrix, from..from + count, panel.lines(), stride, &mut z);
                for (out, z) in scores.chunks_exact_mut(pitch).zip(z.chunks_exact(stride)) {
                    let z = &bytemuck::cast_slice::<Line, f64>(z)[..panel.cols()];
                    out.iter_mut().zip(z).for_each(|(out, z)| *out += z);
                }
            }
        });
    }
}
