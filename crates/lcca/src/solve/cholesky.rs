//! The exact solver of Algorithm 1: a Cholesky factorization of C + λI, sparse or dense, whichever costs
//! less.
//!
//! Forming C reads the view once; solving takes no pass. C may be singular, because right-hand sides XᵀT
//! lie in its range and both factorizations return a solution there.

use super::dense_cholesky::DenseCholesky;
use super::least_squares::{LeastSquares, Solved, SolverSpec};
use super::sparse_cholesky::SparseCholesky;
use super::sparse_factor::Plan;
use crate::data::{Normal, StoredGram};
use crate::error::{Error, Result};
use crate::matrix::Panel;

/// A factorized C + λI.
pub enum Cholesky {
    /// A factor with all p² entries.
    Dense(DenseCholesky),
    /// A factor with only its nonzero entries.
    Sparse(Box<SparseCholesky>),
}

impl Cholesky {
    /// Forms and factorizes C + λI. If neither way fits in `memory`, the error names the needed and the
    /// allowed bytes.
    pub fn new(normal: Normal<'_>, memory: u64) -> Result<Self> {
        let gram = normal.pair.capabilities().require_grams()?.gram(normal.side, memory)?;
        let dense_bytes = DenseCholesky::bytes(normal.size());
        let sparse = match &gram.stored {
            StoredGram::Sparse(sparse) => Some(Plan::new(sparse)?),
            StoredGram::Dense(_) => None,
        };
        let sparse_cost = sparse.as_ref().map(|plan| (plan.bytes(), plan.flops()));
        match choose(sparse_cost, (dense_bytes, DenseCholesky::flops(normal.size())), memory)? {
            Choice::Dense => {
                Ok(Cholesky::Dense(DenseCholesky::new(gram.dense(), normal.ridge, &normal.diagonal()?)?))
            }
            Choice::Sparse => {
                let (StoredGram::Sparse(stored), Some(plan)) = (gram.stored, sparse) else {
                    return Err(Error::Factorization("the Gram matrix"));
                };
                let factor = SparseCholesky::new(stored, gram.shift, normal.ridge, plan)?;
                Ok(Cholesky::Sparse(Box::new(factor)))
            }
        }
    }
}

#[derive(Debug, PartialEq)]
enum Choice {
    Dense,
    Sparse,
}

/// The cheaper way, in operations, of those that fit into `memory`. Costs are (bytes, operations).
fn choose(sparse: Option<(u64, f64)>, dense: (u64, f64), memory: u64) -> Result<Choice> {
    let sparse_fits = sparse.filter(|&(bytes, _)| bytes <= memory);
    match (sparse_fits, dense.0 <= memory) {
        (Some((_, sparse_flops)), true) if sparse_flops < dense.1 => Ok(Choice::Sparse),
        (Some(_), false) => Ok(Choice::Sparse),
        (_, true) => Ok(Choice::Dense),
        (None, false) => Err(Error::Memory {
            what: "the Cholesky factor of the Gram matrix".into(),
            needed: sparse.map_or(dense.0, |(bytes, _)| bytes.min(dense.0)),
            allowed: memory,
            advice: "allow more memory, or use a method that factorizes nothing",
        }),
    }
}

impl LeastSquares for Cholesky {
    fn solve(&self, rhs: &Panel, _start: Option<Solved>) -> Result<Solved> {
        let weights = match self {
            Cholesky::Dense(factor) => factor.solve(rhs),
            Cholesky::Sparse(factor) => factor.solve(rhs),
        };
        Ok(Solved { weights, normal: None })
    }
}

/// The description of the exact solver of Algorithm 1.
pub const SPEC: SolverSpec = SolverSpec {
    passes_to_prepare: |_, _| 1.0,
    ..SolverSpec::new(
        "cholesky",
        "a sparse or dense Cholesky factorization of C + λI",
        |normal, _, resources| Ok(Box::new(Cholesky::new(normal, resources.memory)?)),
    )
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cheaper_way_that_fits_is_chosen() {
        assert_eq!(choose(Some((10, 1e3)), (100, 1e6), 1000).unwrap(), Choice::Sparse);
        assert_eq!(choose(Some((10, 1e9)), (100, 1e6), 1000).unwrap(), Choice::Dense);
        assert_eq!(choose(Some((10, 1e9)), (100, 1e6), 50).unwrap(), Choice::Sparse);
        assert_eq!(choose(None, (100, 1e6), 100).unwrap(), Choice::Dense);
        let refused = choose(Some((70, 1.0)), (100, 1.0), 50).unwrap_err().to_string();
        assert!(refused.contains("needs about 70 bytes and 50 are allowed"), "{refused}");
    }
}
