//! Decompositions of small matrices. Threads would wait for each other longer than they work, so that matrices of up to a few hundred
//! columns are decomposed by one.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::{Accum, Mat, MatRef, Par};

/// Matrices with fewer columns are decomposed by one thread: at 750 columns, two to eight threads take longer than one.
const SMALL: usize = 800;

/// Products of matrices with fewer columns are formed by one thread.
const SMALL_PRODUCT: usize = 256;
/// A singular value is far below another if it is below this share of it.
const FAR_BELOW: f64 = 1e-2;

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

/// The `count` largest singular values and their vectors, fewer if M is smaller; `None` if the decomposition does not converge.
///
/// With M = U·diag(d)·Vᵀ and no more columns than rows, MᵀM = V·diag(d²)·Vᵀ and U = M·V·diag(d)⁻¹. That takes half as long as an SVD.
/// UᵀU = I up to 1e-16·(d₁/d)², so a value that is far below the largest is left to an SVD.
pub(crate) fn leading_svd(m: MatRef<'_, f64>, count: usize) -> Option<Singular> {
    if m.nrows() < m.ncols() {
        let Singular { u, values, v } = leading_svd(m.transpose(), count)?;
        return Some(Singular { u: v, values, v: u });
    }
    let size = m.ncols();
    let count = count.min(size);
    if count == 0 {
        return Some(Singular { u: Mat::zeros(m.nrows(), 0), values: Vec::new(), v: Mat::zeros(size, 0) });
    }
    let (mut gram, par) =
        (Mat::zeros(size, size), if size < SMALL_PRODUCT { Par::Seq } else { Par::rayon(0) });
    let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    triangular::matmul(gram.as_mut(), lower, Accum::Replace, m.transpose(), full, m, full, 1.0, par);
    let (squares, vectors) = eigen(gram.as_ref())?;
    let values: Vec<f64> = (0..count).map(|i| squares[size - 1 - i].max(0.0).sqrt()).collect();
    if values[count - 1] <= FAR_BELOW * values[0] {
        let Singular { u, mut values, v } = thin_svd(m)?;
        values.truncate(count);
        return Some(Singular {
            u: u.subcols(0, count).to_owned(),
            values,
            v: v.subcols(0, count).to_owned(),
        });
    }
    let v = Mat::from_fn(size, count, |i, j| vectors[(i, size - 1 - j)]);
    let mut u = Mat::zeros(m.nrows(), count);
    matmul(u.as_mut(), Accum::Replace, m, v.as_ref(), 1.0, par);
    for (j, value) in values.iter().enumerate() {
        u.col_mut(j).iter_mut().for_each(|entry| *entry /= value);
    }
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

/// L⁻¹ of the Cholesky factorization M = LLᵀ, of which the lower triangle is read; `None` if a pivot is not positive.
pub(crate) fn inverse_factor(mut m: Mat<f64>) -> Option<Mat<f64>> {
    let (size, par) = (m.nrows(), threads_for(m.nrows()));
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(size, par, Default::default()));
    let stack = MemStack::new(&mut memory);
    cholesky_in_place(m.as_mut(), Default::default(), par, stack, Default::default()).ok()?;
    let mut inverse = Mat::zeros(size, size);
    invert_lower_triangular(inverse.as_mut(), m.as_ref(), par);
    Some(inverse)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_mat;

    #[test]
    fn leading_triplets_are_those_of_an_svd() {
        for (rows, cols, count, least) in
            [(9, 9, 4, 1.0), (30, 12, 12, 0.1), (12, 30, 5, 1e-3), (6, 4, 9, 1e-9), (3, 0, 2, 1.0)]
        {
            // Singular values from 1 down to `least`.
            let size = cols.min(rows);
            let basis = |rows: usize, seed: u64| random_mat(rows, size, seed).qr().compute_thin_Q();
            let (a, b) = (basis(rows, 1), basis(cols, 2));
            let value = |i: usize| f64::powf(least, i as f64 / (size.max(2) - 1) as f64);
            let m = Mat::from_fn(rows, size, |i, j| a[(i, j)] * value(j)) * b.transpose();
            let Singular { u, values, v } = leading_svd(m.as_ref(), count).unwrap();
            assert_eq!(values.len(), count.min(size));
            for (i, found) in values.iter().enumerate() {
                assert!((found - value(i)).abs() < 1e-12, "{found} is not {}", value(i));
            }
            for q in [&u, &v] {
                let gram = q.transpose() * q;
                assert!((gram - Mat::<f64>::identity(values.len(), values.len())).norm_max() < 1e-11);
            }
            let scaled = Mat::from_fn(rows, values.len(), |i, j| u[(i, j)] * values[j]);
            assert!((&m * &v - scaled).norm_max() < 1e-12);
        }
    }

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
        let inverse = inverse_factor(gram.clone()).unwrap();
        assert!((&inverse * &gram * inverse.transpose() - Mat::<f64>::identity(9, 9)).norm_max() < 1e-12);
        assert!(inverse_factor(-gram.clone()).is_none());
        let (values, vectors) = eigen(gram.as_ref()).unwrap();
        let scaled = Mat::from_fn(9, 9, |i, j| vectors[(i, j)] * values[j]);
        assert!((scaled * vectors.transpose() - &gram).norm_max() < 1e-12);
        assert!(values.is_sorted());
    }
}
