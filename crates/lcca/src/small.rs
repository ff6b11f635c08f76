//! Decompositions of small matrices. Matrices of up to a few hundred columns are decomposed by one thread,
//! because several would wait for each other longer than they work.

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::linalg::svd::{ComputeSvdVectors, svd, svd_scratch};
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::{Accum, Mat, MatRef, Par};

/// Matrices with fewer columns are decomposed by one thread, because at 750 columns two to eight threads
/// take longer than one.
const SMALL: usize = 800;

/// The fewest rows and columns of matrices whose leading singular vectors are worth another algorithm.
const LARGE: usize = 48;
/// The smallest share of the largest singular value for which values are found as roots of eigenvalues.
const UNEVEN: f64 = 0.1;

/// Whether singular values, the largest first, are all of about the same size.
pub fn are_even(values: &[f64]) -> bool {
    values.last().zip(values.first()).is_some_and(|(least, most)| *least > UNEVEN * most)
}

/// Products of fewer multiplications are formed by one thread.
const FEW_MULTIPLICATIONS: usize = 1 << 22;

fn threads_for(size: usize) -> Par {
    if size < SMALL { Par::Seq } else { Par::rayon(0) }
}

/// A·B. Threads share it only if each has enough to do.
pub(crate) fn times(a: MatRef<'_, f64>, b: MatRef<'_, f64>) -> Mat<f64> {
    let multiplications = a.nrows() * a.ncols() * b.ncols();
    let par = if multiplications < FEW_MULTIPLICATIONS { Par::Seq } else { Par::rayon(0) };
    let mut product = Mat::zeros(a.nrows(), b.ncols());
    matmul(product.as_mut(), Accum::Replace, a, b, 1.0, par);
    product
}

/// A singular value decomposition U·diag(values)·Vᵀ, or the leading part of one.
pub struct Singular {
    /// Left singular vectors, as columns.
    pub u: Mat<f64>,
    /// Singular values in descending order.
    pub values: Vec<f64>,
    /// Right singular vectors, as columns.
    pub v: Mat<f64>,
}

impl Singular {
    /// Keeps the `count` largest singular values and their vectors.
    fn truncated(self, count: usize) -> Self {
        let count = count.min(self.values.len());
        let leading = |m: Mat<f64>| m.subcols(0, count).to_owned();
        Singular { u: leading(self.u), values: self.values[..count].to_vec(), v: leading(self.v) }
    }
}

/// The thin singular value decomposition; `None` if the iteration does not converge.
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

/// All singular values in descending order; `None` if the iteration does not converge.
pub(crate) fn singular_values(m: MatRef<'_, f64>) -> Option<Vec<f64>> {
    let (rows, cols) = (m.nrows(), m.ncols());
    let (size, par, none) = (rows.min(cols), threads_for(rows.max(cols)), ComputeSvdVectors::No);
    let mut s = Diag::zeros(size);
    let mut memory = MemBuffer::new(svd_scratch::<f64>(rows, cols, none, none, par, Default::default()));
    svd(m, s.as_mut(), None, None, par, MemStack::new(&mut memory), Default::default()).ok()?;
    Some((0..size).map(|i| s.column_vector()[i]).collect())
}

/// The `count` largest singular values in descending order with their vectors; `None` if the iteration does
/// not converge.
///
/// For large matrices they come from the eigenvectors of MᵀM, which takes half the time. That squares the
/// ratios between the values, so it is done only if the wanted values are all of about the same size,
/// because it then costs no digits.
pub(crate) fn leading_singular(m: MatRef<'_, f64>, count: usize) -> Option<Singular> {
    let (rows, cols) = (m.nrows(), m.ncols());
    if rows.min(cols) < LARGE {
        return thin_svd(m).map(|all| all.truncated(count));
    }
    let (squares, vectors) = eigen(times(m.transpose(), m).as_ref())?;
    let count = count.min(rows.min(cols));
    let values: Vec<f64> = (0..count).map(|j| squares[cols - 1 - j].max(0.0).sqrt()).collect();
    if !are_even(&values) {
        return thin_svd(m).map(|all| all.truncated(count));
    }
    let v = Mat::from_fn(cols, count, |i, j| vectors[(i, cols - 1 - j)]);
    Some(Singular { u: partners(m, &v, &values), values, v })
}

