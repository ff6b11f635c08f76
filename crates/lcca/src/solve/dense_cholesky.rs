//! Pivoted dense Cholesky: rank-revealing, p³/3 operations.
//!
//! C + λI is scaled to a unit diagonal and factorised with complete pivoting; columns beyond the numerical rank get
//! weight 0, which leaves a solution of any system whose right-hand side lies in the range.

use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::whiten::{CUT, inverse_root};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt_pivoting::factor::{
    PivLltParams, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::triangular_solve;
use faer::{Mat, Par, Spec};

/// L with PᵀD(C + λI)DP = LLᵀ on the pivots that count.
pub struct DenseCholesky {
    factor: Mat<f64>,
    /// The column behind each pivot.
    pivots: Vec<usize>,
    /// 1/√diagonal of each pivot's column.
    scale: Vec<f64>,
}

impl DenseCholesky {
    /// Bytes of C and its factor.
    pub fn bytes(p: usize) -> u64 {
        (p as u64).saturating_mul(p as u64).saturating_mul(16)
    }

    /// Multiplications and additions.
    pub fn flops(p: usize) -> f64 {
        (p as f64).powi(3) / 3.0
    }

    /// Factorises `gram` + `ridge`·I. `diagonal` is that of the sum, with 0 for columns that are zero but for rounding:
    /// they must not be scaled up to look like columns.
    pub fn new(gram: Mat<f64>, ridge: f64, diagonal: &[f64]) -> Result<Self> {
        let p = gram.nrows();
        let scale: Vec<f64> = diagonal.iter().map(|&d| inverse_root(d)).collect();
        let entry = |i: usize, j: usize| gram[(i, j)] + if i == j { ridge } else { 0.0 };
        let mut unit = Mat::from_fn(p, p, |i, j| scale[i] * entry(i, j) * scale[j]);
        drop(gram);
        let (pivots, rank) = factorize(&mut unit)?;
        let pivots = pivots[..rank].to_vec();
        let scale = pivots.iter().map(|&i| scale[i]).collect();
        Ok(DenseCholesky { factor: unit.submatrix(0, 0, rank, rank).to_owned(), pivots, scale })
    }

    /// (C + λI)⁻¹R, or one solution where C + λI is singular and R in its range.
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

/// Pivots and rank of a matrix with unit (or zero) diagonal; its lower triangle becomes the factor.
fn factorize(unit: &mut Mat<f64>) -> Result<(Vec<usize>, usize)> {
    let p = unit.nrows();
    let params = Spec::<PivLltParams, f64>::default();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<usize, f64>(p, Par::rayon(0), params));
    let (mut forward, mut inverse) = (vec![0usize; p], vec![0usize; p]);
    let stack = MemStack::new(&mut memory);
    let (info, _) =
        cholesky_in_place(unit.as_mut(), &mut forward, &mut inverse, Par::rayon(0), stack, params)
            .map_err(|_| Error::Factorization("the Gram matrix"))?;
    let rank = (0..info.rank).take_while(|&i| unit[(i, i)] * unit[(i, i)] > CUT).count();
    Ok((forward, rank))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_mat, random_panel, relative_error};

    #[test]
    fn solves_what_it_factorised() {
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
