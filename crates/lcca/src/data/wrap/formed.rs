//! A pair that is known only by its joint Gram matrix: a fit reads that matrix instead of any rows.

use crate::data::facts::ask::Ask;
use crate::data::facts::composition::Composition;
use crate::data::facts::estimate::GramEstimate;
use crate::data::facts::moments::Moments;
use crate::data::grams::joint::JointGram;
use crate::data::pair::{Capabilities, JointGrams, Pair, Reduced, Structure};
use crate::error::Result;
use crate::side::{Shape, Side};

/// A pair that is its own joint Gram matrix. A clone shares the entries.
#[derive(Clone)]
pub struct Formed {
    joint: JointGram,
    one_hot: [bool; 2],
}

impl Formed {
    /// `one_hot` says for each view whether every row held at most one entry, and that entry was 1.
    pub fn new(joint: JointGram, one_hot: [bool; 2]) -> Self {
        Formed { joint, one_hot }
    }

    /// The joint Gram matrix.
    pub fn joint(&self) -> &JointGram {
        &self.joint
    }

    /// Which views are one-hot.
    pub fn one_hot(&self) -> [bool; 2] {
        self.one_hot
    }
}

impl Pair for Formed {
    fn shape(&self) -> Shape {
        self.joint.shape()
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        Ok(self.joint.moments(side))
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        self.joint.pass(ask)
    }

    fn capabilities(&self) -> Capabilities<'_> {
        let Capabilities { grams, triangles, blocks, samples, .. } = self.joint.capabilities();
        Capabilities {
            structure: Some(self),
            grams,
            joint_grams: Some(self),
            triangles,
            blocks,
            samples,
            covariates: None,
            space: None,
        }
    }

    fn composition(&self) -> Option<Composition<'_>> {
        self.joint.composition()
    }
}

impl Structure for Formed {
    fn is_one_hot(&self, side: Side) -> bool {
        self.one_hot[side as usize]
    }

    /// Declined, because there are no rows to merge.
    fn reduced(&self) -> Result<Option<Reduced>> {
        Ok(None)
    }
}

impl JointGrams for Formed {
    fn estimate(&self) -> Result<Option<GramEstimate>> {
        let stored = Side::BOTH.iter().flat_map(|&side| &self.joint.moments(side).count).sum::<u64>();
        let entries = self.joint.entries() as f64;
        Ok(Some(GramEstimate { entries, work: 0.0, touched: 3.0 * stored as f64 }))
    }

    fn joint_gram(&self, _limit: u64) -> Result<JointGram> {
        Ok(self.joint.clone())
    }

    fn is_formed(&self) -> bool {
        true
    }
}
