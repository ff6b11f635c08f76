//! From data and settings to a fit, in one line: plan, prepare the data, iterate, finish.

use super::check::{check, check_covariates, check_memory, check_size};
use super::models::fitted::Fit;
use super::models::model::Effects;
use super::models::restore;
use super::one_fit::{Data, SharedInverse, fit_one};
use super::pairs::problem::Start;
use super::plan::{Plan, is_narrow, plan};
use super::{checkpoint, risk, scale};
use crate::data::{
    Cached, Centered, Counting, Explained, JointGram, Moments, Near, Origin, Pair, Reduced, Residual, Scaled,
    Side, Tally,
};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::method::{Algorithm, Settings};
use crate::outcome::{Decision, Note};
use crate::space;
use crate::watch::{Checkpoint, Continued, Cost, Watch};

/// Centering that leaves less than this share of a sum of squares costs half of the sixteen digits.
const LOST: f64 = 1e-8;

/// Fits `settings.k` pairs of canonical variables.
///
/// Runs on the current rayon pool: wrap the call in `ThreadPool::install` to size it. The same settings, data
/// and thread count give the same bits.
///
/// ```
/// use lcca::data::InMemory;
/// use lcca::matrix::OneHotRows;
/// use lcca::method::{Method, Settings};
///
/// let x = OneHotRows::new(3, vec![0, 1, 2, 0, 1, 2, 0, 1].into())?;
/// let y = OneHotRows::new(2, vec![0, 1, 1, 0, 1, 1, 0, 0].into())?;
/// let pair = InMemory::new(x.into(), y.into())?;
/// let fit = lcca::fit::fit(&pair, &Settings::new(Method::exact(), 1), &())?;
/// assert!(fit.converged && (fit.model.correlations[0] - (2.0f64 / 3.0).sqrt()).abs() < 1e-12);
/// # Ok::<(), lcca::Error>(())
/// ```
pub fn fit(pair: &dyn Pair, settings: &Settings, watch: &dyn Watch) -> Result<Fit> {
    let mut result = fit_all(pair, std::slice::from_ref(settings), Start::Random, false, watch)?;
    Ok(result.fits.swap_remove(0))
}

/// Continues from a checkpoint of a fit to the same data with the same settings; `tol`, `max_passes`,
/// `memory` and `t1` may differ. Counts continue as well: costs and the trace are those of both runs
/// together.
pub fn resume(from: Checkpoint, pair: &dyn Pair, settings: &Settings, watch: &dyn Watch) -> Result<Fit> {
    let mut result = fit_all(pair, std::slice::from_ref(settings), Start::Resume(from), false, watch)?;
    Ok(result.fits.swap_remove(0))
}

/// Fits for some settings, and the block of weights that the last of them ended with.
pub(super) struct Fits {
    pub fits: Vec<Fit>,
    /// The weights in the columns and units of the data: a warm start for a fit to similar rows. `None`
    /// unless it was asked for and the method iterates.
    pub block: Option<[Panel; 2]>,
}

/// One fit for each of some settings that differ in the ridge alone. Each but the first starts from the one
/// before.
pub(super) fn fit_all(
    pair: &dyn Pair,
    all: &[Settings],
    start: Start,
    keep_block: bool,
    watch: &dyn Watch,
) -> Result<Fits> {
    fit_all_sharing(None, pair, all, start, keep_block, watch)
}

