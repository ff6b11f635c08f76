//! Computes on the device of `--device`, and on the CPU if a GPU fails that the user did not insist on.

use crate::failure::Failure;
use crate::output::remark;
use lcca::data::InMemory;
use lcca::method::Settings;
use lcca::space::Space;
use lcca_cuda::Placement;

/// Computes on rows that are moved to the chosen device. If a GPU fails that the user did not insist on,
/// computes everything again on the CPU. Returns the rows as well.
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
            Err(failure) => {
                gives_up(placement, failure, quiet)?;
                pair = placement.place(pair);
            }
        }
    }
}

/// Runs a permutation test on the device that was chosen for it. If a GPU fails that the user did not
/// insist on, runs the test again on the CPU.
pub fn test<T>(
    placement: &mut Placement,
    quiet: bool,
    mut test: impl FnMut(&dyn Space) -> Result<T, Failure>,
) -> Result<T, Failure> {
    loop {
        match test(placement.space()) {
            Ok(result) => return Ok(result),
            Err(failure) => gives_up(placement, failure, quiet)?,
        }
    }
}

/// Gives up a GPU that failed, unless the user insisted on it. Otherwise returns the failure.
fn gives_up(placement: &mut Placement, failure: Failure, quiet: bool) -> Result<(), Failure> {
    match failure {
        Failure::Data(error) if placement.gives_up(&error) => {
            if !quiet {
                remark!("{error}: going on with the CPU");
            }
            Ok(())
        }
        failure => Err(failure),
    }
}
