//! Columns in other units, without changing the rows.
//!
//! With a factor fⱼ for each column, Xf = X·diag(f): z = Wᵀ(f∘x) = (f∘W)ᵀx, and row j of a product is
//! multiplied by fⱼ. The rows stay as they are, because only the panel that goes into a pass and the
//! products that come out are scaled. This wraps [`Centered`](crate::data::Centered), because a centered and
//! scaled column is a scaled column of the centered view.

use crate::data::facts::ask::{Ask, Source};
use crate::data::facts::composition::Composition;
use crate::data::facts::moments::Moments;
use crate::data::facts::triangle::Triangle;
use crate::data::grams::gram::GramMatrix;
use crate::data::pair::{Blocks, Capabilities, Grams, Pair, Triangles};
use crate::error::Result;
use crate::matrix::{Lower, Panel};
use crate::panels;
use crate::side::{Shape, Side};
use faer::Mat;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// A pair whose columns are multiplied by given factors.
pub struct Scaled<'a> {
    inner: &'a dyn Pair,
    /// For each view a positive factor per column; `None` leaves the view as it is.
    factors: [Option<Vec<f64>>; 2],
    inverse: [Option<Vec<f64>>; 2],
    moments: [Option<Moments>; 2],
    /// The scaled source panels of the last pass, kept so that a pass allocates nothing.
    scratch: Mutex<[Option<Panel>; 2]>,
}

impl<'a> Scaled<'a> {
    /// Multiplies the columns of each view by `factors`, which are positive, one per column.
    pub fn new(inner: &'a dyn Pair, factors: [Option<Vec<f64>>; 2]) -> Result<Self> {
        let (x, y) = (inner.moments(Side::X)?, inner.moments(Side::Y)?);
        let scaled = |moments: &Moments, factors: &Option<Vec<f64>>| {
            factors.as_ref().map(|factors| moments.scaled(factors))
        };
        let moments = [scaled(x, &factors[0]), scaled(y, &factors[1])];
        let invert = |factors: &Vec<f64>| factors.iter().map(|factor| factor.recip()).collect();
        let inverse = factors.each_ref().map(|factors| factors.as_ref().map(invert));
        Ok(Scaled { inner, factors, inverse, moments, scratch: Mutex::default() })
    }

    fn factors(&self, side: Side) -> Option<&[f64]> {
        self.factors[side as usize].as_deref()
    }

    /// Multiplies the rows of every requested product by `factors` of its view.
    fn scale_products(&self, ask: &mut Ask<'_>, factors: &[Option<Vec<f64>>; 2]) {
        for (target, source) in Side::BOTH.into_iter().flat_map(|t| Side::BOTH.map(|s| (t, s))) {
            let Some(factors) = &factors[target as usize] else { continue };
            if let Some(panel) = ask.target(target, source) {
                panels::scale_rows(panel, factors);
            }
        }
    }

    /// The given means, which are those of the scaled columns, in the units of the wrapped pair.
    fn unscaled(&self, means: Option<[&[f64]; 2]>) -> Option<[Vec<f64>; 2]> {
        let of_view = |means: [&[f64]; 2], side: Side| match &self.inverse[side as usize] {
            Some(inverse) => means[side as usize].iter().zip(inverse).map(|(mean, f)| mean * f).collect(),
            None => means[side as usize].to_vec(),
        };
        means.map(|means| Side::BOTH.map(|side| of_view(means, side)))
    }

    /// The factors of all columns of both views, X first.
    fn all_factors(&self) -> Vec<f64> {
        let shape = self.shape();
        let of = |side: Side| self.factors(side).map_or_else(|| vec![1.0; shape.cols(side)], <[f64]>::to_vec);
        Side::BOTH.into_iter().flat_map(of).collect()
    }
}

