//! Counting passes and work, and telling a watcher about them.

use crate::data::facts::ask::Ask;
use crate::data::facts::composition::Composition;
use crate::data::facts::covariates::Covariates;
use crate::data::facts::estimate::GramEstimate;
use crate::data::facts::moments::Moments;
use crate::data::facts::triangle::Triangle;
use crate::data::grams::gram::GramMatrix;
use crate::data::grams::joint::JointGram;
use crate::data::pair::{Blocks, Capabilities, Grams, JointGrams, Pair, Triangles};
use crate::error::{Error, Result};
use crate::matrix::{Lower, Panel};
use crate::side::{Shape, Side};
use crate::watch::{Cost, Watch};
use faer::Mat;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counters that several [`Counting`] pairs share.
#[derive(Default)]
pub struct Tally {
    half_passes: AtomicU64,
    half_gram_passes: AtomicU64,
    half_columns: AtomicU64,
}

impl Tally {
    /// Continues from the cost of earlier work.
    pub fn starting_at(spent: Cost) -> Self {
        // Everything is counted in halves, because atomic counters are whole numbers.
        let halves = |count: f64| AtomicU64::new((2.0 * count) as u64);
        Tally {
            half_passes: halves(spent.passes),
            half_gram_passes: halves(spent.gram_passes),
            half_columns: halves(spent.columns),
        }
    }

    /// The cost so far.
    pub fn cost(&self) -> Cost {
        let half = |counter: &AtomicU64| counter.load(Relaxed) as f64 / 2.0;
        Cost {
            passes: half(&self.half_passes),
            gram_passes: half(&self.half_gram_passes),
            columns: half(&self.half_columns),
        }
    }
}

/// A pair that counts the passes and multiplications spent on it.
pub struct Counting<'a> {
    inner: &'a dyn Pair,
    watch: &'a dyn Watch,
    tally: &'a Tally,
    half_passes: &'a AtomicU64,
    /// The cost of reading a block of Gram matrices in half passes: 0 if the matrices are formed already.
    half_passes_for_block: usize,
}

impl<'a> Counting<'a> {
    /// Counts passes over rows, and tells `watch` about each of them.
    pub fn rows(inner: &'a dyn Pair, tally: &'a Tally, watch: &'a dyn Watch) -> Self {
        Counting { inner, watch, tally, half_passes: &tally.half_passes, half_passes_for_block: 2 }
    }

    /// Counts passes over Gram matrices.
    pub fn grams(inner: &'a dyn Pair, tally: &'a Tally, watch: &'a dyn Watch) -> Self {
        Counting { inner, watch, tally, half_passes: &tally.half_gram_passes, half_passes_for_block: 0 }
    }

    /// The cost so far, including that of other pairs with the same tally.
    pub fn cost(&self) -> Cost {
        self.tally.cost()
    }

    /// Counts a pass that multiplied `columns` columns of each source and formed the products
    /// `wants[target][source]`.
    pub fn count_pass(&self, columns: [usize; 2], wants: [[bool; 2]; 2]) -> Result<()> {
        // A view's rows are read if they are the source or the target of a wanted product.
        let is_read = |view: usize| wants[0][view] || wants[1][view] || wants[view][0] || wants[view][1];
        let half_passes = (0..2).filter(|&view| is_read(view)).count();
        let mut half_columns = 0;
        for source in 0..2 {
            let products = (0..2).filter(|&target| wants[target][source]).count();
            if products > 0 {
                half_columns += (1 + products) * columns[source];
            }
        }
        self.count(half_passes, half_columns)
    }

    /// Counts the reading of a block of the Gram matrix.
    pub fn count_block(&self) -> Result<()> {
        self.count(self.half_passes_for_block, 0)
    }

    /// Counts one reading of all rows, which forms their Gram matrix.
    pub fn count_gram(&self) -> Result<()> {
        self.count(2, 0)
    }

    fn count(&self, half_passes: usize, half_columns: usize) -> Result<()> {
        self.half_passes.fetch_add(half_passes as u64, Relaxed);
        self.tally.half_columns.fetch_add(half_columns as u64, Relaxed);
        if self.watch.pass(self.cost()).is_break() { Err(Error::Interrupted) } else { Ok(()) }
    }
}

