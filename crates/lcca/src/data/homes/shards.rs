//! Rows in several shards.

use crate::data::facts::ask::Ask;
use crate::data::facts::estimate::GramEstimate;
use crate::data::facts::moments::Moments;
use crate::data::facts::triangle::Triangle;
use crate::data::grams::gram::GramMatrix;
use crate::data::grams::joint::JointGram;
use crate::data::in_memory::InMemory;
use crate::data::pair::{
    Blocks, Capabilities, Grams, JointGrams, Pair, Reduced, Samples, Structure, Triangles,
};
use crate::data::rows::sample;
use crate::error::{Error, Result};
use crate::matrix::Lower;
use crate::side::{Shape, Side};
use faer::Mat;
use std::ops::Deref;
use std::sync::OnceLock;

/// Pairs stacked on top of each other. A pass is the sum of the shards' passes, and a capability is there
/// if every shard has it.
pub struct Shards<P = Box<dyn Pair>> {
    shards: Vec<P>,
    shape: Shape,
    moments: [OnceLock<Moments>; 2],
}

impl<P: Deref<Target: Pair>> Shards<P> {
    /// Stacks shards with the same columns; at least one.
    pub fn new(shards: Vec<P>) -> Result<Self> {
        let mut shape = shards.first().ok_or(Error::NoRows)?.shape();
        for shard in &shards[1..] {
            let next = shard.shape();
            for side in Side::BOTH {
                let (expected, found) = (shape.cols(side), next.cols(side));
                if found != expected {
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

    fn capabilities(&self) -> Capabilities<'_> {
        let all = |has: fn(Capabilities<'_>) -> bool| self.shards.iter().all(|s| has(s.capabilities()));
        Capabilities {
            structure: if all(|c| c.structure.is_some()) { Some(self) } else { None },
            grams: if all(|c| c.grams.is_some()) { Some(self) } else { None },
            joint_grams: if all(|c| c.joint_grams.is_some()) { Some(self) } else { None },
            triangles: if all(|c| c.triangles.is_some()) { Some(self) } else { None },
            blocks: if all(|c| c.blocks.is_some()) { Some(self) } else { None },
            samples: if all(|c| c.samples.is_some()) { Some(self) } else { None },
            covariates: None,
            space: None,
        }
    }
}

impl<P: Deref<Target: Pair> + Sync> Structure for Shards<P> {
    fn is_one_hot(&self, side: Side) -> bool {
        self.shards.iter().all(|shard| shard.capabilities().structure.is_some_and(|s| s.is_one_hot(side)))
    }

    /// Declined, because equal rows of different shards would have to meet, and all shards would have to
    /// number columns alike.
    fn reduced(&self) -> Result<Option<Reduced>> {
        Ok(None)
    }
}

impl<P: Deref<Target: Pair> + Sync> Grams for Shards<P> {
    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        let form = |shard: &P| shard.capabilities().require_grams()?.gram(side, limit);
        sum(self.shards.iter().map(form), |a, b| Ok(a.plus(b)))
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        let form = |shard: &P| shard.capabilities().require_grams()?.dense_gram(means, limit);
        sum(self.shards.iter().map(form), |a, b| Ok(a + b))
    }
}

impl<P: Deref<Target: Pair> + Sync> JointGrams for Shards<P> {
    fn estimate(&self) -> Result<Option<GramEstimate>> {
        let estimate = |shard: &P| shard.capabilities().require_joint_grams()?.estimate();
        sum(self.shards.iter().map(estimate), |a, b| Ok(a.zip(b).map(|(a, b)| a.plus(b, self.shape))))
    }

    fn joint_gram(&self, limit: u64) -> Result<JointGram> {
        let form = |shard: &P| shard.capabilities().require_joint_grams()?.joint_gram(limit);
        sum(self.shards.iter().map(form), JointGram::plus)
    }
}

impl<P: Deref<Target: Pair> + Sync> Triangles for Shards<P> {
    fn triangle(&self, limit: u64) -> Result<Triangle> {
        let factorize = |shard: &P| shard.capabilities().require_triangles()?.triangle(limit);
        sum(self.shards.iter().map(factorize), |above, below| Ok(above.stacked(&below)))
    }

    /// The sketch is no worse than requested, because each shard has `size` sums of its own, which makes
    /// more of them.
    fn sketched_triangle(&self, size: usize, seed: u64, limit: u64) -> Result<Triangle> {
        let factorize = |(index, shard): (usize, &P)| {
            let seed = seed.wrapping_add((index as u64) << 32);
            shard.capabilities().require_triangles()?.sketched_triangle(size, seed, limit)
        };
        sum(self.shards.iter().enumerate().map(factorize), |above, below| Ok(above.stacked(&below)))
    }
}

impl<P: Deref<Target: Pair> + Sync> Blocks for Shards<P> {
    fn block_gram(&self, columns: [&[u32]; 2], means: Option<[&[f64]; 2]>, limit: u64) -> Result<Lower> {
        let form = |shard: &P| shard.capabilities().require_blocks()?.block_gram(columns, means, limit);
        sum(self.shards.iter().map(form), |a, b| Ok(a.plus(&b)))
    }
}

impl<P: Deref<Target: Pair> + Sync> Samples for Shards<P> {
    fn sample(&self, rows: usize) -> Result<InMemory> {
        let of_shard = |shard: &P| {
            let rows = sample::share(rows, shard.shape().rows, self.shape.rows);
            shard.capabilities().require_samples()?.sample(rows)
        };
        InMemory::stacked(&self.shards.iter().map(of_shard).collect::<Result<Vec<_>>>()?)
    }
}

/// Adds up the answers of shards one after the other, because only one answer is then held beside the sum.
fn sum<T>(mut answers: impl Iterator<Item = Result<T>>, add: impl Fn(T, T) -> Result<T>) -> Result<T> {
    let first = answers.next().ok_or(Error::NoRows)??;
    answers.try_fold(first, |sum, next| add(sum, next?))
}
