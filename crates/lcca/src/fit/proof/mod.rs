//! Proof that no pair was overlooked: one Cholesky factorization.
//!
//! CCA is A·w = θ·B·w. Let W be the j pairs found above some σ, with WᵀBW = I, and R = A·W − B·W·Θ their
//! residuals. If
//!
//! ```text
//! M = σ·B − A + B·W·(Θ − σ + 1)·WᵀB
//! ```
//!
//! is positive definite, then σ·B − A plus a matrix of rank j is, so at most j true values exceed σ
//! (Sylvester's law of inertia). That holds for any W: bad pairs make the factorization fail, never
//! succeed.
//!
//! More follows from the same factor. In a B-orthonormal basis that begins with W, A is [Θ Hᵀ; H K], and M >
//! 0 says K < σ. Because [−HᵀX⁻¹H Hᵀ; H −X] ≤ 0 for every X > 0, and with X = σ − K,
//!
//! ```text
//! A ≤ [Θ + Hᵀ(σ − K)⁻¹H    0 ]        and    Hᵀ(σ − K)⁻¹H ≤ RᵀM⁻¹R
//!     [0                   σ·I]
//! ```
//!
//! So of the k wanted values the total is at most Σθ + tr(RᵀM⁻¹R) over the j pairs, and σ for each of the
//! others. Nothing is estimated, and no gap between values matters. σ is chosen just above the k-th value,
//! where the others cost a tenth of the tolerance.
//!
//! If the factorization fails, the directions behind its failed pivots have zᵀAz > σ·zᵀBz: they were
//! overlooked, and the iteration goes on with them. Directions of no variance fail as well if there is no
//! ridge; their columns depend on others and are left out.
//!
//! M is factorized as a dense matrix, on the host (`dense`) or on the device that holds the Gram matrices
//! (`in_space`), or the sparse one behind it is (`sparse`): see `route`.

mod attempts;
mod bordered;
mod claim;
mod definite;
mod dense;
mod in_space;
mod route;
mod settle;
mod sparse;
#[cfg(test)]
mod tests;

pub(super) use attempts::{Proofs, SLOW, has_ridge_below};
pub(super) use route::{Route, analysis_of, is_affordable};
pub(super) use settle::{Settled, settle};

use super::pairs::eigenproblem::Block;
use super::pairs::measured::measure;
use super::pairs::problem::Problem;
use super::pairs::significant::SIGNIFICANT;
use crate::data::{Pair, Side};
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use crate::space::Tall;
use claim::{Claim, Found, margin};
use faer::Mat;

/// The operations that a fit spends on a proof unasked: as many as solving narrow views exactly may take,
/// 8,400 columns.
pub(super) const UNASKED: f64 = 2e11;
/// The operations that a proof may take if the user asks for one: 14,400 columns, about a minute of one
/// core.
pub(super) const ASKED: f64 = 1e12;

/// A total that is proven to be nearly the largest possible.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Proof {
    /// The most values that can exceed `value`.
    pub exceeding: usize,
    /// The bound that at most `exceeding` values exceed.
    pub value: f64,
    /// The total of the wanted values is at most this much larger.
    pub missing: f64,
}

/// The outcome of an attempt at a proof.
pub(super) enum Finding {
    Proven(Proof),
    /// Directions with larger values than the last wanted pair, one panel for each view.
    Refuted([Panel; 2]),
    /// Neither: too many columns depend on others, or rounding hides the difference.
    Open,
}

/// The cause of failed pivots.
enum Overlooked {
    /// Directions with larger values than σ.
    Directions([Panel; 2]),
    /// Columns that depend on others.
    NoVariance,
    /// Directions whose values are not above σ: they failed by the margin for rounding.
    Rounding,
}

/// A proof from the largest possible objective value, which is 1 in CCA: pairs that are nearly there need
/// no other. `None` if that leaves more missing than the tolerance allows.
pub(super) fn by_the_largest(problem: &Problem<'_>, theta: &[f64]) -> Option<Proof> {
    let wanted = theta.get(..problem.settings.k)?;
    let (total, most) = (wanted.iter().sum::<f64>(), problem.largest_objective());
    let missing = most * wanted.len() as f64 - total;
    (missing <= problem.settings.tol * total).then_some(Proof { exceeding: 0, value: most, missing })
}