impl Pair for Counting<'_> {
    fn shape(&self) -> Shape {
        self.inner.shape()
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        self.inner.moments(side)
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        let columns = Side::BOTH.map(|side| ask.source_of(side).map_or(0, |source| source.panel.cols()));
        let wants = Side::BOTH.map(|target| Side::BOTH.map(|source| ask.wants_product(target, source)));
        self.inner.pass(ask)?;
        self.count_pass(columns, wants)
    }

    fn capabilities(&self) -> Capabilities<'_> {
        let inner = self.inner.capabilities();
        Capabilities {
            // Looking for structure is not counted.
            structure: inner.structure,
            grams: inner.grams.map(|_| self as &dyn Grams),
            joint_grams: inner.joint_grams.map(|_| self as &dyn JointGrams),
            triangles: inner.triangles.map(|_| self as &dyn Triangles),
            blocks: inner.blocks.map(|_| self as &dyn Blocks),
            // Looking at a few rows is not counted either.
            samples: inner.samples,
            covariates: inner.covariates.map(|_| self as &dyn Covariates),
            space: inner.space,
        }
    }

    fn composition(&self) -> Option<Composition<'_>> {
        self.inner.composition()
    }
}

impl Grams for Counting<'_> {
    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        let gram = self.inner.capabilities().require_grams()?.gram(side, limit)?;
        self.count(1, 0)?;
        Ok(gram)
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        let gram = self.inner.capabilities().require_grams()?.dense_gram(means, limit)?;
        self.count_gram()?;
        Ok(gram)
    }
}

impl JointGrams for Counting<'_> {
    fn estimate(&self) -> Result<Option<GramEstimate>> {
        self.inner.capabilities().require_joint_grams()?.estimate()
    }

    fn joint_gram(&self, limit: u64) -> Result<JointGram> {
        let joint = self.inner.capabilities().require_joint_grams()?.joint_gram(limit)?;
        if !self.is_formed() {
            self.count_gram()?;
        }
        Ok(joint)
    }

    fn is_formed(&self) -> bool {
        self.inner.capabilities().joint_grams.is_some_and(JointGrams::is_formed)
    }
}

impl Triangles for Counting<'_> {
    fn triangle(&self, limit: u64) -> Result<Triangle> {
        let triangle = self.inner.capabilities().require_triangles()?.triangle(limit)?;
        self.count(2, 0)?;
        Ok(triangle)
    }

    fn sketched_triangle(&self, size: usize, seed: u64, limit: u64) -> Result<Triangle> {
        let inner = self.inner.capabilities().require_triangles()?;
        let triangle = inner.sketched_triangle(size, seed, limit)?;
        self.count(2, 0)?;
        Ok(triangle)
    }
}

impl Covariates for Counting<'_> {
    fn covariate_columns(&self) -> usize {
        self.inner.capabilities().covariates.map_or(0, Covariates::covariate_columns)
    }

    fn covariate_moments(&self) -> Result<&Moments> {
        self.inner.capabilities().require_covariates()?.covariate_moments()
    }

    fn covariate_products(&self, v: &Panel, mean: Option<&[f64]>) -> Result<[Panel; 2]> {
        let products = self.inner.capabilities().require_covariates()?.covariate_products(v, mean)?;
        self.count(2, 2 * v.cols())?;
        Ok(products)
    }

    fn covariate_gram(&self, v: &Panel, mean: Option<&[f64]>) -> Result<Mat<f64>> {
        self.inner.capabilities().require_covariates()?.covariate_gram(v, mean)
    }

    fn residual_triangle(&self, v: &Panel, mean: Option<&[f64]>, limit: u64) -> Result<Triangle> {
        let inner = self.inner.capabilities().require_covariates()?;
        let triangle = inner.residual_triangle(v, mean, limit)?;
        self.count(2, 0)?;
        Ok(triangle)
    }
}

impl Blocks for Counting<'_> {
    fn block_gram(&self, columns: [&[u32]; 2], means: Option<[&[f64]; 2]>, limit: u64) -> Result<Lower> {
        let gram = self.inner.capabilities().require_blocks()?.block_gram(columns, means, limit)?;
        self.count_block()?;
        Ok(gram)
    }
}
