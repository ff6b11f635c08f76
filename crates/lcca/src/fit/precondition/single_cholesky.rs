//! Cholesky factors in single precision, for preconditioners: half the time and half the memory of double
//! precision.
//!
//! A matrix with a unit diagonal is factorized in columns of blocks. Blocks on the diagonal are factorized
//! and inverted in double precision; all other work is large products. With Aₖ the k-th column of blocks from
//! the diagonal down and L₍ₖ₎ the rows of L from there on,
//!
//! ```text
//! Aₖ ← Aₖ − L₍ₖ₎·Lₖᵀ  over the columns before,     Lₖₖ·Lₖₖᵀ = Aₖₖ,     Lᵢₖ = Aᵢₖ·Lₖₖ⁻ᵀ
//! ```
//!
//! Rows that join later run through the same columns. Lₖₖ⁻¹ is kept in place of Lₖₖ, so that solving is large
//! products as well.
//!
//! Rounding changes pivots by about 1e-7. As long as all of them are above [`LEAST_PIVOT`] they are right to
//! a few percent; if one is not, there is no factor in single precision.

use crate::error::{Error, Result};
use crate::matrix::Lower;
use crate::small;
use faer::linalg::matmul::matmul;
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;
use std::ops::Range;

/// The least pivot, as a share of the column's own 1.
const LEAST_PIVOT: f64 = 1e-5;
/// The number of columns of a block.
const BLOCK: usize = 128;

/// L with the inverses of its diagonal blocks in their place.
pub(in crate::fit) struct SingleFactor {
    lower: Lower<f32>,
    /// Where blocks begin, and where the last one ends.
    bounds: Vec<usize>,
}

impl SingleFactor {
    /// The factor of a matrix without rows.
    pub fn empty() -> Self {
        SingleFactor { lower: Lower::zeros(0), bounds: vec![0] }
    }

    pub fn size(&self) -> usize {
        self.lower.size()
    }

    /// The factor of `matrix`, the first rows of which have this factor; they are not read. `None` if it is
    /// not precise.
    pub fn joined_by(&self, mut matrix: Lower<f32>) -> Result<Option<Self>> {
        let (old, size) = (self.size(), matrix.size());
        matrix.par_columns_mut().take(old).enumerate().for_each(|(j, column)| {
            column[..old - j].copy_from_slice(self.lower.column(j));
        });
        let mut bounds = self.bounds.clone();
        bounds.extend((old..size).step_by(BLOCK).skip(1));
        bounds.extend((size > old).then_some(size));
        for block in bounds.windows(2) {
            let is_precise = column_of_blocks(matrix.as_mat_mut(), block[0]..block[1], old)?;
            if !is_precise {
                return Ok(None);
            }
        }
        Ok(Some(SingleFactor { lower: matrix, bounds }))
    }

    /// B ← (L·Lᵀ)⁻¹B; returns bᵀ(L·Lᵀ)⁻¹b for every column b.
    pub fn solve(&self, b: &mut Mat<f32>) -> Vec<f64> {
        let (lower, size, par) = (self.lower.as_mat(), self.size(), Par::rayon(0));
        for block in self.bounds.windows(2) {
            let [start, end] = [block[0], block[1]];
            let (mut above, below) = b.as_mut().split_at_row_mut(end);
            let inverse = lower_triangle(lower.submatrix(start, start, end - start, end - start));
            let own = times(inverse.as_ref(), above.rb().subrows(start, end - start));
            above.rb_mut().subrows_mut(start, end - start).copy_from(&own);
            matmul(below, Accum::Add, lower.submatrix(end, start, size - end, end - start), &own, -1.0, par);
        }
        let square = |j: usize| b.col(j).iter().map(|&number| f64::from(number).powi(2)).sum();
        let squares = (0..b.ncols()).map(square).collect();
        self.solve_transposed(b);
        squares
    }

    /// B ← L⁻ᵀB.
    pub fn solve_transposed(&self, b: &mut Mat<f32>) {
        let (lower, par) = (self.lower.as_mat(), Par::rayon(0));
        for block in self.bounds.windows(2).rev() {
            let [start, end] = [block[0], block[1]];
            let (above, mut below) = b.as_mut().split_at_row_mut(start);
            let inverse = lower_triangle(lower.submatrix(start, start, end - start, end - start));
            let own = times(inverse.transpose(), below.rb().subrows(0, end - start));
            below.rb_mut().subrows_mut(0, end - start).copy_from(&own);
            let across = lower.submatrix(start, 0, end - start, start);
            matmul(above, Accum::Add, across.transpose(), &own, -1.0, par);
        }
    }
}

/// Factorizes one column of blocks, from the diagonal down or, if that is known already, from row `old` down.
/// Says whether its pivots are precise.
fn column_of_blocks(matrix: MatMut<'_, f32>, block: Range<usize>, old: usize) -> Result<bool> {
    let (size, width, is_new) = (matrix.nrows(), block.len(), block.start >= old);
    let first = if is_new { block.start } else { old };
    let (before, own) = matrix.split_at_col_mut(block.start);
    let before = before.rb();
    let mut own = own.subcols_mut(0, width);
    matmul(
        own.rb_mut().subrows_mut(first, size - first),
        Accum::Add,
        before.subrows(first, size - first),
        before.subrows(block.start, width).transpose(),
        -1.0,
        Par::rayon(0),
    );
    if is_new {
        let diagonal = own.rb_mut().subrows_mut(block.start, width);
        if !factorize_diagonal(diagonal)? {
            return Ok(false);
        }
    }
    let below = if is_new { block.end } else { old };
    let inverse = lower_triangle(own.rb().subrows(block.start, width));
    let scaled = times(own.rb().subrows(below, size - below), inverse.transpose());
    own.subrows_mut(below, size - below).copy_from(&scaled);
    Ok(true)
}

