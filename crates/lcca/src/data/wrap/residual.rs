//! Residuals on covariates, without forming them.
//!
//! This wraps the centered pair, or the pair itself if nothing is centered: a product of the residuals is
//! that of the wrapped pair minus Mₜ·(MₛᵀW), with M the products of each view with an orthonormal basis of
//! the covariates (`covariates`). Centering is the same with a column of ones. It is done before, because
//! that loses fewer digits. A column of which covariates explain all but rounding is treated as a constant
//! column: its residuals count as zero.

use crate::data::facts::ask::Ask;
use crate::data::facts::covariates::{Covariates, Explained, subtract_product};
use crate::data::facts::dead_columns::{DeadColumns, numbered};
use crate::data::facts::moments::Moments;
use crate::data::facts::triangle::Triangle;
use crate::data::grams::gram::{GramMatrix, StoredGram};
use crate::data::pair::{Blocks, Capabilities, Grams, Pair, Triangles};
use crate::error::{Error, Result};
use crate::matrix::{Line, Lower, Panel};
use crate::panels;
use crate::side::{Shape, Side};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::reborrow::ReborrowMut;
use faer::{Accum, Mat, MatMut, Par};
use std::sync::{Mutex, PoisonError};

/// A column counts as explained if less than this share of its variance is left, because sums over many
/// rows leave about 1e-14.
const ROUNDING: f64 = 1e-12;

/// A pair with the part that covariates explain taken out of both views.
pub struct Residual<'a> {
    inner: &'a dyn Pair,
    /// XᵀQ and YᵀQ, in the units of the wrapped pair.
    along: [Panel; 2],
    moments: [Moments; 2],
    /// For each view, the columns that covariates explain entirely, although they are not zero in the
    /// wrapped pair.
    explained: DeadColumns,
    /// The rows that can be factorized, and the basis of their covariates.
    source: Option<(&'a dyn Covariates, &'a Explained)>,
    /// The rows of explained columns in all products, as they were before a pass.
    kept: Mutex<Vec<Line>>,
}

impl<'a> Residual<'a> {
    /// Takes the part of the covariates out. `along` holds XᵀQ and YᵀQ for an orthonormal basis Q of the
    /// covariates, whose columns have the given `sums`.
    pub fn new(inner: &'a dyn Pair, mut along: [Panel; 2], sums: &[f64]) -> Result<Self> {
        let mut moments = [inner.moments(Side::X)?.clone(), inner.moments(Side::Y)?.clone()];
        let mut explained = [Vec::new(), Vec::new()];
        for side in 0..2 {
            let Moments { sum, square, .. } = &mut moments[side];
            for (j, (sum, square)) in sum.iter_mut().zip(square).enumerate() {
                if *square == 0.0 {
                    // The products of a constant column are rounding errors, which explain nothing.
                    along[side].row_mut(j).fill(0.0);
                    continue;
                }
                let left = *square - along[side].row(j).iter().map(|a| a * a).sum::<f64>();
                let is_left = left > ROUNDING * *square;
                *square = if is_left { left } else { 0.0 };
                *sum -= along[side].row(j).iter().zip(sums).map(|(a, s)| a * s).sum::<f64>();
                if !is_left {
                    explained[side].push(j);
                }
            }
        }
        let explained = DeadColumns(explained);
        Ok(Residual { inner, along, moments, explained, source: None, kept: Mutex::default() })
    }

    /// Adds rows that can be factorized by QR together with their covariates.
    pub fn with_rows(self, covariates: &'a dyn Covariates, explained: &'a Explained) -> Self {
        Residual { source: Some((covariates, explained)), ..self }
    }

