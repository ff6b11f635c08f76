//! Rows in several pieces.

use super::{Ask, GramEstimate, GramMatrix, JointGram, Moments, Pair, Shape, Side, Triangle};
use crate::error::{Error, Result};
use faer::Mat;
use std::ops::Deref;
use std::sync::OnceLock;

/// Pairs stacked on top of each other: a pass is the sum of the pieces' passes.
pub struct Shards<P = Box<dyn Pair>> {
    shards: Vec<P>,
    shape: Shape,
    moments: [OnceLock<Moments>; 2],
}

impl<P: Deref<Target: Pair>> Shards<P> {
    /// Pieces with the same columns; at least one.
    pub fn new(shards: Vec<P>) -> Result<Self> {
        let mut shape = shards.first().ok_or(Error::NoRows)?.shape();
        for shard in &shards[1..] {
            let next = shard.shape();
            for side in Side::BOTH {
                if next.cols(side) != shape.cols(side) {
                    let (expected, found) = (shape.cols(side), next.cols(side));
                    return Err(Error::Width { side, expected, found });
                }
            }
            shape.rows += next.rows;
        }
        Ok(Shards { shards, shape, moments: Default::default() })
    }
}

impl<P: Deref<Target: Pair> + Sync> Pair for Shards<P> {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        if let Some(known) = self.moments[side as usize].get() {
            return Ok(known);
        }
        let mut sum = Moments::zero(self.shape.cols(side));
        for shard in &self.shards {
            sum.add(shard.moments(side)?);
        }
        Ok(self.moments[side as usize].get_or_init(|| sum))
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        ask.assert_fits(self.shape);
        self.shards.iter().try_for_each(|shard| shard.pass(ask))
    }

    fn is_one_hot(&self, side: Side) -> bool {
        self.shards.iter().all(|shard| shard.is_one_hot(side))
    }

    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        let mut sum = self.shards[0].gram(side, limit)?;
        for shard in &self.shards[1..] {
            sum = sum.plus(shard.gram(side, limit)?);
        }
        Ok(sum)
    }

    fn joint_gram_estimate(&self) -> Result<Option<GramEstimate>> {
        let mut sum: Option<GramEstimate> = None;
        for shard in &self.shards {
            let Some(next) = shard.joint_gram_estimate()? else { return Ok(None) };
            sum = Some(sum.map_or(next, |sum| sum.plus(next, self.shape)));
        }
        Ok(sum)
    }

    fn joint_gram(&self, limit: u64) -> Result<Option<JointGram>> {
        let mut sum: Option<JointGram> = None;
        for shard in &self.shards {
            let Some(next) = shard.joint_gram(limit)? else { return Ok(None) };
            sum = Some(match sum {
                Some(sum) => sum.plus(next)?,
                None => next,
            });
        }
        Ok(sum)
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        let mut sum = self.shards[0].dense_gram(means, limit)?;
        for shard in &self.shards[1..] {
            sum += shard.dense_gram(means, limit)?;
        }
        Ok(sum)
    }

    fn triangle(&self, limit: u64) -> Result<Triangle> {
        let mut merged = self.shards[0].triangle(limit)?;
        for shard in &self.shards[1..] {
            merged = merged.stacked(&shard.triangle(limit)?);
        }
        Ok(merged)
    }
}
