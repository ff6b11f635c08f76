//! A proof by one Cholesky factorization of the lifted matrix, in the space of the panels.
//!
//! A device forms M of all columns from the Gram matrices that it holds, and does the same as `dense` there.
//! Only the vectors of the claim go there, and only bounds and directions come back.

use super::claim::{Claim, Found, margin};
use crate::data::Pair;
use crate::error::Result;
use crate::fit::pairs::problem::Problem;
use crate::space::{ChosenBlock, Inverted};

/// A device multiplies by the inverses of small blocks on the diagonal instead of substituting. That rounds
/// more, by the condition of those blocks, so that the diagonal is lowered by so many margins.
const INVERTED: f64 = 16.0;
/// At most so many directions of failed pivots are asked for.
const MOST_FAILED: usize = 256;

/// Factorizes M, and bounds tr(RᵀM⁻¹R).
pub(super) fn factorize(problem: &Problem<'_>, claim: &Claim<'_>) -> Result<Found> {
    let shape = problem.pair.shape();
    let columns = [shape.x_cols, shape.y_cols].map(|count| (0..count as u32).collect::<Vec<u32>>());
    let all = ChosenBlock {
        columns: columns.each_ref().map(Vec::as_slice),
        scale: &claim.scale,
        identities: problem.identities(),
        sigma: claim.sigma,
        lifting: claim.lifting.as_ref(),
        epsilon: -INVERTED * margin(claim.scale.len()),
    };
    let Inverted::Here(inverse) = problem.space.invert(problem.pair, &all)? else {
        return Ok(Found::Unclear);
    };
    let rise = inverse.inverse_squares(claim.residuals_above().as_ref())?.iter().sum();
    if inverse.failed() == 0 {
        return Ok(Found::Definite { rise });
    }
    let directions = inverse.directions(MOST_FAILED)?;
    let but_for = (inverse.failed() <= MOST_FAILED).then_some(rise);
    Ok(Found::Negative { directions, but_for })
}
