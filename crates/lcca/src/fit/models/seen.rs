//! Rows as a fit sees them: centered if the settings say so, and without the effects of covariates.

use crate::data::{Centered, Explained, Pair, Residual};
use crate::error::Result;

/// Calls `look` with the rows as a fit sees them.
pub(in crate::fit) fn seen<T>(
    pair: &dyn Pair,
    center: bool,
    look: impl FnOnce(&dyn Pair) -> Result<T>,
) -> Result<T> {
    let pair = if center { pair.near_origin()?.or(pair) } else { pair };
    let centered = if center { Some(Centered::where_it_is(pair)?) } else { None };
    let seen: &dyn Pair = centered.as_ref().map_or(pair, |centered| centered);
    match pair.capabilities().covariates {
        None => look(seen),
        Some(covariates) => {
            let Explained { along, sums, .. } = Explained::new(covariates, center)?;
            look(&Residual::new(seen, along, &sums)?)
        }
    }
}
