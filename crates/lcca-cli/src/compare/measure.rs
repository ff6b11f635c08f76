//! Measures one fit in CPU time: that of the whole process, all threads together, without waiting.

use crate::cpu_time::cpu_seconds;
use crate::failure::Failure;
use crate::progress::{FitProgress, Length};
use lcca::data::Pair;
use lcca::fit::{Fit, fit};
use lcca::method::Settings;

/// How often a short fit runs, because the time of one short run is too noisy.
const REPEATS: usize = 3;
/// CPU seconds after which a fit is not repeated, because the time of a long run is accurate enough.
const ENOUGH_SECONDS: f64 = 10.0;

/// A finished fit and its time.
pub struct Measured {
    pub fit: Fit,
    /// The least CPU time of all repeats. The repeats give the same bits, so this time belongs to the fit
    /// as well as any other.
    pub cpu_seconds: f64,
    /// How often the fit ran.
    pub repeats: usize,
}

/// Runs a fit once. `label` is shown before the progress bar.
pub fn measure_once(
    pair: &dyn Pair,
    settings: &Settings,
    label: &str,
    quiet: bool,
) -> Result<Measured, Failure> {
    let progress = FitProgress::new(label, Length::of_fit(settings), quiet);
    let start = cpu_seconds();
    let fit = fit(pair, settings, &progress)?;
    let cpu_seconds = cpu_seconds() - start;
    progress.finish();
    Ok(Measured { fit, cpu_seconds, repeats: 1 })
}

/// Repeats a fit while that is cheap, and takes the least time.
pub fn measure_repeatedly(
    pair: &dyn Pair,
    settings: &Settings,
    label: &str,
    quiet: bool,
) -> Result<Measured, Failure> {
    let mut least = measure_once(pair, settings, label, quiet)?;
    let mut spent = least.cpu_seconds;
    while least.repeats < REPEATS && spent < ENOUGH_SECONDS {
        let again = measure_once(pair, settings, label, quiet)?.cpu_seconds;
        spent += again;
        least.cpu_seconds = least.cpu_seconds.min(again);
        least.repeats += 1;
    }
    Ok(least)
}
