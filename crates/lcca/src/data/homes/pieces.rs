//! Rows in several pieces that can all be read directly, as a worker of a cluster holds them.
//!
//! Panels are laid out and summed only once, however many pieces there are, because a pass cuts all rows
//! together into one part per thread. [`Shards`] may be anywhere instead, and are asked one after the
//! other.

use super::shards::Shards;
use crate::data::facts::ask::Ask;
use crate::data::facts::chosen::Chosen;
use crate::data::facts::estimate::{GramEstimate, GramSample};
use crate::data::facts::moments::Moments;
use crate::data::grams::block_gram;
use crate::data::grams::joint::JointGram;
use crate::data::in_memory::InMemory;
use crate::data::pair::{Blocks, Capabilities, JointGrams, Pair};
use crate::data::rows::paired_rows::PairedRows;
use crate::data::rows::parts::{self, Piece, Scratch};
use crate::error::Result;
use crate::matrix::Lower;
use crate::side::{Shape, Side};
use std::sync::{Arc, Mutex};

/// Pieces in memory or in mapped files, stacked on top of each other.
pub struct Pieces {
    pieces: Vec<Arc<InMemory>>,
    stacked: Shards<Arc<InMemory>>,
    scratch: Mutex<Vec<Scratch>>,
}

impl Pieces {
    /// Stacks pieces with the same columns; at least one.
    pub fn new(pieces: Vec<Arc<InMemory>>) -> Result<Self> {
        Ok(Pieces { stacked: Shards::new(pieces.clone())?, pieces, scratch: Mutex::default() })
    }

    /// A sample from which the size of the joint Gram matrix is estimated, if these are some of `pieces`
    /// pieces of the rows; `None` if the matrix cannot be formed.
    pub fn gram_sample(&self, pieces: usize) -> Option<GramSample> {
        let samples: Option<Vec<_>> = self.pieces.iter().map(|piece| piece.gram_sample(pieces)).collect();
        samples?.into_iter().reduce(GramSample::plus)
    }
}

impl Piece for Arc<InMemory> {
    fn rows(&self) -> &PairedRows {
        Piece::rows(&**self)
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

    /// The capabilities of the stack, with two exceptions: the joint Gram matrix is estimated from one
    /// sample over all pieces, and the Gram matrix of chosen columns is formed once instead of once per
    /// piece.
    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { joint_grams: Some(self), blocks: Some(self), ..self.stacked.capabilities() }
    }
}

impl JointGrams for Pieces {
    fn estimate(&self) -> Result<Option<GramEstimate>> {
        Ok(self.gram_sample(self.pieces.len()).map(|sample| sample.estimate(self.shape())))
    }

    fn joint_gram(&self, limit: u64) -> Result<JointGram> {
        self.stacked.joint_gram(limit)
    }
}

impl Blocks for Pieces {
    fn block_gram(&self, columns: [&[u32]; 2], means: Option<[&[f64]; 2]>, limit: u64) -> Result<Lower> {
        let pieces: Vec<&PairedRows> = self.pieces.iter().map(Piece::rows).collect();
        block_gram::form(&pieces, &Chosen::new(self.shape(), columns), means, limit)
    }
}