    /// Subtracts M·Mᵀ from the lower triangle of `gram` in the given `columns`, and clears the explained
    /// ones.
    fn correct(&self, mut gram: MatMut<'_, f64>, columns: &[(usize, usize)]) {
        let m = Mat::from_fn(columns.len(), self.along[0].cols(), |i, j| {
            let (side, column) = columns[i];
            self.along[side].row(column)[j]
        });
        let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
        let par = if columns.len() < 256 { Par::Seq } else { Par::rayon(0) };
        matmul(gram.rb_mut(), lower, Accum::Add, m.as_ref(), full, m.transpose(), full, -1.0, par);
        self.explained.clear(gram, columns.iter().copied());
    }
}

impl Pair for Residual<'_> {
    fn shape(&self) -> Shape {
        self.inner.shape()
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        Ok(&self.moments[side as usize])
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        ask.assert_fits(self.shape());
        let mut kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        self.explained.keep(ask, &mut kept);
        let result = self.inner.pass(ask);
        for source in Side::BOTH {
            let panel = ask.source_of(source).map(|source| source.panel);
            let Some(panel) = panel.filter(|_| ask.wants(source)) else { continue };
            let within = panels::cross(&self.along[source as usize], panel);
            for target in Side::BOTH {
                if let Some(out) = ask.target(target, source) {
                    subtract_product(out, &self.along[target as usize], within.as_ref());
                }
            }
        }
        self.explained.put_back(ask, &kept);
        *self.kept.lock().unwrap_or_else(PoisonError::into_inner) = kept;
        result
    }

    /// Structure is declined because residuals are neither one-hot nor sparse, and equal rows may have
    /// different covariates. The sparse joint Gram matrix is declined because it is formed of the unchanged
    /// rows and corrected afterwards, and samples because they would come without their covariates.
    fn capabilities(&self) -> Capabilities<'_> {
        let inner = self.inner.capabilities();
        Capabilities {
            structure: None,
            grams: inner.grams.map(|_| self as &dyn Grams),
            joint_grams: None,
            triangles: self.source.map(|_| self as &dyn Triangles),
            blocks: inner.blocks.map(|_| self as &dyn Blocks),
            samples: None,
            covariates: None,
            space: inner.space,
        }
    }
}

impl Grams for Residual<'_> {
    /// The dense Gram matrix, because the part that covariates explain is dense.
    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        let columns = self.shape().cols(side);
        let needed = (columns as u64).saturating_mul(columns as u64).saturating_mul(16);
        if needed > limit {
            let what = "the Gram matrix of residuals on covariates".into();
            let advice = "allow more memory, or use a method that needs no Gram matrix, such as lobpcg";
            return Err(Error::Memory { what, needed, allowed: limit, advice });
        }
        let mut gram = self.inner.capabilities().require_grams()?.gram(side, limit)?.dense();
        self.correct(gram.as_mut(), &(0..columns).map(|j| (side as usize, j)).collect::<Vec<_>>());
        Ok(GramMatrix {
            stored: StoredGram::Dense(crate::data::grams::dense_gram::mirrored(&gram)),
            shift: None,
        })
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        let mut gram = self.inner.capabilities().require_grams()?.dense_gram(means, limit)?;
        let shape = self.shape();
        let columns: Vec<(usize, usize)> =
            (0..shape.x_cols).map(|j| (0, j)).chain((0..shape.y_cols).map(|j| (1, j))).collect();
        self.correct(gram.as_mut(), &columns);
        Ok(gram)
    }
}

impl Triangles for Residual<'_> {
    fn triangle(&self, limit: u64) -> Result<Triangle> {
        let (covariates, explained) =
            self.source.ok_or(Error::Unavailable { what: "triangular factor of residuals" })?;
        covariates.residual_triangle(&explained.basis, explained.mean.as_deref(), limit)
    }
}

impl Blocks for Residual<'_> {
    fn block_gram(&self, columns: [&[u32]; 2], means: Option<[&[f64]; 2]>, limit: u64) -> Result<Lower> {
        let mut gram = self.inner.capabilities().require_blocks()?.block_gram(columns, means, limit)?;
        self.correct(gram.as_mat_mut(), &numbered(columns).collect::<Vec<_>>());
        Ok(gram)
    }
}
