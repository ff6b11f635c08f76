//! From data and settings to a fit, in one line: plan, prepare the data, iterate, finish.

use super::both_views::BothViews;
use super::coarse::Coarse;
use super::fitted::Fit;
use super::model::Effects;
use super::one_view::OneView;
use super::plan::{Plan, is_narrow, plan};
use super::problem::{Problem, RawFit, Start};
use super::{
    alternate, checkpoint, exact, finish, gram, lobpcg, refine, restore, risk, rpcca, scale, sketch, units,
};
use crate::data::{
    Cached, Centered, Counting, Explained, JointGram, Moments, Pair, Reduced, Residual, Samples, Scaled,
    Shape, Side, Tally,
};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::method::{Algorithm, Settings};
use crate::outcome::Decision;
use crate::space::Host;
use crate::watch::{Checkpoint, Continued, Cost, Loop, Watch};
use std::sync::OnceLock;

/// Centering costs less than a digit if this share of a column's sum of squares is left.
const WELL_CENTERED: f64 = 0.1;

/// Fits `settings.k` pairs of canonical variables.
///
/// Runs on the current rayon pool: wrap the call in `ThreadPool::install` to size it. The same settings, data and
/// thread count give the same bits.
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

/// Continues from a checkpoint of a fit to the same data with the same settings; `tol`, `max_passes`, `memory` and `t1`
/// may differ. Counts continue as well: costs and the trace are those of both runs together.
pub fn resume(from: Checkpoint, pair: &dyn Pair, settings: &Settings, watch: &dyn Watch) -> Result<Fit> {
    let mut result = fit_all(pair, std::slice::from_ref(settings), Start::Resume(from), false, watch)?;
    Ok(result.fits.swap_remove(0))
}

/// Fits for some settings, and the block of weights that the last of them ended with.
pub(super) struct Fits {
    pub fits: Vec<Fit>,
    /// In the columns and units of the data: a warm start for a fit to similar rows. `None` unless it was asked for and
    /// the method iterates.
    pub block: Option<[Panel; 2]>,
}

/// The coarse block of a preconditioner: the first fit leaves it here, and fits to similar rows take a few steps with it.
pub(super) type SharedBlock = OnceLock<Coarse>;

/// One fit for each of some settings that differ in the ridge alone. Each but the first starts from the one before.
pub(super) fn fit_all(
    pair: &dyn Pair,
    all: &[Settings],
    start: Start,
    keep_block: bool,
    watch: &dyn Watch,
) -> Result<Fits> {
    fit_all_sharing(None, pair, all, start, keep_block, watch)
}