/// Fits all settings, with a coarse block that is taken from other fits, or left for them, if `shared` is
/// given.
pub(super) fn fit_all_sharing(
    shared: Option<&SharedInverse>,
    pair: &dyn Pair,
    all: &[Settings],
    start: Start,
    keep_block: bool,
    watch: &dyn Watch,
) -> Result<Fits> {
    let Some(first) = all.first() else { return Ok(Fits { fits: Vec::new(), block: None }) };
    let original = pair.shape();
    all.iter().try_for_each(|settings| check(settings, original))?;
    check_memory(first.k, original)?;
    let near = if first.center { pair.near_origin()? } else { Near::Needless };
    let loses_digits = matches!(near, Near::Unknown);
    let pair = near.or(pair);
    let whole = pair;
    check_size(pair)?;
    check_covariates(pair, first, &start)?;

    // Plan: a smaller problem if there is one, then the method. Settings of the smaller problem have smaller
    // ridges.
    let to_scale = scale::views_to_scale(pair, all)?;
    let reduced = reduce(pair, first)?;
    let pair: &dyn Pair = reduced.as_ref().map_or(pair, |reduced| &*reduced.pair);
    let settings: Vec<Settings> = match &reduced {
        None => all.to_vec(),
        Some(_) => all.iter().map(|s| restore::reduced_settings(s, original, pair.shape())).collect(),
    };
    let mut plan = plan(pair, &settings[0])?;
    let mut before = Cost::default();
    if let Start::Resume(state) = &start {
        checkpoint::check(state, &plan, pair.shape())?;
        before = state.cost;
    }

    // Prepare the data: Gram matrices if iterations run over them, summaries shared by several fits,
    // centering, units.
    let tally = Tally::starting_at(before);
    let joint = form_gram(&Counting::rows(pair, &tally, watch), &mut plan, first.memory)?;
    let cached = Cached::new(pair);
    let pair: &dyn Pair = if all.len() > 1 { &cached } else { pair };
    let centered = if first.center { Some(Centered::where_it_is(pair)?) } else { None };
    let seen: &dyn Pair = centered.as_ref().map_or(pair, |centered| centered);
    let counted = Counting::rows(pair, &tally, watch);
    let covariates = counted.capabilities().covariates;
    let explained = match covariates {
        Some(covariates) => Some(Explained::new(covariates, first.center)?),
        None => None,
    };
    if let Some(explained) = &explained {
        let (columns, independent) = (explained.basis.rows() as u64, explained.rank() as u64);
        plan.decisions.push(Decision::CovariatesTakenOut { columns, independent });
    }
    let residual = match (&explained, pair.capabilities().covariates) {
        (Some(explained), Some(rows)) => {
            Some(Residual::new(seen, explained.along.clone(), &explained.sums)?.with_rows(rows, explained))
        }
        _ => None,
    };
    let seen: &dyn Pair = residual.as_ref().map_or(seen, |residual| residual);
    let (raw, seen_moments) = (both_moments(pair)?, both_moments(seen)?);
    let factors = scale::factors(raw, seen_moments, to_scale, first);
    plan.decisions.extend(scale::decisions(&factors, first.center));
    let is_scaled = factors.iter().any(Option::is_some);
    let scaled = if is_scaled { Some(Scaled::new(seen, factors.clone())?) } else { None };
    let joint = match joint {
        Some(joint) if is_scaled => Some(joint.scaled(factors.each_ref().map(|f| f.as_deref()))?),
        joint => joint,
    };
    let centered_joint = match &joint {
        Some(joint) if first.center => Some(Centered::new(joint)?),
        _ => None,
    };
    let along =
        explained.as_ref().map(|explained| explained.scaled(factors.each_ref().map(|f| f.as_deref())));
    let joint_seen: Option<&dyn Pair> = match (&centered_joint, &joint) {
        (Some(centered), _) => Some(centered),
        (None, Some(joint)) => Some(joint),
        (None, None) => None,
    };
    let residual_joint = match (joint_seen, &along, &explained) {
        (Some(joint), Some(along), Some(explained)) => {
            Some(Residual::new(joint, along.clone(), &explained.sums)?)
        }
        _ => None,
    };
    let means = centered.as_ref().map(Centered::means);
    // A product with factors of 1 is exact, so views that are not scaled keep their means to the last bit.
    let scaled_means = means.filter(|_| is_scaled).map(|means| scaled_means(means, &factors));
    let data = Data {
        rows: scaled.as_ref().map_or(seen, |scaled| scaled),
        is_formed: whole.capabilities().joint_grams.is_some_and(|grams| grams.is_formed()),
        grams: residual_joint.as_ref().map(|residual| residual as &dyn Pair).or(joint_seen),
        joint: joint.as_ref(),
        shared,
        means: scaled_means.as_ref().or(means),
        along: along.as_ref(),
        space: space::of(pair),
    };
    let start = match start {
        Start::Warm(weights) => Start::Warm(into_problem(weights, reduced.as_ref(), &factors)),
        other => other,
    };
    let mut result = fit_each(&data, &plan, &settings, start, keep_block, tally, watch)?;
    for (fit, settings) in result.fits.iter_mut().zip(all) {
        fit.notes.extend(risk::uneven_ridge(raw, both_moments(data.rows)?, settings));
        if settings.is_cca() {
            // Other metrics do not make correlations as large as chance allows, so theirs are not inflated
            // as much.
            fit.notes.extend(risk(whole, settings)?.note(&fit.model.correlations));
        }
        scale::undo(fit, &factors, means);
        if let Some(explained) = &explained {
            add_effects(fit, explained);
        }
        if let Some(reduced) = &reduced {
            restore::restore(fit, reduced, original, settings);
        }
        if loses_digits {
            fit.notes.extend(lost_digits(whole)?);
        }
        if let Some(origin) = whole.origin() {
            add_origin(fit, origin);
            fit.notes.extend(without_digits(origin, whole)?);
        }
    }
    if let Some(block) = &mut result.block {
        scale::to_units(block, &factors);
        if let Some(reduced) = &reduced {
            restore::restore_weights(block, reduced, original);
        }
    }
    Ok(result)
}

