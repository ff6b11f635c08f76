//! Decompositions of small matrices. Threads would wait for each other longer than they work, so that matrices of up to a few hundred
//! columns are decomposed by one.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::{Mat, MatRef, Par};

/// Matrices with fewer columns are decomposed by one thread: at 750 columns, two to eight threads take longer than one.
const SMALL: usize = 800;

fn threads_for(size: usize) -> Par {
    if size < SMALL { Par::Seq } else { Par::rayon(0) }
}

/// U, the singular values in descending order, and V, all thin.
pub(crate) struct Singular {
    pub u: Mat<f64>,
    pub values: Vec<f64>,
    pub v: Mat<f64>,
}

/// The thin singular value decomposition; `None` if it does not converge.
pub(crate) fn thin_svd(m: MatRef<'_, f64>) -> Option<Singular> {
    let (rows, cols) = (m.nrows(), m.ncols());
    let (size, par, thin) = (rows.min(cols), threads_for(rows.max(cols)), ComputeSvdVectors::Thin);
    let (mut u, mut v, mut s) = (Mat::zeros(rows, size), Mat::zeros(cols, size), Diag::zeros(size));
    let mut memory = MemBuffer::new(svd_scratch::<f64>(rows, cols, thin, thin, par, Default::default()));
    let stack = MemStack::new(&mut memory);
    svd(m, s.as_mut(), Some(u.as_mut()), Some(v.as_mut()), par, stack, Default::default()).ok()?;
    let values = (0..size).map(|i| s.column_vector()[i]).collect();
    Some(Singular { u, values, v })
}

/// The eigenvalues in ascending order and the eigenvectors of a symmetric matrix, of which the lower triangle is read; `None` if it
/// does not converge.
pub(crate) fn eigen(m: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let (size, par) = (m.nrows(), threads_for(m.nrows()));
    let (mut u, mut s) = (Mat::zeros(size, size), Diag::zeros(size));
    let scratch = self_adjoint_evd_scratch::<f64>(size, ComputeEigenvectors::Yes, par, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(m, s.as_mut(), Some(u.as_mut()), par, stack, Default::default()).ok()?;
    Some(((0..size).map(|i| s.column_vector()[i]).collect(), u))
}

/// L with L·Lᵀ = M, of which the lower triangle is read; `None` if M is not positive definite.
pub(crate) fn cholesky(m: MatRef<'_, f64>) -> Option<Mat<f64>> {
    let (size, par, params) = (m.nrows(), threads_for(m.nrows()), Default::default());
    let mut factor = m.to_owned();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(size, par, params));
    let stack = MemStack::new(&mut memory);
    cholesky_in_place(factor.as_mut(), Default::default(), par, stack, params).ok()?;
    Some(factor)
}

/// L⁻¹ of a lower triangle, with zeros above it.
pub(crate) fn inverse_of_lower(lower: MatRef<'_, f64>) -> Mat<f64> {
    let mut inverse = Mat::zeros(lower.nrows(), lower.ncols());
    invert_lower_triangular(inverse.as_mut(), lower, threads_for(lower.nrows()));
    inverse
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_mat;

    #[test]
    fn factors_multiply_to_the_matrix() {
        for (rows, cols) in [(1, 1), (7, 4), (4, 7), (300, 300)] {
            let m = random_mat(rows, cols, 1);
            let Singular { u, values, v } = thin_svd(m.as_ref()).unwrap();
            let scaled = Mat::from_fn(rows, values.len(), |i, j| u[(i, j)] * values[j]);
            assert!((scaled * v.transpose() - &m).norm_max() < 1e-12);
            assert!(values.is_sorted_by(|a, b| a >= b));
        }
        let x = random_mat(20, 9, 2);
        let gram = x.transpose() * &x;
        let (values, vectors) = eigen(gram.as_ref()).unwrap();
        let scaled = Mat::from_fn(9, 9, |i, j| vectors[(i, j)] * values[j]);
        assert!((scaled * vectors.transpose() - &gram).norm_max() < 1e-12);
        assert!(values.is_sorted());
    }
}
