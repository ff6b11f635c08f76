//! Finds whether a symmetric matrix is positive definite, and along which directions it is not.
//!
//! A Cholesky factorization in columns of blocks. A pivot that is not positive does not end it: its column is
//! taken out, as if the variable behind it were zero, and the factorization goes on with the others. So one
//! factorization of n³/3 operations names every column that has to go before the rest is positive definite.
//!
//! The direction behind the failed pivot of column j is z = [−L⁻ᵀl; 1; 0], with L the factor of the columns
//! before and l the row of column j: zᵀMz is the pivot.
//!
//! In floating point, a factorization that succeeds after every diagonal entry was lowered by a small share
//! of itself proves that the matrix as it was is positive definite (Rump, *Verification of positive
//! definiteness*, BIT 2006).

use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{Accum, Col, Mat, MatMut, Par};
use std::ops::Range;

/// The number of columns of a block.
const BLOCK: usize = 128;
/// The root of a pivot that takes its column out: numbers divided by it no longer count, and its square is
/// still finite.
const TAKEN_OUT: f64 = 1e140;

/// The Cholesky factor of a symmetric matrix, without the columns whose pivots failed.
pub(super) struct Definite {
    factor: Mat<f64>,
    failed: Vec<usize>,
    is_complete: bool,
}

impl Definite {
    /// Factorizes the matrix whose lower triangle is given, every diagonal entry lowered by the share
    /// `margin`. Ends early once `most` pivots have failed.
    pub fn factorize(mut matrix: Mat<f64>, margin: f64, most: usize) -> Self {
        let size = matrix.nrows();
        (0..size).for_each(|j| matrix[(j, j)] *= 1.0 - margin);
        let (mut failed, mut done) = (Vec::new(), 0);
        while done < size && failed.len() < most {
            let end = size.min(done + BLOCK);
            column_of_blocks(matrix.as_mut(), done..end, &mut failed);
            done = end;
        }
        Definite { factor: matrix, failed, is_complete: done == size }
    }

    /// Whether the matrix is positive definite.
    pub fn is_definite(&self) -> bool {
        self.failed.is_empty() && self.is_complete
    }

    /// Whether the matrix is positive definite without the columns that were taken out.
    pub fn rest_is_definite(&self) -> bool {
        self.is_complete
    }

    /// A direction z with zᵀMz ≤ 0 for each pivot that failed.
    pub fn directions(&self) -> Mat<f64> {
        let mut all = Mat::zeros(self.factor.nrows(), self.failed.len());
        for (index, &column) in self.failed.iter().enumerate() {
            let mut z = Col::from_fn(column, |i| -self.factor[(column, i)]);
            let before = self.factor.submatrix(0, 0, column, column);
            solve_upper_triangular_in_place(before.transpose(), z.as_mat_mut(), Par::Seq);
            (0..column).for_each(|i| all[(i, index)] = z[i]);
            all[(column, index)] = 1.0;
        }
        all
    }

    /// bᵀM⁻¹b of every column b, over the columns of M that were not taken out.
    pub fn inverse_squares(&self, mut b: Mat<f64>) -> Vec<f64> {
        self.failed.iter().for_each(|&j| b.row_mut(j).fill(0.0));
        solve_lower_triangular_in_place(self.factor.as_ref(), b.as_mut(), Par::rayon(0));
        b.col_iter().map(|column| column.squared_norm_l2()).collect()
    }
}

/// Factorizes one column of blocks from the diagonal down, those before it being done.
fn column_of_blocks(matrix: MatMut<'_, f64>, block: Range<usize>, failed: &mut Vec<usize>) {
    let (size, width) = (matrix.nrows(), block.len());
    let (before, own) = matrix.split_at_col_mut(block.start);
    let before = before.rb();
    let mut own = own.subcols_mut(0, width).subrows_mut(block.start, size - block.start);
    matmul(
        own.rb_mut(),
        Accum::Add,
        before.subrows(block.start, size - block.start),
        before.subrows(block.start, width).transpose(),
        -1.0,
        Par::rayon(0),
    );
    let (mut diagonal, below) = own.split_at_row_mut(width);
    failed.extend(factorize_diagonal(diagonal.rb_mut()).into_iter().map(|j| block.start + j));
    solve_lower_triangular_in_place(diagonal.rb(), below.transpose_mut(), Par::rayon(0));
}