/// The left singular vectors of the given right ones: M·V, with each column divided by its singular value.
/// Given Mᵀ and left vectors, the result is the right ones.
pub fn partners(m: MatRef<'_, f64>, vectors: &Mat<f64>, values: &[f64]) -> Mat<f64> {
    let mut partners = times(m, vectors.as_ref());
    for (column, value) in partners.col_iter_mut().zip(values) {
        column.iter_mut().for_each(|entry| *entry /= value);
    }
    partners
}

/// The eigenvalues in ascending order and the eigenvectors of a symmetric matrix, of which the lower
/// triangle is read; `None` if the iteration does not converge.
pub(crate) fn eigen(m: MatRef<'_, f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let (size, par) = (m.nrows(), threads_for(m.nrows()));
    if size == 0 {
        return Some((Vec::new(), Mat::zeros(0, 0)));
    }
    let (mut u, mut s) = (Mat::zeros(size, size), Diag::zeros(size));
    let scratch = self_adjoint_evd_scratch::<f64>(size, ComputeEigenvectors::Yes, par, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(m, s.as_mut(), Some(u.as_mut()), par, stack, Default::default()).ok()?;
    Some(((0..size).map(|i| s.column_vector()[i]).collect(), u))
}

/// The eigenvalues of a symmetric matrix, in ascending order.
pub(crate) fn eigenvalues(m: MatRef<'_, f64>) -> Option<Vec<f64>> {
    let (size, par) = (m.nrows(), threads_for(m.nrows()));
    let mut s = Diag::zeros(size);
    let scratch = self_adjoint_evd_scratch::<f64>(size, ComputeEigenvectors::No, par, Default::default());
    let mut memory = MemBuffer::new(scratch);
    self_adjoint_evd(m, s.as_mut(), None, par, MemStack::new(&mut memory), Default::default()).ok()?;
    Some((0..size).map(|i| s.column_vector()[i]).collect())
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

    /// U·diag(values)·Vᵀ with orthonormal U and V.
    fn composed(values: &[f64], rows: usize, cols: usize) -> Mat<f64> {
        let [u, v] = [(rows, 3), (cols, 4)]
            .map(|(size, seed)| random_mat(size, values.len(), seed).qr().compute_thin_Q());
        let scaled = Mat::from_fn(rows, values.len(), |i, j| u[(i, j)] * values[j]);
        scaled * v.transpose()
    }

    #[test]
    fn leading_singular_vectors_are_those_of_the_whole_decomposition() {
        let tied = |j: usize| if j < 40 { 1.0 } else { 0.9 - 0.001 * j as f64 };
        let steep = |j: usize| 0.5f64.powi(j as i32 / 8);
        for (rows, cols) in [(250, 250), (260, 230), (230, 260), (90, 40)] {
            for values in [tied as fn(usize) -> f64, steep] {
                let values: Vec<f64> = (0..rows.min(cols)).map(values).collect();
                let m = composed(&values, rows, cols);
                let Singular { u, values: found, v } = leading_singular(m.as_ref(), 60).unwrap();
                let count = found.len();
                assert_eq!(count, 60.min(rows.min(cols)));
                for (found, expected) in found.iter().zip(&values) {
                    assert!((found - expected).abs() < 1e-13, "{found} for {expected}");
                }
                let unit = Mat::<f64>::identity(count, count);
                assert!((u.transpose() * &u - &unit).norm_max() < 1e-11);
                assert!((v.transpose() * &v - &unit).norm_max() < 1e-11);
                let scaled = Mat::from_fn(rows, count, |i, j| u[(i, j)] * found[j]);
                assert!((&m * &v - scaled).norm_max() < 1e-12);
            }
        }
    }
}
