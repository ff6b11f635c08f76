//! The Cholesky factor of a coarse block, in single precision if that is precise enough.
//!
//! A preconditioner need not be exact, but what residuals say is measured with it. If single precision would
//! spoil a pivot, which takes columns that nearly depend on each other and next to no ridge, the block is
//! factorized in double precision.
//!
//! More columns can join a block that is factorized already. With L the factor so far and n for the new
//! columns,
//!
//! ```text
//! [ L    0  ]      Lnc·Lᵀ = (B − A)nc,      Ln·Lnᵀ = (B − A)nn − Lnc·Lncᵀ
//! [ Lnc  Ln ]
//! ```
//!
//! which costs a fraction of a new factorization if they are few.

use super::single_cholesky::SingleFactor;
use crate::error::{Error, Result};
use crate::matrix::Lower;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltParams, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::linalg::triangular_solve;
use faer::reborrow::ReborrowMut;
use faer::{Accum, Mat, MatMut, Par, Spec};
use rayon::prelude::*;

/// Added to the unit diagonal. From 1e-3 to 1e-8 the number of iterations is the same on sentences and on
/// paths; a small one sees correlations in directions of little variance.
pub(in crate::fit) const EPSILON: f64 = 1e-8;

/// How precise a factor must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::fit) enum Precision {
    /// Single if it will do.
    Any,
    /// Double: single was not enough before.
    Double,
}

/// The Cholesky factor of a scaled block.
pub(in crate::fit) enum Factor {
    Single(SingleFactor),
    Double(Lower),
}

/// What became of a block that more columns joined.
pub(in crate::fit) enum Joined {
    Factor(Factor),
    /// The factor so far is not precise enough for the new columns.
    Imprecise,
    /// It is singular in spite of ε.
    Singular,
}

impl Factor {
    pub fn precision(&self) -> Precision {
        match self {
            Factor::Single(_) => Precision::Any,
            Factor::Double(_) => Precision::Double,
        }
    }

    /// B ← (L·Lᵀ)⁻¹B; returns bᵀ(L·Lᵀ)⁻¹b for every column b.
    pub fn solve(&self, b: &mut Mat<f64>) -> Vec<f64> {
        match self {
            Factor::Double(lower) => solve(lower, b),
            Factor::Single(factor) => {
                // Small residuals have no digits in single precision, so every column is brought to length 1.
                let lengths: Vec<f64> = (0..b.ncols()).map(|j| b.col(j).norm_l2()).collect();
                let divisor = |j: usize| if lengths[j] > 0.0 { lengths[j] } else { 1.0 };
                let mut single = Mat::from_fn(b.nrows(), b.ncols(), |i, j| (b[(i, j)] / divisor(j)) as f32);
                let squares = factor.solve(&mut single);
                b.par_col_iter_mut().enumerate().for_each(|(j, column)| {
                    let solved = column.iter_mut().zip(single.col(j).iter());
                    solved.for_each(|(out, &solved)| *out = f64::from(solved) * divisor(j));
                });
                squares.into_iter().enumerate().map(|(j, square)| square * divisor(j).powi(2)).collect()
            }
        }
    }
}

impl Factor {
    /// B ← L⁻ᵀB, which turns white noise into noise whose covariance is (L·Lᵀ)⁻¹.
    pub fn solve_transposed(&self, b: &mut Mat<f64>) {
        match self {
            Factor::Double(lower) => {
                let upper = lower.as_mat().transpose();
                triangular_solve::solve_upper_triangular_in_place(upper, b.as_mut(), Par::rayon(0));
            }
            Factor::Single(factor) => {
                let mut single = Mat::from_fn(b.nrows(), b.ncols(), |i, j| b[(i, j)] as f32);
                factor.solve_transposed(&mut single);
                b.par_col_iter_mut().zip(single.par_col_iter()).for_each(|(column, single)| {
                    column.iter_mut().zip(single.iter()).for_each(|(out, &single)| *out = f64::from(single));
                });
            }
        }
    }
}

/// B − A on chosen columns, scaled to a unit diagonal, in the order of a factor's rows.
pub(in crate::fit) struct Scaled<'a> {
    /// The Gram matrix of these columns.
    pub gram: Lower,
    /// The row of `gram` for each row of the factor, if these are in another order.
    pub order: Option<Vec<usize>>,
    /// The number of X's columns, which come first in `gram`.
    pub split: usize,
    pub scale: &'a [f64],
}

