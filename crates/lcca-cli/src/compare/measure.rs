//! One fit and the CPU time it took: of the whole process, all threads together, waiting not included.

use crate::failure::Failure;
use crate::progress::FitProgress;
use cpu_time::ProcessTime;
use lcca::data::Pair;
use lcca::fit::{Fit, fit, planned_passes};
use lcca::method::Settings;

/// A fit is run so often, the first time included, ...
const REPEATS: usize = 3;
/// ... unless it has taken so many CPU seconds already: a short one alone is too noisy, a long one is not.
const ENOUGH: f64 = 10.0;

/// A finished fit.
pub struct Measured {
    pub fit: Fit,
    /// The least of all repeats. They give the same bits, so it belongs to the fit as well as any other.
    pub cpu_seconds: f64,
    /// How often it was run.
    pub repeats: usize,
}

/// Fits once. `label` stands before the progress bar.
pub fn once(pair: &dyn Pair, settings: &Settings, label: &str, quiet: bool) -> Result<Measured, Failure> {
    let progress = FitProgress::new(label, planned_passes(settings), quiet);
    let start = ProcessTime::now();
    let fit = fit(pair, settings, &progress)?;
    let cpu_seconds = start.elapsed().as_secs_f64();
    progress.finish();
    Ok(Measured { fit, cpu_seconds, repeats: 1 })
}

/// Fits again and again while that is cheap, and takes the least time.
pub fn steadily(pair: &dyn Pair, settings: &Settings, label: &str, quiet: bool) -> Result<Measured, Failure> {
    let mut least = once(pair, settings, label, quiet)?;
    let mut spent = least.cpu_seconds;
    while least.repeats < REPEATS && spent < ENOUGH {
        let again = once(pair, settings, label, quiet)?.cpu_seconds;
        spent += again;
        least.cpu_seconds = least.cpu_seconds.min(again);
        least.repeats += 1;
    }
    Ok(least)
}
