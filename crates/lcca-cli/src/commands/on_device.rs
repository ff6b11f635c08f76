//! Computing where `--device` says.

use crate::failure::Failure;
use crate::output::remark;
use lcca::data::InMemory;
use lcca::method::Settings;
use lcca_cuda::Placement;

/// Computes with rows that are placed where it was decided. If a GPU fails that nobody insisted on, everything is computed again
/// without it. Returns the rows as well.
pub fn compute<T>(
    placement: &mut Placement,
    pair: InMemory,
    settings: &Settings,
    quiet: bool,
    mut compute: impl FnMut(&InMemory) -> Result<T, Failure>,
) -> Result<(T, InMemory), Failure> {
    placement.decide(&pair, settings)?;
    let mut pair = placement.place(pair);
    loop {
        match compute(&pair) {
            Ok(result) => return Ok((result, pair)),
            Err(Failure::Data(error)) if placement.gives_up(&error) => {
                if !quiet {
                    remark!("{error}: going on with the CPU");
                }
                pair = placement.place(pair);
            }
            Err(failure) => return Err(failure),
        }
    }
}
