//! Scores without their linear dependence on covariates, in rows that can change places.
//!
//! The residuals of n rows on r covariates lie in n − r dimensions, so they depend on each other even if the
//! rows do not, and permuting them is no valid test (Winkler, Renaud, Smith & Nichols 2020). Here they are
//! rotated into n − r rows that are uncorrelated again and have the variance of the errors: with R = I − UUᵀ,
//! U an orthonormal basis of the covariates, and S all rows but r,
//!
//! ```text
//! Qᵀ = (S·R·Sᵀ)^−½·S·R,    QᵀQ = I,    QQᵀ = R
//! ```
//!
//! Of all such Q this is the one whose rows are nearest to the rows kept (Theil 1965), so that rows stay with
//! their families, which a rotation of all rows into each other (Huh & Jhun 2001) would not do. The r rows
//! with the best conditioned part of U are dropped. S·R·Sᵀ = I − UₖUₖᵀ differs from I by rank r, so its root
//! costs r³ and applying it n·r·k. Memory: 8·n·r bytes.

use crate::data::Side;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Panel};
use faer::Mat;

/// A covariate depends on the others if less than this share of its length is left beside them.
const DEPENDENT: f64 = 1e-10;
/// The fewest rows that must be left, because fewer have no correlations but ±1.
const FEWEST: usize = 3;

/// Qᵀ for given covariates.
pub(in crate::fit) struct Projection {
    /// U, an orthonormal basis of the covariates.
    basis: Mat<f64>,
    /// The rows that are not dropped, in order.
    pub kept: Vec<usize>,
    /// F with (S·R·Sᵀ)^−½ = I + Uₖ·F·Uₖᵀ.
    root: Mat<f64>,
}

impl Projection {
    /// The projection for the covariates of `rows` rows, and for a constant if `center`.
    pub fn new(covariates: &Matrix, rows: usize, center: bool) -> Result<Self> {
        if covariates.rows() != rows {
            let what = "rows of the covariates";
            return Err(Error::Length { what, expected: rows, found: covariates.rows() });
        }
        let basis = orthonormal(covariates, center)?;
        let rank = basis.ncols();
        if rows < rank + FEWEST {
            let value = format!("{rank} independent columns with the constant");
            let expected = "at least 3 rows more than independent covariates";
            return Err(Error::Setting { name: "covariates", value, expected });
        }
        let mut is_dropped = vec![false; rows];
        let pivots = basis.transpose().to_owned().col_piv_qr();
        pivots.P().arrays().0[..rank].iter().for_each(|&row| is_dropped[row] = true);
        let kept = (0..rows).filter(|&row| !is_dropped[row]).collect();
        let dropped: Vec<usize> = (0..rows).filter(|&row| is_dropped[row]).collect();
        let own = Mat::from_fn(rank, rank, |i, j| basis[(dropped[i], j)]);
        // UₖᵀUₖ = I − UdᵀUd, so the eigenvalues of S·R·Sᵀ that are not 1 are those of UdᵀUd.
        let eigen = (own.transpose() * &own)
            .self_adjoint_eigen(faer::Side::Lower)
            .map_err(|_| Error::Factorization("the covariates of the rows left out"))?;
        let (values, vectors) = (eigen.S().column_vector(), eigen.U());
        let factor = |left: f64| {
            let share = 1.0 - left;
            if share > 1e-8 { (left.sqrt().recip() - 1.0) / share } else { 0.5 }
        };
        let scaled =
            Mat::from_fn(rank, rank, |i, j| vectors[(i, j)] * factor(values[j].max(f64::MIN_POSITIVE)));
        Ok(Projection { root: scaled * vectors.transpose(), basis, kept })
    }