/// The same, with a coarse block that is taken from other fits or left for them.
pub(super) fn fit_all_sharing(
    shared: Option<&SharedBlock>,
    pair: &dyn Pair,
    all: &[Settings],
    start: Start,
    keep_block: bool,
    watch: &dyn Watch,
) -> Result<Fits> {
    let Some(first) = all.first() else { return Ok(Fits { fits: Vec::new(), block: None }) };
    let (whole, original) = (pair, pair.shape());
    all.iter().try_for_each(|settings| check(settings, original))?;
    check_memory(first.k, original)?;
    check_size(pair)?;
    check_covariates(pair, first, &start)?;

    // Plan: a smaller problem if there is one, then the method. Settings of the smaller problem have smaller ridges.
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

    // Prepare the data: Gram matrices if iterations run over them, summaries shared by several fits, centering, units.
    let tally = Tally::starting_at(before);
    let joint = form_gram(&Counting::rows(pair, &tally, watch), &mut plan, first.memory)?;
    let cached = Cached::new(pair);
    let pair: &dyn Pair = if all.len() > 1 { &cached } else { pair };
    let centered = if first.center { Some(Centered::new(pair)?) } else { None };
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
    let means = centered.as_ref().map(|centered| Side::BOTH.map(|side| centered.mean(side).to_vec()));
    let data = Data {
        rows: scaled.as_ref().map_or(seen, |scaled| scaled),
        is_formed: whole.capabilities().joint_grams.is_some_and(|grams| grams.is_formed()),
        grams: residual_joint.as_ref().map(|residual| residual as &dyn Pair).or(joint_seen),
        joint: joint.as_ref(),
        shared,
        // A product with factors of 1 is exact, so views that are not scaled keep their means to the last bit.
        means: means.as_ref().map(|means| scaled_means(means, &factors)),
        along: along.as_ref(),
        samples: pair.capabilities().samples.filter(|_| !is_scaled && along.is_none()),
    };
    let start = match start {
        Start::Warm(weights) => Start::Warm(into_problem(weights, reduced.as_ref(), &factors)),
        other => other,
    };
    let mut result = fit_each(&data, &plan, &settings, start, keep_block, tally, watch)?;
    for (fit, settings) in result.fits.iter_mut().zip(all) {
        fit.notes.extend(risk::uneven_ridge(raw, both_moments(data.rows)?, settings));
        if settings.is_cca() {
            // Covariances are not made as large as chance allows, so correlations are not inflated as much.
            fit.notes.extend(risk(whole, settings)?.note(&fit.model.correlations));
        }
        scale::undo(fit, &factors, means.as_ref());
        if let Some(explained) = &explained {
            add_effects(fit, explained);
        }
        if let Some(reduced) = &reduced {
            restore::restore(fit, reduced, original, settings);
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

/// Adds what covariates explain of each view, for rows to come.
fn add_effects(fit: &mut Fit, explained: &Explained) {
    for (side, view) in Side::BOTH.into_iter().zip([&mut fit.model.x, &mut fit.model.y]) {
        let mean = explained.mean.clone().unwrap_or_else(|| vec![0.0; explained.basis.rows()]);
        view.effects = Some(Effects { mean, coefficients: explained.coefficients(side) });
    }
}

/// Iterates and finishes, once for each of the settings. What was spent until now counts for the first.
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

/// The data as methods see them.
struct Data<'a> {
    /// The rows, centered and scaled if that is wanted.
    rows: &'a dyn Pair,
    /// Whether the rows are nothing but their Gram matrix, so that passes over them are passes over it.
    is_formed: bool,
    /// The same data known by their Gram matrices, if iterations run over those.
    grams: Option<&'a dyn Pair>,
    /// Those matrices, scaled but not centered.
    joint: Option<&'a JointGram>,
    /// A coarse block of fits to similar rows.
    shared: Option<&'a SharedBlock>,
    /// The means of the scaled columns.
    means: Option<[Vec<f64>; 2]>,
    /// The products of the scaled columns with an orthonormal basis of the covariates, if there are any.
    along: Option<&'a [Panel; 2]>,
    /// Samples of the rows, if they are in the units of the problem.
    samples: Option<&'a dyn Samples>,
}

impl Data<'_> {
    /// Whether the Gram matrices tell a product as exactly as the rows do. Centering them afterwards loses digits of a column
    /// whose mean is far above its deviation.
    fn grams_are_exact(&self) -> Result<bool> {
        let (Some(joint), Some(grams)) = (self.joint, self.grams) else { return Ok(false) };
        for side in Side::BOTH {
            let (raw, seen) = (&joint.moments(side).square, &grams.moments(side)?.square);
            if raw.iter().zip(seen).any(|(raw, seen)| *seen < WELL_CENTERED * raw) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// One fit, and its whole block of weights if another fit starts from it.
fn fit_one(
    data: &Data<'_>,
    plan: &Plan,
    settings: &Settings,
    start: Start,
    keeps_weights: bool,
    tally: &Tally,
    watch: &dyn Watch,
) -> Result<(Fit, Option<[Panel; 2]>)> {
    for side in Side::BOTH {
        if data.rows.moments(side)?.trace() <= 0.0 {
            return Err(match data.along {
                Some(_) => Error::NothingLeft { side },
                None => Error::NothingToCorrelate { side, centered: settings.center },
            });
        }
    }
    let rows = if data.is_formed {
        Counting::grams(data.rows, tally, watch)
    } else {
        Counting::rows(data.rows, tally, watch)
    };
    let grams = data.grams.map(|grams| Counting::grams(grams, tally, watch));
    let iterates = matches!(plan.algorithm(), Some(Loop::Lobpcg));
    let mut units = units::units(grams.as_ref().unwrap_or(&rows), settings, iterates)?;
    let mut start = start;
    loop {
        let counted = Counted { rows: &rows, grams: grams.as_ref(), units };
        let attempt = fit_in_units(data, plan, settings, start, keeps_weights, &counted, watch)?;
        // The largest variance is found from below; if it was found far too low, everything is measured again.
        let largest = attempt.0.model.objective.first().copied().unwrap_or(0.0);
        let unit = units.iter().product::<f64>().sqrt();
        if settings.is_cca() || !iterates || largest <= unit {
            return Ok(attempt);
        }
        (units, start) = (units.map(|unit| if unit == 1.0 { 1.0 } else { 4.0 * unit }), Start::Random);
    }
}

/// What a fit runs on, counted, and its units of objective values.
struct Counted<'a> {
    rows: &'a Counting<'a>,
    grams: Option<&'a Counting<'a>>,
    units: [f64; 2],
}

/// One fit with given units of objective values.
fn fit_in_units(
    data: &Data<'_>,
    plan: &Plan,
    settings: &Settings,
    start: Start,
    keeps_weights: bool,
    &Counted { rows, grams, units }: &Counted<'_>,
    watch: &dyn Watch,
) -> Result<(Fit, Option<[Panel; 2]>)> {
    let on_rows = Problem {
        pair: rows,
        normals: Problem::normals(rows, settings, units)?,
        units,
        joint: data.joint,
        means: data.means.as_ref(),
        along: data.along,
        samples: data.samples,
        space: &Host,
        settings,
        watch,
    };
    let on_grams = match grams {
        Some(grams) => {
            Some(Problem { pair: grams, normals: Problem::normals(grams, settings, units)?, ..on_rows })
        }
        None => None,
    };
    let raw = run(on_grams.as_ref().unwrap_or(&on_rows), plan, start, data.shared)?;
    let weights = keeps_weights.then(|| raw.weights.clone());
    // Whatever a method iterated on, its result is measured on the rows, or on their Gram matrices if those are as exact.
    let measured_on = if data.grams_are_exact()? { on_grams.as_ref() } else { None };
    Ok((finish::finish(measured_on.unwrap_or(&on_rows), raw, plan)?, weights))
}

/// Runs the planned method.
fn run(problem: &Problem<'_>, plan: &Plan, start: Start, shared: Option<&SharedBlock>) -> Result<RawFit> {
    if let Some(side) = plan.eliminate {
        return lobpcg::lobpcg(problem, &mut OneView::new(problem, side)?, start);
    }
    match plan.method.algorithm() {
        Algorithm::Auto | Algorithm::Lobpcg | Algorithm::ShiftInvert => {
            let start = match (shared.and_then(|shared| shared.get()), start) {
                (Some(block), Start::Warm(weights)) => return refine::refine(problem, block, weights),
                (_, start) => start,
            };
            let is_informed = !matches!(start, Start::Random);
            let mut equations = BothViews::new(problem, is_informed)?;
            let raw = lobpcg::lobpcg(problem, &mut equations, start)?;
            if let (Some(shared), Some(block)) = (shared, equations.into_block()) {
                // If another fit was faster, its block is as good.
                let _ = shared.set(block);
            }
            Ok(raw)
        }
        Algorithm::Alternating => alternate::alternate(problem, plan.method, start),
        Algorithm::PrincipalComponents => rpcca::rpcca(problem, plan.method),
        Algorithm::Exact => exact::exact(problem),
        Algorithm::Sketch => sketch::sketch(problem, plan.method),
        Algorithm::Gram => match gram::gram(problem)? {
            Some(raw) => Ok(raw),
            None => Ok(RawFit { decisions: vec![Decision::QrInsteadOfGram], ..exact::exact(problem)? }),
        },
    }
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

/// The Gram matrices, if the plan wants them. That they fit was an estimate; if they do not, the rows will do.
fn form_gram(pair: &dyn Pair, plan: &mut Plan, memory: u64) -> Result<Option<JointGram>> {
    let Some(estimate) = plan.gram else { return Ok(None) };
    let formed = pair.capabilities().require_joint_grams()?.joint_gram(memory);
    if matches!(formed, Err(Error::Memory { .. })) && plan.method.algorithm() != Algorithm::ShiftInvert {
        plan.decisions.push(Decision::GramMatricesTooLarge);
        return Ok(None);
    }
    let joint = formed?;
    plan.decisions.push(Decision::GramMatricesFormed {
        entries: joint.entries(),
        expected: estimate.entries,
        touched: estimate.touched,
    });
    Ok(Some(joint))
}

pub(super) fn check(settings: &Settings, shape: Shape) -> Result<()> {
    let Shape { rows, x_cols, y_cols } = shape;
    let limit = rows.min(x_cols).min(y_cols);
    let k = settings.k;
    if k == 0 || k > limit {
        return Err(Error::ComponentsOutOfRange { k, limit, rows, x_cols, y_cols });
    }
    for (name, value) in [("ridge", settings.ridge_x), ("ridge-y", settings.ridge_y), ("tol", settings.tol)] {
        if !(0.0..=1e100).contains(&value) {
            let expected = "a number from 0 to 1e100";
            return Err(Error::Setting { name, value: value.to_string(), expected });
        }
    }
    check_metrics(settings)?;
    settings.method.check(k)
}

/// Refuses a ridge, and methods that know only correlations, if the metric is not that of CCA.
fn check_metrics(settings: &Settings) -> Result<()> {
    for (side, name) in [(Side::X, "ridge"), (Side::Y, "ridge-y")] {
        let (metric, ridge) = (settings.metric_of(side), settings.ridge_of(side));
        if !metric.is_cca() && ridge > 0.0 {
            let expected = "0 for a view whose metric is pls or diagonal";
            return Err(Error::Setting { name, value: ridge.to_string(), expected });
        }
    }
    let method = settings.method;
    let is_known = matches!(
        method.algorithm(),
        Algorithm::Auto | Algorithm::Lobpcg | Algorithm::Gram | Algorithm::Exact
    );
    if settings.is_cca() || is_known {
        return Ok(());
    }
    let metric = if settings.metric_x.is_cca() { settings.metric_y } else { settings.metric_x };
    Err(Error::MetricOfMethod { metric: metric.name(), method: method.to_string() })
}

/// Refuses what cannot be done with covariates.
fn check_covariates(pair: &dyn Pair, settings: &Settings, start: &Start) -> Result<()> {
    if pair.capabilities().covariates.is_none() {
        return Ok(());
    }
    let refused = |what, advice| Err(Error::WithCovariates { what, advice });
    match settings.method.algorithm() {
        Algorithm::ShiftInvert => refused("the method shift-invert", "use lobpcg"),
        Algorithm::Sketch => refused("the method sketch", "use auto, gram or lobpcg"),
        _ if matches!(start, Start::Resume(_)) => refused("resuming", "fit again from the start"),
        _ => Ok(()),
    }
}

/// Refuses views so wide that the system does not grant the memory of the model alone, instead of failing halfway.
fn check_memory(k: usize, shape: Shape) -> Result<()> {
    let columns = (shape.x_cols + shape.y_cols) as u64;
    // Weights and loadings, and the moments of every column.
    let needed = columns.saturating_mul(8 * (2 * k as u64 + 6));
    let is_granted = |bytes: u64| {
        usize::try_from(bytes).is_ok_and(|bytes| Vec::<u8>::new().try_reserve_exact(bytes).is_ok())
    };
    if is_granted(needed) {
        return Ok(());
    }
    let mut allowed = needed / 2;
    while !is_granted(allowed) {
        allowed /= 2;
    }
    let what = format!("a model of {columns} columns and {k} pairs");
    Err(Error::Memory {
        what,
        needed,
        allowed,
        advice: "leave out columns that do not occur, or fit fewer pairs",
    })
}

/// Sums of squares must be finite, with room for a sum over all rows.
fn check_size(pair: &dyn Pair) -> Result<()> {
    for side in Side::BOTH {
        let moments = pair.moments(side)?;
        if !(moments.trace() * moments.weight.max(1.0)).is_finite() {
            return Err(Error::Overflow { side });
        }
    }
    Ok(())
}
