//! A proof by a sparse factorization, for views that are known by their sparse Gram matrices.
//!
//! Centering and lifting make M dense, but by terms of low rank. Let S be σ·B − A before both, and
//!
//! ```text
//! M = S − P·C·Pᵀ      C = diag(±1)      H = [S   P]
//!                                           [Pᵀ  C]
//! ```
//!
//! where P holds the lifting vectors with sign −1, and two columns for centering, which subtracts N·K·Nᵀ with
//! N = blockdiag(μx, μy) and K = n·[σ −1; −1 σ] = n·Σκqqᵀ: √(n|κ|)·N·q with the sign of κ. Eliminating either
//! part of H leaves (Haynsworth)
//!
//! ```text
//! negative(M) = negative(H) − negative(C) = negative(S) + negative(T) − negative(C)      T = C − PᵀS⁻¹P
//! ```
//!
//! S is sparse: LBLᵀ counts its negative eigenvalues, and T is small.
//!
//! None of this trusts the factorization. The diagonal of S is lowered by δ, the margin of the dense proof,
//! before it is factorized:
//!
//! - half of δ is there for ‖LBLᵀ − S + δI‖, which is measured;
//! - with *any* X instead of S⁻¹P, H is congruent to [S G; Gᵀ T] with T = C − PᵀX − XᵀG and G = P − S·X,
//!   which is at least
//!   [S − tI 0; 0 T − GᵀG/t]: another quarter of δ is there for t;
//! - the last quarter proves M ≥ λI with λ = δ/4. So for *any* Z instead of M⁻¹R and E = R − M·Z, tr(RᵀM⁻¹R)
//!   is at most tr(2ZᵀR − ZᵀMZ) + ‖E‖²/λ.
//!
//! If M is not definite, LBLᵀ and T are negative on a space that contains a direction with zᵀMz < 0: a small
//! eigenproblem finds it.
//!
//! Cost: one sparse factorization, and some solves with the pairs.

use super::bordered::Bordered;
use super::claim::{Claim, Found, margin};
use crate::data::{Pair, Side, SparseGram};
use crate::error::Result;
use crate::fit::pairs::problem::Problem;
use crate::solve::{Indefinite, Plan, shifted};
use faer::Mat;

/// The number of solves with the factor for each lifted pair, X and Z together.
pub(super) const SOLVES: u64 = 6;
/// More negative directions than this are not told apart, because many columns depend on others then.
const MOST_NEGATIVE: usize = 256;

/// The operations of a proof by a plan, less its analysis.
pub(super) fn operations(problem: &Problem<'_>, plan: &Plan) -> f64 {
    let columns = SOLVES as f64 * (problem.settings.k + 2) as f64;
    plan.flops() + 4.0 * plan.fill() as f64 * columns
}

/// One over the length of each column of both views in the norm of B, before centering, because rounding is
/// relative to that. 0 for columns that do not vary.
pub(super) fn scale(problem: &Problem<'_>) -> Result<Vec<f64>> {
    let [mut x, mut y] = problem.inverse_diagonals()?;
    let Some(joint) = problem.joint else { return Ok(Vec::new()) };
    let ridges = problem.ridges();
    for (side, inverse) in Side::BOTH.into_iter().zip([&mut x, &mut y]) {
        let ridge = ridges[side as usize];
        for (inverse, square) in inverse.iter_mut().zip(&joint.moments(side).square) {
            *inverse = if *inverse > 0.0 { (square + ridge).sqrt().recip() } else { 0.0 };
        }
    }
    Ok(x.into_iter().chain(y).collect())
}

/// S in columns of unit length, factorized.
pub(super) struct Factored<'a> {
    /// S − λI
    matrix: SparseGram,
    factor: Indefinite<'a>,
    /// λ
    least: f64,
    sigma: f64,
}

