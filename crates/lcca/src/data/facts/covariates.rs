//! The part of two views that covariates explain: the projection that takes it out, as sums over rows.
//!
//! With Z the covariates, centered if the views are, and H such that Q = Z·H has orthonormal columns, the
//! residuals of X are X − Q·QᵀX. They are never formed: M = XᵀQ is enough, as high as X is wide, because (X
//! − QQᵀX)ᵀ(Y − QQᵀY) = XᵀY − Mx·Myᵀ. The coefficients of X's columns on Z are M·Hᵀ.
//!
//! H is rank-revealing: columns of Z that depend on others, and constant ones if Z is centered, drop out.
//! It is found in two rounds if ZᵀZ is ill conditioned, because one round loses as many digits as the
//! condition number has.

use super::moments::Moments;
use super::triangle::Triangle;
use crate::error::Result;
use crate::matrix::{Matrix, Panel};
use crate::panels;
use crate::side::Side;
use crate::whiten::{safe_whitener, whitener, whitener_above};
use faer::{Mat, MatRef};
use std::sync::OnceLock;

/// Directions of ZᵀZ, scaled to a unit diagonal, whose share is below this depend on the others.
const CUT: f64 = 1e-10;

/// Rows with further columns Z, the covariates, whose part is to be taken out of both views.
pub trait Covariates: Sync {
    /// Columns of Z.
    fn covariate_columns(&self) -> usize;

    /// Sums over the rows for each column of Z.
    fn covariate_moments(&self) -> Result<&Moments>;

    /// XᵀZ·V and YᵀZ·V for a panel V as high as Z is wide. `mean` is subtracted from every row of Z: if it
    /// is the mean of all rows, the products are those of centered columns.
    fn covariate_products(&self, v: &Panel, mean: Option<&[f64]>) -> Result<[Panel; 2]>;

    /// VᵀZᵀZ·V, summed up from the rows of Z·V, because that is as exact as those rows are.
    fn covariate_gram(&self, v: &Panel, mean: Option<&[f64]>) -> Result<Mat<f64>>;

    /// The triangular factor of the residuals of both views on the columns (Z − 1·meanᵀ)·V, and on the column
    /// of ones if a mean is given.
    fn residual_triangle(&self, v: &Panel, mean: Option<&[f64]>, limit: u64) -> Result<Triangle>;
}

/// The covariates of some rows, and their moments once these were asked for.
pub(in crate::data) struct CovariateRows {
    pub rows: Matrix,
    pub moments: OnceLock<Moments>,
}

impl From<Matrix> for CovariateRows {
    fn from(rows: Matrix) -> Self {
        CovariateRows { rows, moments: OnceLock::new() }
    }
}

/// The part of two views that covariates explain.
pub struct Explained {
    /// The means of the covariates, if they are centered.
    pub mean: Option<Vec<f64>>,
    /// H, one row per covariate, one column per independent direction.
    pub basis: Panel,
    /// XᵀZH and YᵀZH.
    pub along: [Panel; 2],
    /// The sum of each column of ZH; zeros if Z is centered.
    pub sums: Vec<f64>,
}

impl Explained {
    /// Reads the rows for the products of Z with itself, and once more for the products with the views.
    pub fn new(covariates: &dyn Covariates, center: bool) -> Result<Self> {
        let raw = covariates.covariate_moments()?;
        let mean = center.then(|| raw.mean());
        let squares = if center { raw.centered().square } else { raw.square.clone() };
        let columns = covariates.covariate_columns();
        let identity =
            Panel::from_fn(columns, columns, |i, j| f64::from(u8::from(i == j && squares[i] > 0.0)));
        let gram = covariates.covariate_gram(&identity, mean.as_deref())?;
        let basis = match safe_whitener(gram.as_ref())? {
            Some(h) => Panel::from_mat(h.as_ref()),
            None => {
                let first = Panel::from_mat(whitener_above(gram.as_ref(), CUT)?.as_ref());
                let second = whitener(covariates.covariate_gram(&first, mean.as_deref())?.as_ref())?;
                panels::times(&first, second.as_ref())
            }
        };
        let along = covariates.covariate_products(&basis, mean.as_deref())?;
        let mut sums = vec![0.0; basis.cols()];
        if !center {
            let row = |(i, total): (usize, &f64)| {
                sums.iter_mut().zip(basis.row(i)).for_each(|(s, h)| *s += h * total)
            };
            raw.sum.iter().enumerate().for_each(row);
        }
        Ok(Explained { mean, basis, along, sums })
    }

    /// The number of independent covariates.
    pub fn rank(&self) -> usize {
        self.basis.cols()
    }

    /// The coefficients of one view's columns on the covariates: one row per column of the view.
    pub fn coefficients(&self, side: Side) -> Panel {
        panels::times(&self.along[side as usize], self.basis.as_mat().transpose())
    }

    /// XᵀQ of both views after their columns are multiplied by `factors`.
    pub fn scaled(&self, factors: [Option<&[f64]>; 2]) -> [Panel; 2] {
        let mut along = self.along.clone();
        for (along, factors) in along.iter_mut().zip(factors) {
            factors.into_iter().for_each(|factors| panels::scale_rows(along, factors));
        }
        along
    }
}

/// `out` ← `out` − M·T on rows of a panel, without another panel.
pub(in crate::data) fn subtract_product(out: &mut Panel, m: &Panel, t: MatRef<'_, f64>) {
    let negative: Mat<f64> = -t;
    panels::add_product(out, m, negative.as_ref());
}
