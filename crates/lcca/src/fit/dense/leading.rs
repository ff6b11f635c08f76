//! The leading singular triplets of a dense matrix, exact to rounding.
//!
//! With M = U·diag(d)·Vᵀ and fewer columns than rows, MᵀM = V·diag(d²)·Vᵀ and U = M·V·diag(d)⁻¹. An error
//! of 1e-16 in MᵀM is one of 1e-16/d in U, so this is as good as an SVD unless a requested value is far
//! below the largest; in that case an SVD is computed. If few values are requested that stand out from the
//! others, a Krylov subspace has them to rounding, and no decomposition is needed.

use super::krylov;
use super::pivoted::parallelism;
use crate::error::{Error, Result};
use crate::small::{Singular, eigen, thin_svd};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, MatRef};

/// Singular values below this share of the largest are left to an SVD.
const SMALL: f64 = 1e-4;

/// M ≈ U·diag(d)·Vᵀ, descending.
pub(in crate::fit) struct Triplets {
    pub u: Mat<f64>,
    pub d: Vec<f64>,
    pub v: Mat<f64>,
}

/// The `k` largest singular values and their vectors; fewer if M is smaller.
pub(in crate::fit) fn triplets(m: MatRef<'_, f64>, k: usize) -> Result<Triplets> {
    if m.nrows() < m.ncols() {
        let Triplets { u, d, v } = triplets(m.transpose(), k)?;
        return Ok(Triplets { u: v, d, v: u });
    }
    let size = m.ncols();
    let k = k.min(size);
    if k == 0 {
        return Ok(Triplets { u: Mat::zeros(m.nrows(), 0), d: Vec::new(), v: Mat::zeros(size, 0) });
    }
    if let Some((u, d, v)) = krylov::triplets(m, k).filter(|(_, d, _)| d[k - 1] > SMALL * d[0]) {
        return Ok(Triplets { u, d, v });
    }
    let mut gram = Mat::zeros(size, size);
    let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    matmul(gram.as_mut(), lower, Accum::Replace, m.transpose(), full, m, full, 1.0, parallelism(size));
    let (squares, vectors) = eigen(gram.as_ref()).ok_or(Error::Factorization("HyᵀYᵀXHxHxᵀXᵀYHy"))?;
    let d: Vec<f64> = (0..k).map(|i| squares[size - 1 - i].max(0.0).sqrt()).collect();
    if d[k - 1] <= SMALL * d[0] {
        return by_svd(m, k);
    }
    let v = Mat::from_fn(size, k, |i, j| vectors[(i, size - 1 - j)]);
    let mut u = m * &v;
    for (j, d) in d.iter().enumerate() {
        u.col_mut(j).iter_mut().for_each(|value| *value /= d);
    }
    Ok(Triplets { u, d, v })
}

fn by_svd(m: MatRef<'_, f64>, k: usize) -> Result<Triplets> {
    let Singular { u, values, v } = thin_svd(m).ok_or(Error::Factorization("HxᵀXᵀYHy"))?;
    Ok(Triplets { u: u.subcols(0, k).to_owned(), d: values[..k].to_vec(), v: v.subcols(0, k).to_owned() })
}
