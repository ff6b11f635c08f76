//! Pivoted dense Cholesky: rank-revealing, p³/3 operations.
//!
//! C + λI is scaled to a unit diagonal and factorized with complete pivoting. Columns beyond the numerical
//! rank get weight 0, which still solves any system whose right-hand side lies in the range.

use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::whiten::{CUT, inverse_root};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt_pivoting::factor::{
    PivLltParams, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::triangular_solve;
use faer::{Mat, Par, Spec};

/// L with PᵀD(C + λI)DP = LLᵀ on the pivots within the numerical rank.
pub struct DenseCholesky {
    factor: Mat<f64>,
    /// The column of each pivot.
    pivots: Vec<usize>,
    /// The diagonal of D for each pivot: 1/√ of the diagonal entry of its column.
    scale: Vec<f64>,
}

impl DenseCholesky {
    /// The bytes of C and its factor.
    pub fn bytes(p: usize) -> u64 {
        (p as u64).saturating_mul(p as u64).saturating_mul(16)
    }

    /// The number of multiplications and additions.
    pub fn flops(p: usize) -> f64 {
        (p as f64).powi(3) / 3.0
    }

    /// Factorizes `gram` + `ridge`·I. `diagonal` is that of the sum, with 0 for columns that are zero up to
    /// rounding, because these would count as much as any other column after scaling to a unit diagonal.
    pub fn new(gram: Mat<f64>, ridge: f64, diagonal: &[f64]) -> Result<Self> {
        let p = gram.nrows();
        let scale: Vec<f64> = diagonal.iter().map(|&d| inverse_root(d)).collect();
        if scale.iter().all(|&s| s == 0.0) {
            // The factorization refuses a zero matrix, although its rank of 0 is low like that of others.
            return Ok(DenseCholesky { factor: Mat::zeros(0, 0), pivots: Vec::new(), scale: Vec::new() });
        }
        let entry = |i: usize, j: usize| gram[(i, j)] + if i == j { ridge } else { 0.0 };
        let mut unit = Mat::from_fn(p, p, |i, j| scale[i] * entry(i, j) * scale[j]);
        // The matrix is dropped because only two p×p matrices are allowed for, and the factorization needs
        // the second.
        drop(gram);
        let (pivots, rank) = factorize(&mut unit)?;
        let pivots = pivots[..rank].to_vec();
        let scale = pivots.iter().map(|&i| scale[i]).collect();
        Ok(DenseCholesky { factor: unit.submatrix(0, 0, rank, rank).to_owned(), pivots, scale })
    }

    /// (C + λI)⁻¹R, or one solution if C + λI is singular and R lies in its range.
    pub fn solve(&self, rhs: &Panel) -> Panel {
        let mut x =
            Mat::from_fn(self.pivots.len(), rhs.cols(), |i, j| self.scale[i] * rhs.row(self.pivots[i])[j]);
        triangular_solve::solve_lower_triangular_in_place(self.factor.as_ref(), x.as_mut(), Par::rayon(0));
        triangular_solve::solve_upper_triangular_in_place(self.factor.transpose(), x.as_mut(), Par::rayon(0));
        let mut weights = Panel::zeros(rhs.rows(), rhs.cols());
        for (i, &column) in self.pivots.iter().enumerate() {
            (0..rhs.cols()).for_each(|j| weights.row_mut(column)[j] = self.scale[i] * x[(i, j)]);
        }
        weights
    }
}

/// Factorizes a matrix with a diagonal of ones and zeros in place. Returns its pivots and its rank.
fn factorize(unit: &mut Mat<f64>) -> Result<(Vec<usize>, usize)> {
    let p = unit.nrows();
    let params = Spec::<PivLltParams, f64>::default();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<usize, f64>(p, Par::rayon(0), params));
    let (mut forward, mut inverse) = (vec![0usize; p], vec![0usize; p]);
    let stack = MemStack::new(&mut memory);
    let (info, _) =
        cholesky_in_place(unit.as_mut(), &mut forward, &mut inverse, Par::rayon(0), stack, params)
            .map_err(|_| Error::Factorization("the Gram matrix"))?;
    if (0..info.rank).any(|i| !unit[(i, i)].is_finite()) {
        return Err(Error::Factorization("the Gram matrix"));
    }
    // A squared pivot is the part of a unit column that lies outside the span of the pivots before it.
    let rank = (0..info.rank).take_while(|&i| unit[(i, i)] * unit[(i, i)] > CUT).count();
    Ok((forward, rank))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_mat, random_panel, relative_error};

    #[test]
    fn numbers_that_are_not_finite_are_an_error() {
        let gram = Mat::from_fn(3, 3, |i, j| if i == j { 1.0 } else { f64::NAN });
        assert!(matches!(DenseCholesky::new(gram, 0.0, &[1.0; 3]), Err(Error::Factorization(_))));
    }

    #[test]
    fn empty_columns_get_no_weight() {
        let none = DenseCholesky::new(Mat::zeros(3, 3), 0.0, &[0.0; 3]).unwrap();
        assert_eq!(none.solve(&random_panel(3, 2, 1)), Panel::zeros(3, 2));
        assert_eq!(none.solve(&Panel::zeros(3, 0)), Panel::zeros(3, 0));
    }

    #[test]
    fn the_solution_satisfies_the_equations() {
        let x = random_mat(80, 12, 1);
        let gram = x.transpose() * &x;
        let rhs = random_panel(12, 3, 2);
        let ridged = Mat::from_fn(12, 12, |i, j| gram[(i, j)] + if i == j { 0.5 } else { 0.0 });
        let diagonal: Vec<f64> = (0..12).map(|i| ridged[(i, i)]).collect();
        let solved = DenseCholesky::new(gram, 0.5, &diagonal).unwrap().solve(&rhs);
        assert!(relative_error((ridged * solved.as_mat()).as_ref(), rhs.as_mat()) < 1e-12);
    }

    #[test]
    fn a_singular_matrix_is_solved_on_its_range() {
        let x = random_mat(80, 5, 3);
        let x = Mat::from_fn(80, 8, |i, j| match j {
            0..5 => x[(i, j)],
            5 => 0.0,
            6 => 1e-4 * x[(i, 1)],
            _ => x[(i, 2)] - x[(i, 3)],
        });
        let rhs = Panel::from_mat((x.transpose() * random_mat(80, 3, 4)).as_ref());
        let gram = x.transpose() * &x;
        let diagonal: Vec<f64> = (0..8).map(|i| gram[(i, i)]).collect();
        let solved = DenseCholesky::new(gram.clone(), 0.0, &diagonal).unwrap().solve(&rhs);
        assert!(relative_error((gram * solved.as_mat()).as_ref(), rhs.as_mat()) < 1e-10);
    }
}