impl Pair for Scaled<'_> {
    fn shape(&self) -> Shape {
        self.inner.shape()
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        match &self.moments[side as usize] {
            Some(scaled) => Ok(scaled),
            None => self.inner.moments(side),
        }
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        ask.assert_fits(self.shape());
        let mut sources = std::mem::take(&mut *self.scratch.lock().unwrap_or_else(PoisonError::into_inner));
        for side in Side::BOTH {
            if let (Some(source), Some(factors)) = (ask.source_of(side), self.factors(side)) {
                copy_scaled(&mut sources[side as usize], source.panel, factors);
            }
        }
        // The numbers that the outputs hold already are divided first, because the whole sum is scaled
        // afterwards, in place.
        self.scale_products(ask, &self.inverse);
        let mut inner = ask.reborrow();
        for (side, scaled) in Side::BOTH.into_iter().zip(&sources) {
            if let (Some(source), Some(panel), Some(_)) = (inner.source_of(side), scaled, self.factors(side))
            {
                inner = inner.shifted_source(side, Source { panel, offset: source.offset });
            }
        }
        let result = self.inner.pass(&mut inner);
        self.scale_products(ask, &self.factors);
        *self.scratch.lock().unwrap_or_else(PoisonError::into_inner) = sources;
        result
    }

    /// Structure is declined because scaled rows are not one-hot. The sparse joint Gram matrix is declined
    /// because it is formed of the rows as they are and scaled afterwards.
    fn capabilities(&self) -> Capabilities<'_> {
        let inner = self.inner.capabilities();
        Capabilities {
            structure: None,
            grams: inner.grams.map(|_| self as &dyn Grams),
            joint_grams: None,
            triangles: inner.triangles.map(|_| self as &dyn Triangles),
            blocks: inner.blocks.map(|_| self as &dyn Blocks),
            samples: inner.samples,
            covariates: None,
            space: inner.space,
        }
    }

    fn composition(&self) -> Option<Composition<'_>> {
        let inner = self.inner.composition().filter(|inner| !inner.is_scaled())?;
        Some(Composition { factors: [self.factors(Side::X), self.factors(Side::Y)], ..inner })
    }
}

impl Grams for Scaled<'_> {
    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        let gram = self.inner.capabilities().require_grams()?.gram(side, limit)?;
        Ok(match self.factors(side) {
            Some(factors) => gram.scaled(factors),
            None => gram,
        })
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        let unscaled = self.unscaled(means);
        let unscaled = unscaled.as_ref().map(|means| means.each_ref().map(Vec::as_slice));
        let mut gram = self.inner.capabilities().require_grams()?.dense_gram(unscaled, limit)?;
        let factors = self.all_factors();
        for j in 0..gram.ncols() {
            (j..gram.nrows()).for_each(|i| gram[(i, j)] *= factors[i] * factors[j]);
        }
        Ok(gram)
    }
}

impl Triangles for Scaled<'_> {
    fn triangle(&self, limit: u64) -> Result<Triangle> {
        let triangle = self.inner.capabilities().require_triangles()?.triangle(limit)?;
        Ok(triangle.scaled(&self.all_factors()))
    }

    fn sketched_triangle(&self, size: usize, seed: u64, limit: u64) -> Result<Triangle> {
        let inner = self.inner.capabilities().require_triangles()?;
        Ok(inner.sketched_triangle(size, seed, limit)?.scaled(&self.all_factors()))
    }
}

impl Blocks for Scaled<'_> {
    fn block_gram(&self, columns: [&[u32]; 2], means: Option<[&[f64]; 2]>, limit: u64) -> Result<Lower> {
        let unscaled = self.unscaled(means);
        let unscaled = unscaled.as_ref().map(|means| means.each_ref().map(Vec::as_slice));
        let mut gram = self.inner.capabilities().require_blocks()?.block_gram(columns, unscaled, limit)?;
        let mut factors: Vec<f64> = Vec::with_capacity(gram.size());
        for side in Side::BOTH {
            let of_column = |&column: &u32| self.factors(side).map_or(1.0, |f| f[column as usize]);
            factors.extend(columns[side as usize].iter().map(of_column));
        }
        gram.par_columns_mut().enumerate().for_each(|(j, column)| {
            column.iter_mut().zip(&factors[j..]).for_each(|(entry, factor)| *entry *= factor * factors[j]);
        });
        Ok(gram)
    }
}

/// Copies a panel and scales its rows. Memory that is there already is used again if it fits.
fn copy_scaled(to: &mut Option<Panel>, from: &Panel, factors: &[f64]) {
    match to {
        Some(panel) if (panel.rows(), panel.cols()) == (from.rows(), from.cols()) => {
            panel.lines_mut().copy_from_slice(from.lines());
            panels::scale_rows(panel, factors);
        }
        _ => panels::scale_rows(to.insert(from.clone()), factors),
    }
}
