//! Decompositions of a few small matrices at a time.
//!
//! Rayleigh–Ritz of a whole block needs two or three of them, one after another, and that of subblocks
//! needs dozens that do not depend on each other. A device that holds panels may compute them sooner than
//! the host; by default the host does, on all threads.

use crate::error::{Error, Result};
use crate::small;
pub use crate::small::{Singular, are_even, partners};
use faer::Mat;
use rayon::prelude::*;

/// The eigenvalues of a symmetric matrix in ascending order, and its eigenvectors in the same order.
pub struct Eigen {
    /// One number per eigenvector.
    pub values: Vec<f64>,
    /// The eigenvectors, as columns.
    pub vectors: Mat<f64>,
}

/// A matrix, and how many of its largest singular values are wanted with their vectors.
pub struct Leading {
    /// Any matrix of finite numbers.
    pub matrix: Mat<f64>,
    /// The number of pairs of singular vectors. At most as many as the matrix has rows and columns are
    /// found.
    pub count: usize,
}

/// Decompositions of small matrices.
pub trait Decompose: Send + Sync {
    /// The eigenvectors of symmetric matrices of finite numbers, of which the lower triangles are read.
    fn eigen(&self, matrices: &[Mat<f64>]) -> Result<Vec<Eigen>> {
        matrices.par_iter().with_max_len(1).map(eigen_on_host).collect()
    }

    /// The leading singular vectors of matrices, those of the largest values first.
    fn leading_singular(&self, matrices: &[Leading]) -> Result<Vec<Singular>> {
        matrices.par_iter().with_max_len(1).map(singular_on_host).collect()
    }
}

/// Decomposes small matrices on the host.
pub struct OnHost;

impl Decompose for OnHost {}

/// The eigenvectors of one matrix.
pub fn eigen_on_host(matrix: &Mat<f64>) -> Result<Eigen> {
    let (values, vectors) = small::eigen(matrix.as_ref()).ok_or(Error::Factorization("a Gram matrix"))?;
    Ok(Eigen { values, vectors })
}

/// The leading singular vectors of one matrix.
pub fn singular_on_host(Leading { matrix, count }: &Leading) -> Result<Singular> {
    small::leading_singular(matrix.as_ref(), *count).ok_or(Error::Factorization("a whitened cross product"))
}
