//! `lcca fit --hold-out`: a fit without some of the rows, measured on them, and then the fit to all rows.

use crate::failure::Failure;
use crate::progress::{FitProgress, Length};
use crate::resolve::HoldOutRule;
use lcca::data::InMemory;
use lcca::fit::{
    Components, Fit, Groups, HoldOut, Watch, estimated_operations, fit, hold_out_groups,
    recommend_components, risk,
};
use lcca::method::Settings;

/// The share of the rows that is held out if the user did not choose one.
const USUAL_SHARE: f64 = 0.2;
/// The most operations of a fit that runs without being asked for: a few seconds at most on any machine
/// that runs fits.
const AFFORDABLE: f64 = 5e9;

/// Holds rows out if the user asked for it, or if the rule is automatic and the data call for it.
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
        // A measurement that the user did not ask for must not stop the fit. It fails, for example, if
        // there are too few rows, or too few that vary without the others.
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

/// Fits all rows and adds the measurement. A fit that holds rows out on request starts from the fit without
/// them. If the user did not ask, the fit starts afresh, because the measurement must not change the model;
/// that is cheap.
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