/// Adds the effects of covariates on each view to the model, which subtracts them from rows to come.
fn add_effects(fit: &mut Fit, explained: &Explained) {
    for (side, view) in Side::BOTH.into_iter().zip([&mut fit.model.x, &mut fit.model.y]) {
        let mean = explained.mean.clone().unwrap_or_else(|| vec![0.0; explained.basis.rows()]);
        view.effects = Some(Effects { mean, coefficients: explained.coefficients(side) });
    }
}

/// A note for each view whose storage leaves some columns hardly any digits.
fn without_digits(origin: &Origin, pair: &dyn Pair) -> Result<Vec<Note>> {
    let mut notes = Vec::new();
    for side in Side::BOTH {
        let columns = origin.columns_without_digits(side, pair.moments(side)?);
        if let Some(&first) = columns.first() {
            notes.push(Note::HardlyAnyDigits { side, columns: columns.len() as u64, first: first as u64 });
        }
    }
    Ok(notes)
}

/// A note for each view with columns that every row stores and that centering leaves next to nothing of, in
/// rows that cannot be moved to an origin.
fn lost_digits(pair: &dyn Pair) -> Result<Vec<Note>> {
    let mut notes = Vec::new();
    for side in Side::BOTH {
        let (moments, rows) = (pair.moments(side)?, pair.shape().rows as u64);
        let is_lost = |&j: &usize| moments.count[j] == rows && moments.left_by_centering(j) < LOST;
        let lost: Vec<usize> = (0..moments.sum.len()).filter(is_lost).collect();
        if let Some(&first) = lost.first() {
            notes.push(Note::DigitsLost { side, columns: lost.len() as u64, first: first as u64 });
        }
    }
    Ok(notes)
}

/// Turns means of rows near an origin into those of the rows as they came.
fn add_origin(fit: &mut Fit, origin: &Origin) {
    fn add(mean: &mut [f64], origin: Option<&Vec<f64>>) {
        mean.iter_mut().zip(origin.into_iter().flatten()).for_each(|(mean, origin)| *mean += origin);
    }
    for (view, of_view) in [&mut fit.model.x, &mut fit.model.y].into_iter().zip(&origin.views) {
        if let Some(mean) = &mut view.mean {
            add(mean, of_view.as_ref());
        }
        if let Some(effects) = &mut view.effects {
            add(&mut effects.mean, origin.covariates.as_ref());
        }
    }
}