/// Replaces the lower triangle of a small block by its factor. Returns the columns that were taken out.
fn factorize_diagonal(mut block: MatMut<'_, f64>) -> Vec<usize> {
    let (size, mut failed) = (block.nrows(), Vec::new());
    for j in 0..size {
        let pivot = block[(j, j)];
        let root = if pivot > 0.0 { pivot.sqrt() } else { TAKEN_OUT };
        if root == TAKEN_OUT {
            failed.push(j);
        }
        block[(j, j)] = root;
        (j + 1..size).for_each(|i| block[(i, j)] /= root);
        for column in j + 1..size {
            let factor = block[(column, j)];
            (column..size).for_each(|i| block[(i, column)] -= factor * block[(i, j)]);
        }
    }
    failed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_mat;
    use faer::Side;

    /// A symmetric matrix with given eigenvalues.
    fn matrix(values: &[f64], seed: u64) -> Mat<f64> {
        let size = values.len();
        let q = random_mat(size, size, seed).qr().compute_thin_Q();
        &q * Mat::from_fn(size, size, |i, j| if i == j { values[i] } else { 0.0 }) * q.transpose()
    }

    #[test]
    fn negative_eigenvalues_are_noticed_and_their_directions_are_negative() {
        for negative in [0, 1, 3, 10] {
            let values: Vec<f64> =
                (0..300).map(|i| if i < negative { -1e-3 } else { 1.0 + i as f64 }).collect();
            let m = matrix(&values, negative as u64 + 1);
            let found = Definite::factorize(m.clone(), 0.0, 300);
            assert_eq!(found.is_definite(), negative == 0);
            let z = found.directions();
            // Each column that is taken out takes at most one negative eigenvalue with it.
            assert!(z.ncols() >= negative);
            let along = z.transpose() * &m * &z;
            assert!((0..z.ncols()).all(|j| along[(j, j)] <= 0.0));
        }
    }

    #[test]
    fn what_is_left_is_definite() {
        let values: Vec<f64> = (0..200).map(|i| f64::from(i) - 4.5).collect();
        let m = matrix(&values, 7);
        let found = Definite::factorize(m.clone(), 0.0, 200);
        let kept: Vec<usize> = (0..200).filter(|j| !found.failed.contains(j)).collect();
        let rest = Mat::from_fn(kept.len(), kept.len(), |i, j| m[(kept[i], kept[j])]);
        assert!(rest.self_adjoint_eigen(Side::Lower).unwrap().S().column_vector()[0] > 0.0);
        let b = random_mat(200, 2, 8);
        let short = Mat::from_fn(kept.len(), 2, |i, j| b[(kept[i], j)]);
        let expected =
            short.transpose() * faer::linalg::solvers::Solve::solve(&rest.partial_piv_lu(), &short);
        for (j, square) in found.inverse_squares(b).into_iter().enumerate() {
            assert!((square / expected[(j, j)] - 1.0).abs() < 1e-8, "{square}");
        }
    }

    #[test]
    fn a_margin_leaves_no_room_for_rounding() {
        let mut singular = random_mat(40, 20, 3);
        (0..40).for_each(|i| singular[(i, 19)] = singular[(i, 4)]);
        let gram = singular.transpose() * &singular;
        assert!(!Definite::factorize(gram, 1e-13, 20).is_definite());
    }

    #[test]
    fn it_ends_early_once_enough_pivots_failed() {
        let values: Vec<f64> = (0..300).map(|i| if i < 200 { -1.0 } else { 1.0 }).collect();
        let found = Definite::factorize(matrix(&values, 5), 0.0, 3);
        assert!(!found.rest_is_definite() && !found.is_definite() && found.failed.len() >= 3);
    }
}
