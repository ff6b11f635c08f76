//! `lcca fit --hold-out`: a fit without some of the rows, measured on them, before the fit to all rows.

use crate::failure::Failure;
use crate::progress::{FitProgress, Length};
use crate::resolve::HoldOutRule;
use lcca::data::InMemory;
use lcca::fit::{
    Components, Fit, Groups, HoldOut, Watch, estimated_operations, fit, hold_out_groups,
    recommend_components, risk,
};
use lcca::method::Settings;

/// The share that is held out unasked.
const USUAL_SHARE: f64 = 0.2;
/// Operations that take a few seconds at most on any machine that fits are run on.
const AFFORDABLE: f64 = 5e9;

/// Holds rows out if that was asked for, or if it was left to the data and they call for it.
pub fn measure(
    rule: HoldOutRule,
    pair: &InMemory,
    settings: &Settings,
    groups: Option<&Groups>,
    quiet: bool,
) -> Result<Option<HoldOut>, Failure> {
    let share = match rule {
        HoldOutRule::No => return Ok(None),
        HoldOutRule::Share(share) => share,
        HoldOutRule::Auto if is_called_for(pair, settings)? => USUAL_SHARE,
        HoldOutRule::Auto => return Ok(None),
    };
    let progress = FitProgress::new("hold-out", Length::of_fit(settings), quiet);
    let measured = hold_out_groups(pair, settings, share, groups, &progress);
    progress.finish();
    match (measured, rule) {
        (Ok(measured), _) => Ok(Some(measured)),
        // What was not asked for must not stop the fit: there may be too few rows, or too few that vary
        // without the others.
        (Err(_), HoldOutRule::Auto) => Ok(None),
        (Err(error), _) => Err(error.into()),
    }
}

/// Finds out how many pairs held-out rows can prove, and puts the number into the settings.
pub fn find_pairs(
    pair: &InMemory,
    settings: &mut Settings,
    groups: Option<&Groups>,
    quiet: bool,
) -> Result<Components, Failure> {
    let progress = FitProgress::new("pairs", Length::of_fit(settings), quiet);
    let found = recommend_components(pair, settings, settings.k, groups, &progress);
    progress.finish();
    let found = found?;
    settings.k = found.chosen;
    Ok(found)
}

/// Fits all rows and adds what was measured. A fit that holds rows out on request starts from there. What was
/// not asked for must not change the model, so that fit starts afresh: it is cheap.
pub fn fit_all_rows(
    rule: HoldOutRule,
    measured: Option<HoldOut>,
    pair: &InMemory,
    settings: &Settings,
    watch: &dyn Watch,
) -> Result<Fit, Failure> {
    match (measured, rule) {
        (Some(measured), HoldOutRule::Share(_)) => Ok(measured.fit(pair, settings, watch)?),
        (measured, _) => {
            let mut fit = fit(pair, settings, watch)?;
            measured.into_iter().for_each(|measured| fit.add_held_out(measured.result));
            Ok(fit)
        }
    }
}

/// Whether training correlations alone would mislead, and a second fit is cheap.
fn is_called_for(pair: &InMemory, settings: &Settings) -> lcca::Result<bool> {
    Ok(risk(pair, settings)?.is_high() && estimated_operations(pair, settings)? <= AFFORDABLE)
}