    /// Qᵀ times scores: one row per kept row.
    pub fn apply(&self, scores: &Panel) -> Panel {
        let scores = scores.as_mat();
        let residuals = scores - &self.basis * (self.basis.transpose() * scores);
        let pick =
            |from: &Mat<f64>| Mat::from_fn(self.kept.len(), from.ncols(), |i, j| from[(self.kept[i], j)]);
        let (residuals, basis) = (pick(&residuals), pick(&self.basis));
        let turned = &basis * (&self.root * (basis.transpose() * &residuals));
        Panel::from_mat((residuals + turned).as_ref())
    }
}

/// An orthonormal basis of the covariates, and of the constant if `center`.
fn orthonormal(covariates: &Matrix, center: bool) -> Result<Mat<f64>> {
    let (rows, first) = (covariates.rows(), usize::from(center));
    let mut columns = Mat::zeros(rows, covariates.cols() + first);
    for row in 0..rows {
        covariates.for_each(row, |column, value| columns[(row, first + column)] = value);
    }
    if center {
        for j in first..columns.ncols() {
            let mean = columns.col(j).sum() / rows as f64;
            columns.col_mut(j).iter_mut().for_each(|value| *value -= mean);
        }
        columns.col_mut(0).fill(1.0);
    }
    for j in 0..columns.ncols() {
        let length = columns.col(j).norm_l2();
        if !length.is_finite() {
            return Err(Error::Overflow { side: Side::X });
        }
        columns
            .col_mut(j)
            .iter_mut()
            .for_each(|value| *value = if length > 0.0 { *value / length } else { 0.0 });
    }
    let qr = columns.col_piv_qr();
    let r = qr.thin_R();
    let rank = (0..r.nrows().min(r.ncols())).take_while(|&i| r[(i, i)].abs() > DEPENDENT).count();
    Ok(qr.compute_thin_Q().subcols(0, rank).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panels;
    use crate::testing::{from_dense, random_mat, random_panel, relative_error};

    #[test]
    fn products_are_those_of_residuals_and_rows_are_uncorrelated() {
        let z = random_mat(40, 3, 1);
        // A fourth covariate depends on the others.
        let z = Mat::from_fn(40, 4, |i, j| if j < 3 { z[(i, j)] + 5.0 } else { z[(i, 0)] - 2.0 * z[(i, 1)] });
        let projection = Projection::new(&from_dense(z.as_ref()), 40, true).unwrap();
        assert_eq!(projection.kept.len(), 36);
        let (a, b) = (random_panel(40, 2, 2), random_panel(40, 2, 3));
        let (pa, pb) = (projection.apply(&a), projection.apply(&b));
        let design = Mat::from_fn(40, 4, |i, j| if j == 3 { 1.0 } else { z[(i, j)] });
        let q = design.qr().compute_thin_Q();
        let residuals = b.as_mat() - &q * (q.transpose() * b.as_mat());
        let expected = a.as_mat().transpose() * residuals;
        assert!(relative_error(panels::cross(&pa, &pb).as_ref(), expected.as_ref()) < 1e-12);
        // QᵀQ = I: the projection of unit vectors has orthonormal rows.
        let identity = Panel::from_fn(40, 40, |i, j| f64::from(u8::from(i == j)));
        let q = projection.apply(&identity);
        let gram = q.as_mat() * q.as_mat().transpose();
        assert!(relative_error(gram.as_ref(), Mat::<f64>::identity(36, 36).as_ref()) < 1e-12);
        // Every row of Q is nearest to its own unit vector.
        for (place, &row) in projection.kept.iter().enumerate() {
            assert!((0..40).all(|other| q.row(place)[row] >= q.row(place)[other].abs()));
        }
    }

    #[test]
    fn too_many_covariates_and_other_rows_are_refused() {
        let refused = |rows, cols| {
            Projection::new(&from_dense(random_mat(rows, cols, 1).as_ref()), 10, true)
                .err()
                .unwrap()
                .to_string()
        };
        assert!(refused(9, 2).contains("expected 10, found 9"));
        assert!(refused(10, 7).contains("at least 3 rows more"));
    }
}
