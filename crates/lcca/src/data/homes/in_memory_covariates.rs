//! Covariates of rows that can be read directly.

use crate::data::facts::ask::{Ask, Source};
use crate::data::facts::covariates::Covariates;
use crate::data::facts::moments::Moments;
use crate::data::facts::triangle::{self, Triangle};
use crate::data::in_memory::InMemory;
use crate::data::pair::Pair;
use crate::error::{Error, Result};
use crate::kernel;
use crate::matrix::{Matrix, Panel};
use crate::panels;
use crate::side::Side;
use faer::Mat;
use rayon::prelude::*;
use std::sync::OnceLock;

/// The number of rows of the covariates whose products one thread adds up at a time. It is fixed, so that
/// sums do not depend on the number of threads.
const ROWS: usize = 4096;

impl InMemory {
    /// Adds covariates, whose part fits and scores take out of both views.
    ///
    /// ```
    /// use lcca::data::InMemory;
    /// use lcca::matrix::{DenseRows, DenseValues, Matrix};
    /// use lcca::method::{Method, Settings};
    ///
    /// let column = |numbers: [f64; 5]| -> lcca::Result<Matrix> {
    ///     Ok(DenseRows::new(5, 1, DenseValues::F64(numbers.to_vec().into()))?.into())
    /// };
    /// let (x, y) = (column([1.0, 2.1, 2.9, 4.2, 5.1])?, column([0.9, 2.2, 3.1, 3.9, 4.8])?);
    /// let pair = InMemory::new(x, y)?.with_covariates(column([1.0, 2.0, 3.0, 4.0, 5.0])?)?;
    /// // Both views follow the covariate; what is left of them hardly does.
    /// let fit = lcca::fit::fit(&pair, &Settings::new(Method::auto(), 1), &())?;
    /// assert!(fit.model.correlations[0] < 0.5);
    /// # Ok::<(), lcca::Error>(())
    /// ```
    pub fn with_covariates(mut self, covariates: Matrix) -> Result<Self> {
        let (expected, found) = (self.shape().rows, covariates.rows());
        if expected != found {
            return Err(Error::CovariateRows { expected, found });
        }
        self.covariates = Some(covariates.into());
        self.near = OnceLock::new();
        Ok(self)
    }

    /// The covariates of the rows, if they have any.
    pub fn covariates(&self) -> Option<&Matrix> {
        self.covariates.as_ref().map(|covariates| &covariates.rows)
    }

    /// These rows and covariates with other weights, in the same space.
    pub fn reweighted(&self, weights: Vec<f64>) -> Result<Self> {
        let [x, y] = Side::BOTH.map(|side| self.view(side).clone());
        let mut pair = InMemory::new(x, y)?.weighted(weights.into())?.placed(self.space.clone());
        pair.origin = self.origin.clone();
        match self.covariates() {
            Some(covariates) => pair.with_covariates(covariates.clone()),
            None => Ok(pair),
        }
    }

    /// A view paired with the covariates.
    fn beside_covariates(&self, view: &Matrix) -> Result<InMemory> {
        let covariates = self.covariates().ok_or(Error::Unavailable { what: "covariates" })?;
        let pair = InMemory::new(view.clone(), covariates.clone())?;
        match self.weights() {
            Some(weights) => pair.weighted(weights.clone()),
            None => Ok(pair),
        }
    }
}

impl Covariates for InMemory {
    fn covariate_columns(&self) -> usize {
        self.covariates().map_or(0, Matrix::cols)
    }

    fn covariate_moments(&self) -> Result<&Moments> {
        let known = self.covariates.as_ref().ok_or(Error::Unavailable { what: "covariates" })?;
        if let Some(moments) = known.moments.get() {
            return Ok(moments);
        }
        let moments = self.beside_covariates(&known.rows)?.moments(Side::Y)?.clone();
        Ok(known.moments.get_or_init(|| moments))
    }

    fn covariate_products(&self, v: &Panel, mean: Option<&[f64]>) -> Result<[Panel; 2]> {
        let offset = offset(v, mean);
        let source = Source { panel: v, offset: offset.as_ref().map(Panel::lines) };
        let products = |side: Side| -> Result<Panel> {
            let mut out = Panel::zeros(self.view(side).cols(), v.cols());
            if v.cols() == 0 {
                return Ok(out);
            }
            let ask = Ask::new().shifted_source(Side::Y, source).to(Side::X, &mut out);
            self.beside_covariates(self.view(side))?.pass(&mut { ask })?;
            Ok(out)
        };
        Ok([products(Side::X)?, products(Side::Y)?])
    }

    fn covariate_gram(&self, v: &Panel, mean: Option<&[f64]>) -> Result<Mat<f64>> {
        let covariates = self.covariates().ok_or(Error::Unavailable { what: "covariates" })?;
        let (offset, stride) = (offset(v, mean), v.lines_per_row());
        if v.cols() == 0 {
            return Ok(Mat::zeros(0, 0));
        }
        let gram_of = |start: usize| {
            let rows = start..(start + ROWS).min(covariates.rows());
            let mut z = Panel::zeros(rows.len(), v.cols());
            kernel::gather(covariates, rows.clone(), v.lines(), stride, z.lines_mut());
            let no_weight: Option<fn(usize) -> f64> = None;
            kernel::adjust(z.lines_mut(), stride, offset.as_ref().map(Panel::lines), no_weight);
            let mut weighted = z.clone();
            for i in 0..rows.len() {
                let weight = self.weight(rows.start + i);
                weighted.row_mut(i).iter_mut().for_each(|value| *value *= weight);
            }
            z.as_mat().transpose() * weighted.as_mat()
        };
        let starts: Vec<usize> = (0..covariates.rows()).step_by(ROWS).collect();
        let parts: Vec<Mat<f64>> = starts.into_par_iter().with_max_len(1).map(gram_of).collect();
        let sum = parts.into_iter().fold(Mat::zeros(v.cols(), v.cols()), |sum, part| sum + part);
        Ok(Mat::from_fn(v.cols(), v.cols(), |i, j| (sum[(i, j)] + sum[(j, i)]) / 2.0))
    }

    fn residual_triangle(&self, v: &Panel, mean: Option<&[f64]>, limit: u64) -> Result<Triangle> {
        let covariates = self.covariates().ok_or(Error::Unavailable { what: "covariates" })?;
        let first = triangle::Projected { rows: covariates, panel: v, mean };
        self.bring()?;
        triangle::form(&self.rows.views, Some(first), self.weights(), limit)
    }
}

/// Vᵀμ, which is subtracted from every z, so that sums are those of centered columns.
fn offset(v: &Panel, mean: Option<&[f64]>) -> Option<Panel> {
    mean.map(|mean| {
        let mean = Panel::from_fn(mean.len(), 1, |i, _| mean[i]);
        Panel::from_mat(panels::cross(&mean, v).as_ref())
    })
}