impl Scaled<'_> {
    /// An entry of the matrix, with ε on its diagonal.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        if i == j {
            return 1.0 + EPSILON;
        }
        let place = |i: usize| self.order.as_ref().map_or(i, |order| order[i]);
        let (a, b) = (place(i).max(place(j)), place(i).min(place(j)));
        // What lies between the two views is −Cyx.
        let sign = if a >= self.split && b < self.split { -1.0 } else { 1.0 };
        sign * self.scale[i] * self.scale[j] * self.gram[(a, b)]
    }

    /// The factor in single precision; `None` if that would spoil a pivot.
    pub fn in_single(&self) -> Result<Option<Factor>> {
        Ok(self.joined_single(&SingleFactor::empty())?.map(Factor::Single))
    }

    /// The factor in double precision; `None` if the block is singular in spite of ε.
    pub fn in_double(self) -> Result<Option<Factor>> {
        Ok(self.joined_double(&Lower::zeros(0))?.map(Factor::Double))
    }

    /// The factor of a block whose first rows have the factor `known`.
    pub fn joined_to(self, known: &Factor) -> Result<Joined> {
        Ok(match known {
            Factor::Double(known) => match self.joined_double(known)? {
                Some(joined) => Joined::Factor(Factor::Double(joined)),
                None => Joined::Singular,
            },
            Factor::Single(known) => match self.joined_single(known)? {
                Some(joined) => Joined::Factor(Factor::Single(joined)),
                None => Joined::Imprecise,
            },
        })
    }

    fn joined_single(&self, known: &SingleFactor) -> Result<Option<SingleFactor>> {
        let mut block = Lower::<f32>::zeros(self.scale.len());
        block.par_columns_mut().enumerate().for_each(|(j, column)| {
            // What is known is not looked up again.
            let rows = (j..).zip(column).skip(known.size().saturating_sub(j));
            rows.for_each(|(i, entry)| *entry = self.entry(i, j) as f32);
        });
        known.joined_by(block)
    }

    fn joined_double(self, known: &Lower) -> Result<Option<Lower>> {
        let (old, size) = (known.size(), self.scale.len());
        let more = size - old;
        // Lnc·Lᵀ = (B − A)nc is L·Lncᵀ = (B − A)cn.
        let mut across = Mat::zeros(old, more);
        across.par_col_iter_mut().enumerate().for_each(|(j, mut column)| {
            (0..old).for_each(|i| column[i] = self.entry(i, old + j));
        });
        let mut own = Lower::zeros(more);
        own.par_columns_mut().enumerate().for_each(|(j, column)| {
            (j..).zip(column).for_each(|(i, entry)| *entry = self.entry(old + i, old + j));
        });
        // Its memory is needed.
        drop(self.gram);
        triangular_solve::solve_lower_triangular_in_place(known.as_mat(), across.as_mut(), Par::rayon(0));
        let mut joined = Lower::zeros(size);
        joined.par_columns_mut().enumerate().for_each(|(j, column)| {
            if j < old {
                let (above, below) = column.split_at_mut(old - j);
                above.copy_from_slice(known.column(j));
                below.iter_mut().enumerate().for_each(|(i, entry)| *entry = across[(j, i)]);
            } else {
                column.copy_from_slice(own.column(j - old));
            }
        });
        let mut rest = joined.as_mat_mut().submatrix_mut(old, old, more, more);
        matmul(
            rest.rb_mut(),
            BlockStructure::TriangularLower,
            Accum::Add,
            across.transpose(),
            BlockStructure::Rectangular,
            across.as_ref(),
            BlockStructure::Rectangular,
            -1.0,
            Par::rayon(0),
        );
        Ok(factorize(rest)?.then_some(joined))
    }
}

/// The factor of a whole matrix in double precision; `None` if it is not positive definite.
pub(in crate::fit) fn factor_of(mut matrix: Lower) -> Result<Option<Factor>> {
    Ok(factorize(matrix.as_mat_mut())?.then_some(Factor::Double(matrix)))
}

/// The factor of a matrix with about a unit diagonal in single precision; `None` if rounding would spoil a
/// pivot.
pub(in crate::fit) fn single_factor_of(matrix: Lower<f32>) -> Result<Option<Factor>> {
    Ok(SingleFactor::empty().joined_by(matrix)?.map(Factor::Single))
}

/// Factorizes the lower triangle of a matrix in place. Says whether it was positive definite.
pub(in crate::fit) fn factorize(mut matrix: MatMut<'_, f64>) -> Result<bool> {
    let (size, par) = (matrix.nrows(), Par::rayon(0));
    let params = Spec::<LltParams, f64>::default();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(size, par, params));
    let stack = MemStack::new(&mut memory);
    let factorized = cholesky_in_place(matrix.rb_mut(), Default::default(), par, stack, params);
    if (0..size).any(|i| matrix[(i, i)].is_nan()) {
        return Err(Error::Factorization("the coarse block"));
    }
    Ok(factorized.is_ok())
}