impl<'a> Factored<'a> {
    /// Factorizes S. `None` if rounding is too large for the proof, or if S has too many negative
    /// directions.
    pub fn new(problem: &Problem<'_>, plan: &'a Plan, sigma: f64, scale: &[f64]) -> Result<Option<Self>> {
        let Some(joint) = problem.joint else { return Ok(None) };
        joint.bring()?;
        let mut matrix = shifted(joint, problem.ridges());
        scale_blocks(&mut matrix, joint.shape().x_cols, sigma, scale);
        let delta = margin(scale.len());
        lower(&mut matrix, delta);
        let factor = Indefinite::factorize(&matrix, plan);
        let is_near = factor.distance(&matrix, problem.settings.seed) <= 0.5 * delta;
        let least = 0.25 * delta;
        lower(&mut matrix, least - delta);
        let is_clear = is_near && factor.negative() <= MOST_NEGATIVE;
        Ok(is_clear.then_some(Factored { matrix, factor, least, sigma }))
    }

    /// H with the lifting vectors of a claim.
    pub fn bordered(&self, problem: &Problem<'_>, claim: &Claim<'_>) -> Bordered<'_> {
        debug_assert_eq!(self.sigma, claim.sigma);
        let (border, signs) = border(problem, claim);
        Bordered::new(&self.matrix, &self.factor, border, signs, self.least)
    }

    /// Whether M is definite, and a bound of tr(RᵀM⁻¹R).
    pub fn judge(&self, bordered: &Bordered<'_>, claim: &Claim<'_>) -> Result<Found> {
        Ok(match bordered.negative_directions()? {
            None => Found::Definite { rise: bordered.inverse_trace(&claim.residuals_above(), self.least) },
            Some(directions) if directions.ncols() > 0 => Found::Negative { directions, but_for: None },
            Some(_) => Found::Unclear,
        })
    }
}

/// Factorizes S, and bounds tr(RᵀM⁻¹R).
pub(super) fn factorize(problem: &Problem<'_>, plan: &Plan, claim: &Claim<'_>) -> Result<Found> {
    match Factored::new(problem, plan, claim.sigma, &claim.scale)? {
        Some(factored) => factored.judge(&factored.bordered(problem, claim), claim),
        None => Ok(Found::Unclear),
    }
}

/// From B − A to σ·B − A in columns of unit length. Columns that do not vary get a diagonal of 1.
fn scale_blocks(matrix: &mut SparseGram, split: usize, sigma: f64, scale: &[f64]) {
    for j in 0..matrix.size() {
        for entry in matrix.starts[j]..matrix.starts[j + 1] {
            let i = matrix.rows[entry];
            let is_own = (i < split) == (j < split);
            let factor = scale[i] * scale[j] * if is_own { sigma } else { 1.0 };
            let value = &mut matrix.values[entry];
            *value = if i == j && factor == 0.0 { 1.0 } else { *value * factor };
        }
    }
}

/// Subtracts `delta` from the diagonal, which begins each column.
fn lower(matrix: &mut SparseGram, delta: f64) {
    (0..matrix.size()).for_each(|j| matrix.values[matrix.starts[j]] -= delta);
}

/// P and the diagonal of C.
fn border(problem: &Problem<'_>, claim: &Claim<'_>) -> (Mat<f64>, Vec<f64>) {
    let (size, split) = (claim.scale.len(), problem.pair.shape().x_cols);
    let mut signs = vec![-1.0; claim.above];
    let Some(means) = problem.means else { return (claim.lifting.clone(), signs) };
    let weight = problem.joint.map_or(0.0, |joint| joint.moments(Side::X).weight);
    // K = n·[σ −1; −1 σ] has the eigenvectors q = [1; ±1]/√2 with κ = σ ∓ 1.
    let centering = [(1.0, claim.sigma - 1.0), (-1.0, claim.sigma + 1.0)];
    signs.extend(centering.map(|(_, kappa)| if kappa < 0.0 { -1.0 } else { 1.0 }));
    let border = Mat::from_fn(size, claim.above + 2, |i, j| {
        let Some(&(of_y, kappa)) = j.checked_sub(claim.above).map(|j| &centering[j]) else {
            return claim.lifting[(i, j)];
        };
        let mean = if i < split { means[0][i] } else { of_y * means[1][i - split] };
        (0.5 * weight * f64::abs(kappa)).sqrt() * mean * claim.scale[i]
    });
    (border, signs)
}
