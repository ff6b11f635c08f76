//! A proof by one Cholesky factorization of the lifted matrix, dense.

use super::claim::{Claim, Found, margin};
use super::definite::Definite;
use crate::data::Pair;
use crate::error::Result;
use crate::fit::pairs::problem::Problem;
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, Par};
use rayon::prelude::*;

/// The factorization ends once this many pivots have failed.
const MOST_FAILED: usize = 256;

/// Factorizes M, and bounds tr(RᵀM⁻¹R).
pub(super) fn factorize(problem: &Problem<'_>, claim: &Claim<'_>) -> Result<Found> {
    let mut matrix = shifted(problem, claim.sigma, &claim.scale)?;
    lift(&mut matrix, &claim.lifting);
    let definite = Definite::factorize(matrix, margin(claim.scale.len()), MOST_FAILED);
    let rise =
        definite.rest_is_definite().then(|| definite.inverse_squares(claim.residuals_above()).iter().sum());
    Ok(match rise {
        Some(rise) if definite.is_definite() => Found::Definite { rise },
        but_for => Found::Negative { directions: definite.directions(), but_for },
    })
}

/// One over the length of each column of both views in the norm of B; 0 for columns that do not vary.
pub(super) fn scale(problem: &Problem<'_>) -> Result<Vec<f64>> {
    let [x, y] = problem.inverse_diagonals()?;
    Ok(x.into_iter().chain(y).map(f64::sqrt).collect())
}

/// The lower triangle of σ·B − A, in columns of unit length.
fn shifted(problem: &Problem<'_>, sigma: f64, scale: &[f64]) -> Result<Mat<f64>> {
    let grams = problem.pair.capabilities().require_grams()?;
    let mut gram = match problem.space.dense_gram(problem.pair)? {
        Some(gram) => gram,
        None => grams.dense_gram(None, problem.settings.memory)?,
    };
    let (p, size, normals) = (problem.pair.shape().x_cols, gram.nrows(), problem.normals);
    let identities = problem.identities();
    gram.as_mut().par_col_iter_mut().enumerate().for_each(|(j, mut column)| {
        let view = usize::from(j >= p);
        for i in j..size {
            let is_own = usize::from(i >= p) == view;
            let entry = match is_own {
                _ if scale[i] * scale[j] == 0.0 => f64::from(i == j),
                true => {
                    let product = if identities[view] { 0.0 } else { column[i] };
                    sigma * (product + if i == j { normals[view].ridge } else { 0.0 }) * scale[i] * scale[j]
                }
                false => -column[i] * scale[i] * scale[j],
            };
            column[i] = entry;
        }
    });
    Ok(gram)
}

/// M ← M + V·Vᵀ, in the lower triangle.
fn lift(matrix: &mut Mat<f64>, v: &Mat<f64>) {
    let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    matmul(matrix.as_mut(), lower, Accum::Add, v, full, v.transpose(), full, 1.0, Par::rayon(0));
}
