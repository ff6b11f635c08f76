//! A sparse symmetric matrix bordered by a few dense columns; see `sparse` for the names.

use super::claim::margin;
use crate::data::SparseGram;
use crate::error::{Error, Result};
use crate::solve::Indefinite;
use faer::linalg::solvers::{SelfAdjointEigen, Solve};
use faer::{Mat, Side};

/// H with S − λI instead of S.
pub(super) struct Bordered<'a> {
    matrix: &'a SparseGram,
    factor: &'a Indefinite<'a>,
    /// P
    border: Mat<f64>,
    /// The diagonal of C.
    signs: Vec<f64>,
    /// X
    solved: Mat<f64>,
    /// T
    small: Mat<f64>,
    /// The part of T that may be rounding.
    noise: f64,
}

impl<'a> Bordered<'a> {
    /// Solves for the border; `slack` is t.
    pub fn new(
        matrix: &'a SparseGram,
        factor: &'a Indefinite<'a>,
        border: Mat<f64>,
        signs: Vec<f64>,
        slack: f64,
    ) -> Self {
        let mut solved = border.clone();
        factor.solve_in_place(&mut solved);
        // The factorized matrix is δ away from `matrix`, so the solution is corrected once.
        let mut correction = &border - matrix.times(&solved);
        factor.solve_in_place(&mut correction);
        solved += correction;
        let residual = &border - matrix.times(&solved);
        let product = border.transpose() * &solved + solved.transpose() * &residual;
        let small = Mat::from_fn(signs.len(), signs.len(), |i, j| {
            let own = if i == j { signs[i] } else { 0.0 };
            own - 0.5 * (product[(i, j)] + product[(j, i)])
        });
        let rounding = margin(matrix.size()) * border.norm_l2() * solved.norm_l2();
        let noise = rounding + residual.squared_norm_l2() / slack;
        Bordered { matrix, factor, border, signs, solved, small, noise }
    }

    /// M·Z
    fn times(&self, z: &Mat<f64>) -> Mat<f64> {
        let mut along = self.border.transpose() * z;
        (0..along.ncols()).for_each(|j| (0..along.nrows()).for_each(|i| along[(i, j)] *= self.signs[i]));
        self.matrix.times(z) - &self.border * along
    }

    /// M⁻¹·R but for rounding: the upper part of H⁻¹·[R; 0].
    pub fn solve(&self, r: &Mat<f64>) -> Mat<f64> {
        let mut z = r.clone();
        self.factor.solve_in_place(&mut z);
        let lower = self.small.partial_piv_lu().solve(self.border.transpose() * &z);
        z + &self.solved * lower
    }

    /// `None` if M is positive definite. Otherwise orthonormal directions z with zᵀMz < 0; there are none if
    /// rounding hides them.
    pub fn negative_directions(&self) -> Result<Option<Mat<f64>>> {
        let of_small = eigen(&self.small)?;
        let values = of_small.S().column_vector();
        // A value that is NaN counts as not positive.
        let nonpositive: Vec<usize> =
            (0..values.nrows()).filter(|&i| values[i] <= self.noise || values[i].is_nan()).collect();
        let allowed = self.signs.iter().filter(|&&sign| sign < 0.0).count();
        let own = self.factor.negative();
        if own + nonpositive.len() <= allowed {
            return Ok(None);
        }
        let vectors =
            Mat::from_fn(values.nrows(), nonpositive.len(), |i, j| of_small.U()[(i, nonpositive[j])]);
        let (space, along) = (self.factor.negative_space(), &self.solved * vectors);
        let all = Mat::from_fn(space.nrows(), own + nonpositive.len(), |i, j| {
            if j < own { space[(i, j)] } else { along[(i, j - own)] }
        });
        let basis = all.qr().compute_thin_Q();
        let within = eigen(&(basis.transpose() * self.times(&basis)))?;
        let negative = within.S().column_vector().iter().filter(|&&value| value < 0.0).count();
        Ok(Some(&basis * within.U().subcols(0, negative)))
    }

    /// An upper bound of tr(RᵀM⁻¹R) if M ≥ `least`·I.
    pub fn inverse_trace(&self, r: &Mat<f64>, least: f64) -> f64 {
        let mut z = self.solve(r);
        z += self.solve(&(r - self.times(&z)));
        let image = self.times(&z);
        let dot = |a: &Mat<f64>, b: &Mat<f64>| -> f64 {
            a.col_iter().zip(b.col_iter()).map(|(a, b)| a.transpose() * b).sum()
        };
        let rest = r - &image;
        2.0 * dot(&z, r) - dot(&z, &image) + rest.squared_norm_l2() / least
    }
}

/// The eigenvalues of a small symmetric matrix, which ascend, and its eigenvectors.
fn eigen(matrix: &Mat<f64>) -> Result<SelfAdjointEigen<f64>> {
    matrix.self_adjoint_eigen(Side::Lower).map_err(|_| Error::Factorization("C − PᵀS⁻¹P"))
}
