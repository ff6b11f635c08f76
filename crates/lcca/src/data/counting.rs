//! Counting passes and work, and telling a watcher.

use super::{Ask, GramEstimate, GramMatrix, JointGram, Moments, Pair, Shape, Side, Triangle};
use crate::error::{Error, Result};
use crate::fit::Watch;
use faer::Mat;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// What was spent on the data so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Readings of the rows: 1 for both views, ½ for one view alone.
    pub passes: f64,
    /// The same over Gram matrices that were formed from the rows.
    pub gram_passes: f64,
    /// Columns multiplied: ½ for a column of W met with a view's rows, ½ for a product's column added up. XᵀX·W with k
    /// columns is k.
    pub columns: f64,
}

impl Cost {
    /// In products XᵀX·W of k columns.
    pub fn work(&self, k: usize) -> f64 {
        self.columns / k as f64
    }
}

impl std::ops::Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        Cost {
            passes: self.passes + other.passes,
            gram_passes: self.gram_passes + other.gram_passes,
            columns: self.columns + other.columns,
        }
    }
}

/// Counters that several [`Counting`] pairs share.
#[derive(Default)]
pub struct Tally {
    half_passes: AtomicU64,
    half_gram_passes: AtomicU64,
    half_columns: AtomicU64,
}

impl Tally {
    /// Counts on from what was spent before.
    pub fn starting_at(spent: Cost) -> Self {
        let halves = |count: f64| AtomicU64::new((2.0 * count) as u64);
        Tally {
            half_passes: halves(spent.passes),
            half_gram_passes: halves(spent.gram_passes),
            half_columns: halves(spent.columns),
        }
    }

    /// What was spent so far.
    pub fn cost(&self) -> Cost {
        let half = |counter: &AtomicU64| counter.load(Relaxed) as f64 / 2.0;
        Cost {
            passes: half(&self.half_passes),
            gram_passes: half(&self.half_gram_passes),
            columns: half(&self.half_columns),
        }
    }
}

/// A pair that counts what is asked of it.
pub struct Counting<'a> {
    inner: &'a dyn Pair,
    watch: &'a dyn Watch,
    tally: &'a Tally,
    half_passes: &'a AtomicU64,
}

impl<'a> Counting<'a> {
    /// Counts passes over rows, and tells `watch` of every one.
    pub fn rows(inner: &'a dyn Pair, tally: &'a Tally, watch: &'a dyn Watch) -> Self {
        Counting { inner, watch, tally, half_passes: &tally.half_passes }
    }

    /// Counts passes over Gram matrices.
    pub fn grams(inner: &'a dyn Pair, tally: &'a Tally, watch: &'a dyn Watch) -> Self {
        Counting { inner, watch, tally, half_passes: &tally.half_gram_passes }
    }

    /// What was spent so far.
    pub fn cost(&self) -> Cost {
        self.tally.cost()
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
        let touched = |view: Side| ask.wants(view) || Side::BOTH.iter().any(|&s| ask.wants_product(view, s));
        let half_passes = Side::BOTH.into_iter().filter(|&view| touched(view)).count();
        let half_columns = Side::BOTH.into_iter().map(|source| {
            let products = Side::BOTH.iter().filter(|&&target| ask.wants_product(target, source)).count();
            let columns = ask.source_of(source).map_or(0, |s| s.panel.cols());
            if products > 0 { (1 + products) * columns } else { 0 }
        });
        let half_columns = half_columns.sum();
        self.inner.pass(ask)?;
        self.count(half_passes, half_columns)
    }

    fn is_one_hot(&self, side: Side) -> bool {
        self.inner.is_one_hot(side)
    }

    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        let gram = self.inner.gram(side, limit)?;
        self.count(1, 0)?;
        Ok(gram)
    }

    fn joint_gram_estimate(&self) -> Result<Option<GramEstimate>> {
        self.inner.joint_gram_estimate()
    }

    fn joint_gram(&self, limit: u64) -> Result<Option<JointGram>> {
        let joint = self.inner.joint_gram(limit)?;
        self.count(2, 0)?;
        Ok(joint)
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        let gram = self.inner.dense_gram(means, limit)?;
        self.count(2, 0)?;
        Ok(gram)
    }

    fn triangle(&self, limit: u64) -> Result<Triangle> {
        let triangle = self.inner.triangle(limit)?;
        self.count(2, 0)?;
        Ok(triangle)
    }
}