/// Replaces a block on the diagonal by the inverse of its factor, by way of double precision. Says whether
/// its pivots are precise.
fn factorize_diagonal(mut block: MatMut<'_, f32>) -> Result<bool> {
    let double = Mat::from_fn(block.nrows(), block.ncols(), |i, j| f64::from(block[(i.max(j), i.min(j))]));
    if double.col_iter().any(|column| column.iter().any(|number| number.is_nan())) {
        return Err(Error::Factorization("the coarse block"));
    }
    let Some(factor) = small::cholesky(double.as_ref()) else { return Ok(false) };
    let is_precise = (0..factor.nrows()).all(|i| factor[(i, i)].powi(2) >= LEAST_PIVOT);
    let inverse = small::inverse_of_lower(factor.as_ref());
    for j in 0..block.ncols() {
        (j..block.nrows()).for_each(|i| block[(i, j)] = inverse[(i, j)] as f32);
    }
    Ok(is_precise)
}

/// A copy of a lower triangle, with zeros above it.
fn lower_triangle(block: MatRef<'_, f32>) -> Mat<f32> {
    Mat::from_fn(block.nrows(), block.ncols(), |i, j| if i >= j { block[(i, j)] } else { 0.0 })
}

fn times(a: MatRef<'_, f32>, b: MatRef<'_, f32>) -> Mat<f32> {
    let mut product = Mat::zeros(a.nrows(), b.ncols());
    matmul(&mut product, Accum::Replace, a, b, 1.0, Par::rayon(0));
    product
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_mat, relative_error};

    /// A positive definite matrix with a unit diagonal.
    fn matrix(size: usize, seed: u64) -> Mat<f64> {
        let data = random_mat(2 * size, size, seed);
        let gram = data.transpose() * &data;
        Mat::from_fn(size, size, |i, j| gram[(i, j)] / (gram[(i, i)] * gram[(j, j)]).sqrt())
    }

    /// The lower triangle of a matrix, with NaN among the first `known` rows and columns, because these
    /// must not be read.
    fn lower(matrix: &Mat<f64>, size: usize, known: usize) -> Lower<f32> {
        let mut lower = Lower::<f32>::zeros(size);
        lower.par_columns_mut().enumerate().for_each(|(j, column)| {
            let entry = |i: usize| if i < known { f32::NAN } else { matrix[(i, j)] as f32 };
            column.iter_mut().enumerate().for_each(|(row, number)| *number = entry(j + row));
        });
        lower
    }

    #[test]
    fn a_factor_solves_whether_it_was_made_at_once_or_grew() {
        let matrix = matrix(400, 1);
        for steps in [vec![400], vec![100, 400], vec![1, 128, 129, 300, 400]] {
            let mut factor = SingleFactor::empty();
            for size in steps {
                factor = factor.joined_by(lower(&matrix, size, factor.size())).unwrap().unwrap();
            }
            let b = random_mat(400, 5, 2);
            let mut solved = Mat::from_fn(400, 5, |i, j| b[(i, j)] as f32);
            let squares = factor.solve(&mut solved);
            let solved = Mat::from_fn(400, 5, |i, j| f64::from(solved[(i, j)]));
            assert!(relative_error((&matrix * &solved).as_ref(), b.as_ref()) < 1e-4);
            for (j, square) in squares.into_iter().enumerate() {
                let expected = b.col(j).transpose() * solved.col(j);
                assert!((square / expected - 1.0).abs() < 1e-5, "{square} for {expected}");
            }
        }
    }

    #[test]
    fn pivots_that_rounding_would_spoil_are_noticed() {
        // Column 150 is column 3 but for a share of its variance. `own` is the square root of that share.
        for (own, is_precise) in [(1e-2, true), (1e-3, false), (0.0, false)] {
            let mut data = random_mat(500, 200, 3);
            (0..500).for_each(|i| data[(i, 150)] = data[(i, 3)] + own * data[(i, 150)]);
            let gram = data.transpose() * &data;
            let unit = Mat::from_fn(200, 200, |i, j| gram[(i, j)] / (gram[(i, i)] * gram[(j, j)]).sqrt());
            let factor = SingleFactor::empty().joined_by(lower(&unit, 200, 0)).unwrap();
            assert_eq!(factor.is_some(), is_precise, "{own}");
        }
    }

    #[test]
    fn a_block_of_no_columns_solves_nothing() {
        let mut nothing = Mat::<f32>::zeros(0, 2);
        assert_eq!(SingleFactor::empty().solve(&mut nothing), [0.0, 0.0]);
    }

    #[test]
    fn numbers_that_are_none_are_an_error() {
        let mut matrix = matrix(10, 4);
        matrix[(5, 2)] = f64::NAN;
        assert!(SingleFactor::empty().joined_by(lower(&matrix, 10, 0)).is_err());
    }
}