/// Tries to prove that the first k of the pairs in W are the best ones; R are their residuals.
pub(super) fn prove(
    problem: &Problem<'_>,
    route: &Route,
    w: &Block,
    r: &Block,
    theta: &[f64],
) -> Result<Finding> {
    let scale = match route {
        Route::Sparse(_) => sparse::scale(problem)?,
        Route::Dense | Route::InSpace | Route::TooCostly { .. } => dense::scale(problem)?,
    };
    let Some(claim) = Claim::new(problem, scale, w, r, theta)? else { return Ok(Finding::Open) };
    let found = match route {
        Route::Dense => dense::factorize(problem, &claim)?,
        Route::InSpace => in_space::factorize(problem, &claim)?,
        Route::Sparse(plan) => sparse::factorize(problem, plan, &claim)?,
        Route::TooCostly { .. } => Found::Unclear,
    };
    let rise = match found {
        Found::Definite { rise } => rise,
        Found::Unclear => return Ok(Finding::Open),
        Found::Negative { directions, but_for } => {
            match (overlooked(problem, directions, claim.sigma, &claim.scale)?, but_for) {
                (Overlooked::Directions(directions), _) => return Ok(Finding::Refuted(directions)),
                (Overlooked::NoVariance, Some(rise)) => rise,
                (Overlooked::NoVariance | Overlooked::Rounding, _) => return Ok(Finding::Open),
            }
        }
    };
    let missing = claim.missing(rise);
    Ok(Finding::Proven(Proof { exceeding: claim.above, value: claim.sigma, missing }))
}

/// Measures the directions behind failed pivots. Those that were overlooked come back in the columns of the
/// views, the largest values first and at most as many as W has columns.
fn overlooked(problem: &Problem<'_>, directions: Mat<f64>, sigma: f64, scale: &[f64]) -> Result<Overlooked> {
    let shape = problem.pair.shape();
    let weights = in_views(problem, &directions, scale);
    let heights = [shape.y_cols, shape.x_cols];
    let mut block = Block::unmeasured(problem.space, weights.to_vec(), &heights)?;
    measure(problem, &mut block)?;
    let dots = |a: &Panel, b: &Tall| Ok(panels::column_dots(a, &problem.space.download(b)?));
    let lengths = [dots(&weights[0], &block.views[0].bw)?, dots(&weights[1], &block.views[1].bw)?];
    let across = dots(&weights[0], &block.views[1].image)?;
    let length = |j: usize| lengths[0][j] + lengths[1][j];
    let height = |j: usize| directions.col(j).squared_norm_l2();
    let varying: Vec<usize> =
        (0..directions.ncols()).filter(|&j| length(j) > SIGNIFICANT * height(j)).collect();
    if varying.is_empty() {
        return Ok(Overlooked::NoVariance);
    }
    let value = |j: usize| 2.0 * across[j] / length(j);
    // Rounding counts the more, the less of a direction's length is variance.
    let rounding = |j: usize| margin(scale.len()) * height(j) / length(j);
    let mut above: Vec<usize> = varying.into_iter().filter(|&j| value(j) > sigma + rounding(j)).collect();
    if above.is_empty() {
        return Ok(Overlooked::Rounding);
    }
    above.sort_by(|&a, &b| value(b).total_cmp(&value(a)));
    above.truncate(problem.block());
    Ok(Overlooked::Directions(weights.each_ref().map(|panel| panels::select(panel, &above))))
}

/// Directions in columns of unit length as weights of both views.
fn in_views(problem: &Problem<'_>, directions: &Mat<f64>, scale: &[f64]) -> [Panel; 2] {
    let shape = problem.pair.shape();
    Side::BOTH.map(|side| {
        let first = if side == Side::X { 0 } else { shape.x_cols };
        let weight = |i: usize, j: usize| scale[first + i] * directions[(first + i, j)];
        Panel::from_fn(shape.cols(side), directions.ncols(), weight)
    })
}
