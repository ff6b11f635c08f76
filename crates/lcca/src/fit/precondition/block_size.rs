//! How large a coarse block may be: about the price of some iterations, counted in operations.

use super::coarse::Coarse;
use crate::data::Pair;
use crate::error::Result;
use crate::fit::pairs::cost::{entries, iteration};
use crate::fit::pairs::problem::Problem;
use crate::fit::proof;

/// A coarse block may cost as much as this many iterations.
const PRICE: f64 = 3.0;
/// A coarse block has at least this many columns, if there are as many.
const SMALLEST: f64 = 600.0;
/// A coarse block takes at most this share of the allowed memory.
const SHARE_OF_MEMORY: u64 = 8;
/// A block of all columns saves this many iterations for each digit of the tolerance beyond the third, after
/// what its own cost more because all columns are solved with. Fits of 200 pairs to sentences and paths on a
/// GPU took 7 and 8 iterations instead of 15 and 22 with a tolerance of 1e-4, and 13 instead of 37 and 39
/// with 1e-8.
const SAVED: f64 = 4.0;
const FREE_DIGITS: f64 = 3.0;
/// The operations that a device may spend on a block of all columns if the ridge is small, so that nothing
/// can hide from M: about a second of an H200, 45,000 columns. Without it, paths with a ridge of 1e-3 and a
/// block of twice the usual price claimed 4.8e-5 where 1.2e-4 was missing; at the usual price the claim was
/// true, with little to spare.
const WITHOUT_RISK: f64 = 3e13;
/// With this ridge and larger ones estimates with a block of some columns are trusted.
const SAFE: f64 = 0.01;

/// How many columns of each view a block of `size` columns holds: half each, or all of a narrow view.
pub(in crate::fit) fn split(size: usize, varying: [usize; 2]) -> [usize; 2] {
    let x = (size / 2).max(size.saturating_sub(varying[1])).min(varying[0]);
    [x, (size - x).min(varying[1])]
}

/// The columns of a block that costs no more than some iterations, and fits the memory. `is_proven` says that
/// claims are.
pub(in crate::fit) fn block_size(problem: &Problem<'_>, is_proven: bool) -> Result<usize> {
    let shape = problem.pair.shape();
    let columns = (shape.x_cols + shape.y_cols) as f64;
    let price = PRICE * iteration(problem)?;
    let factorized = (3.0 * price).cbrt();
    // In row mode the block is a sum over rows, each with so many entries on the chosen columns.
    let formed = match problem.joint {
        Some(_) => f64::INFINITY,
        None => (price / shape.rows as f64).sqrt() / (entries(problem.pair)? / shape.rows as f64 / columns),
    };
    // Where the claim is proven by a factorization of all columns, another one that makes iterations few is
    // worth its price.
    let is_complete = is_proven || complete_pays(problem)?;
    let least = if is_complete { columns } else { SMALLEST };
    let size = factorized.min(formed).max(least).min(columns) as usize;
    Ok(size.min(most_columns(problem)))
}

/// The most columns of a block for which there is memory, on the device or on the host.
fn most_columns(problem: &Problem<'_>) -> usize {
    match problem.space.most_inverted(problem.pair) {
        0 => {
            let most = problem.settings.memory / SHARE_OF_MEMORY;
            ((most / Coarse::bytes(1)) as f64).sqrt() as usize
        }
        on_device => on_device,
    }
}

/// Whether a device factorizes all columns in less time than the iterations that this saves.
fn complete_pays(problem: &Problem<'_>) -> Result<bool> {
    let shape = problem.pair.shape();
    let columns = shape.x_cols + shape.y_cols;
    if columns > problem.space.most_inverted(problem.pair) {
        return Ok(false);
    }
    let operations = (columns as f64).powi(3) / 3.0;
    if proof::has_ridge_below(problem, SAFE) && operations <= WITHOUT_RISK {
        return Ok(true);
    }
    let digits = -problem.settings.tol.log10() - FREE_DIGITS;
    let saved = SAVED * digits.max(0.0) * problem.space.factor_speed() * iteration(problem)?;
    Ok(operations <= saved)
}