/// Iterates and finishes once for each of the settings. The cost until now counts for the first.
fn fit_each(
    data: &Data<'_>,
    plan: &Plan,
    all: &[Settings],
    mut start: Start,
    keep_block: bool,
    mut tally: Tally,
    watch: &dyn Watch,
) -> Result<Fits> {
    let mut result = Fits { fits: Vec::with_capacity(all.len()), block: None };
    let mut spent = Cost::default();
    for (index, settings) in all.iter().enumerate() {
        let continued = Continued { watch, before: spent };
        let watch: &dyn Watch = if index > 0 { &continued } else { watch };
        let is_last = index + 1 == all.len();
        let keeps = (!is_last || keep_block) && plan.algorithm().is_some();
        let (fit, weights) = fit_one(data, plan, settings, start, keeps, &tally, watch)?;
        start = Start::Random;
        match weights {
            Some(weights) if !is_last => start = Start::Warm(weights),
            weights => result.block = weights,
        }
        spent = spent + fit.cost;
        tally = Tally::default();
        result.fits.push(fit);
    }
    Ok(result)
}

/// The moments of both views.
fn both_moments(pair: &dyn Pair) -> Result<[&Moments; 2]> {
    Ok([pair.moments(Side::X)?, pair.moments(Side::Y)?])
}

/// Means in the units of scaled columns.
fn scaled_means(means: &[Vec<f64>; 2], factors: &scale::Factors) -> [Vec<f64>; 2] {
    Side::BOTH.map(|side| match &factors[side as usize] {
        Some(factors) => means[side as usize].iter().zip(factors).map(|(mean, f)| mean * f).collect(),
        None => means[side as usize].clone(),
    })
}

/// Weights of the data's columns, in the columns and units of the problem that is solved.
fn into_problem(mut weights: [Panel; 2], reduced: Option<&Reduced>, factors: &scale::Factors) -> [Panel; 2] {
    if let Some(reduced) = reduced {
        restore::reduce_weights(&mut weights, reduced);
    }
    scale::from_units(&mut weights, factors);
    weights
}

/// A smaller problem with the same answer, if structure may be used and the rows know of any.
fn reduce(pair: &dyn Pair, settings: &Settings) -> Result<Option<Reduced>> {
    let iterates =
        matches!(settings.method.algorithm(), Algorithm::Auto | Algorithm::Lobpcg | Algorithm::ShiftInvert);
    match pair.capabilities().structure {
        // The rows of narrow views are read once, which takes less time than looking for a smaller problem.
        Some(structure) if settings.structure && iterates && !is_narrow(pair, settings) => {
            structure.reduced()
        }
        _ => Ok(None),
    }
}

/// The Gram matrices, if the plan wants them. The plan only estimated that they fit the memory; if they do
/// not, the fit reads the rows instead.
fn form_gram(pair: &dyn Pair, plan: &mut Plan, memory: u64) -> Result<Option<JointGram>> {
    let Some(estimate) = plan.gram else { return Ok(None) };
    let formed = pair.capabilities().require_joint_grams()?.joint_gram(memory);
    if matches!(formed, Err(Error::Memory { .. })) && plan.method.algorithm() != Algorithm::ShiftInvert {
        plan.decisions.push(Decision::GramMatricesTooLarge);
        return Ok(None);
    }
    let joint = formed.map_err(|error| match error {
        // The code that formed them knows only the memory that was taken until the limit was reached.
        Error::Memory { what, needed, allowed, advice } => {
            Error::Memory { what, needed: needed.max(estimate.bytes() as u64), allowed, advice }
        }
        other => other,
    })?;
    plan.decisions.push(Decision::GramMatricesFormed {
        entries: joint.entries(),
        expected: estimate.entries,
        touched: estimate.touched,
    });
    Ok(Some(joint))
}