/// B ← (L·Lᵀ)⁻¹B; returns bᵀ(L·Lᵀ)⁻¹b for every column b.
pub(in crate::fit) fn solve(lower: &Lower, b: &mut Mat<f64>) -> Vec<f64> {
    let lower = lower.as_mat();
    triangular_solve::solve_lower_triangular_in_place(lower, b.as_mut(), Par::rayon(0));
    let squares = (0..b.ncols()).map(|j| b.col(j).squared_norm_l2()).collect();
    triangular_solve::solve_upper_triangular_in_place(lower.transpose(), b.as_mut(), Par::rayon(0));
    squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_mat, relative_error};
    use crate::whiten::inverse_root;

    /// A block of ten columns of two views, with those of `order` first, and the same as a dense matrix.
    fn block<'a>(
        data: &Mat<f64>,
        scale: &'a mut Vec<f64>,
        order: &[usize],
        split: usize,
    ) -> (Scaled<'a>, Mat<f64>) {
        let gram = Lower::of((data.transpose() * data).as_ref());
        *scale = order.iter().map(|&i| inverse_root(gram[(i, i)])).collect();
        let scaled = Scaled { gram, order: Some(order.to_vec()), split, scale };
        let dense = Mat::from_fn(order.len(), order.len(), |i, j| scaled.entry(i, j));
        (scaled, dense)
    }

    fn factorized(block: Scaled<'_>, precision: Precision) -> Factor {
        let single = if precision == Precision::Any { block.in_single().unwrap() } else { None };
        single.unwrap_or_else(|| block.in_double().unwrap().unwrap())
    }

    /// How far what a factor solves with is from a matrix.
    fn error(factor: &Factor, dense: &Mat<f64>) -> f64 {
        let mut inverse = Mat::identity(dense.nrows(), dense.ncols());
        factor.solve(&mut inverse);
        (dense * inverse - Mat::<f64>::identity(dense.nrows(), dense.ncols())).norm_max()
    }

    /// Columns 0 to 5 of X and 0 to 3 of Y; two of each join later, from the middle.
    const ORDER: [usize; 10] = [0, 1, 4, 5, 6, 9, 2, 3, 7, 8];

    #[test]
    fn columns_that_join_a_block_give_the_factor_of_the_whole() {
        let data = random_mat(40, 10, 1);
        for (precision, exact) in [(Precision::Any, 1e-5), (Precision::Double, 1e-12)] {
            let (mut few, mut all) = (Vec::new(), Vec::new());
            let first = factorized(block(&data, &mut few, &ORDER[..6], 6).0, precision);
            assert_eq!(first.precision(), precision);
            let (whole, dense) = block(&data, &mut all, &ORDER, 6);
            let Joined::Factor(joined) = whole.joined_to(&first).unwrap() else { panic!("it is regular") };
            assert_eq!(joined.precision(), precision);
            let error = error(&joined, &dense);
            assert!(error < exact, "{precision:?}: {error:e}");
        }
    }

    #[test]
    fn a_block_is_factorized_with_minus_the_products_between_views() {
        let data = random_mat(30, 5, 2);
        let mut scale = Vec::new();
        let (scaled, dense) = block(&data, &mut scale, &[0, 1, 2, 3, 4], 3);
        let gram = data.transpose() * &data;
        let between = -gram[(4, 0)] * inverse_root(gram[(4, 4)]) * inverse_root(gram[(0, 0)]);
        assert!((dense[(4, 0)] - between).abs() < 1e-15);
        let factor = factorized(scaled, Precision::Double);
        assert!(error(&factor, &dense) < 1e-9);
    }

    #[test]
    fn columns_that_nearly_depend_on_each_other_are_factorized_in_double_precision() {
        let mut data = random_mat(60, 10, 3);
        // Column 1 is column 0 but for 1e-3 of its length, 1e-6 of its variance.
        (0..60).for_each(|i| data[(i, 1)] = data[(i, 0)] + 1e-3 * data[(i, 1)]);
        let (mut few, mut all) = (Vec::new(), Vec::new());
        let (whole, dense) = block(&data, &mut all, &ORDER, 6);
        let factor = factorized(whole, Precision::Any);
        assert_eq!(factor.precision(), Precision::Double);
        assert!(error(&factor, &dense) < 1e-9);
        // The same if it joins.
        let first = factorized(block(&data, &mut few, &[0, 2, 6], 6).0, Precision::Any);
        assert_eq!(first.precision(), Precision::Any);
        let whole = block(&data, &mut all, &[0, 2, 6, 1], 6).0;
        assert!(matches!(whole.joined_to(&first).unwrap(), Joined::Imprecise));
    }

    #[test]
    fn both_precisions_solve_with_the_block_whatever_the_size_of_what_is_solved_for() {
        let data = random_mat(40, 10, 4);
        for precision in [Precision::Any, Precision::Double] {
            let mut scale = Vec::new();
            let (scaled, dense) = block(&data, &mut scale, &ORDER, 6);
            let factor = factorized(scaled, precision);
            for size in [1.0, 1e-40] {
                let mut b = random_mat(10, 3, 5);
                (0..10).for_each(|i| (b[(i, 0)], b[(i, 1)]) = (size * b[(i, 0)], 0.0));
                let given = b.clone();
                let squares = factor.solve(&mut b);
                assert!(relative_error((&dense * &b).as_ref(), given.as_ref()) < 1e-5);
                assert!((&dense * &b - &given).col(0).norm_max() < 1e-5 * size);
                for (j, square) in squares.into_iter().enumerate() {
                    let expected = (given.col(j).transpose() * b.col(j)).abs();
                    assert!((square - expected).abs() <= 1e-5 * expected, "{square} for {expected}");
                }
            }
        }
    }
}
