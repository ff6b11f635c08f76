//! Rows at hand in several pieces, as a worker of a cluster holds them.
//!
//! Unlike [`super::Shards`], whose pieces may be anywhere and are asked one after the other, a pass here cuts all rows
//! together into one part a thread: panels are laid out and summed once, however many pieces there are.

use super::parts::{self, Scratch};
use super::{
    Ask, GramEstimate, GramMatrix, GramSample, InMemory, JointGram, Moments, Pair, Shape, Shards, Side,
    Triangle,
};
use crate::error::Result;
use faer::Mat;
use std::sync::{Arc, Mutex};

/// Pieces in memory or in mapped files, stacked on top of each other.
pub struct Pieces {
    pieces: Vec<Arc<InMemory>>,
    stacked: Shards<Arc<InMemory>>,
    scratch: Mutex<Vec<Scratch>>,
}

impl Pieces {
    /// Pieces with the same columns; at least one.
    pub fn new(pieces: Vec<Arc<InMemory>>) -> Result<Self> {
        Ok(Pieces { stacked: Shards::new(pieces.clone())?, pieces, scratch: Mutex::default() })
    }

    /// What a guess at the joint Gram matrix goes by, where these are some of `pieces` pieces of the rows; nothing where the
    /// matrix cannot be formed.
    pub fn gram_sample(&self, pieces: usize) -> Option<GramSample> {
        let samples: Option<Vec<_>> = self.pieces.iter().map(|piece| piece.gram_sample(pieces)).collect();
        samples?.into_iter().reduce(GramSample::plus)
    }
}

impl Pair for Pieces {
    fn shape(&self) -> Shape {
        self.stacked.shape()
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        self.stacked.moments(side)
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        ask.assert_fits(self.shape());
        parts::pass(&self.pieces, &self.scratch, ask);
        Ok(())
    }

    fn is_one_hot(&self, side: Side) -> bool {
        self.stacked.is_one_hot(side)
    }

    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        self.stacked.gram(side, limit)
    }

    fn joint_gram_estimate(&self) -> Result<Option<GramEstimate>> {
        Ok(self.gram_sample(self.pieces.len()).map(|sample| sample.estimate(self.shape())))
    }

    fn joint_gram(&self, limit: u64) -> Result<Option<JointGram>> {
        self.stacked.joint_gram(limit)
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        self.stacked.dense_gram(means, limit)
    }

    fn triangle(&self, limit: u64) -> Result<Triangle> {
        self.stacked.triangle(limit)
    }
}
