//! The uncertainty of a fit, by the bootstrap.
//!
//! Rows, or groups of rows, are drawn with replacement, and the fit is repeated on each such resample. A
//! resample is a set of row weights, so nothing is copied. Fits that iterate start from the block of
//! weights that a fit to all rows ends with; they take two steps with its preconditioner (`refine`), or run
//! to a tolerance if one is asked for. The pairs of each resample are matched with those of the model
//! (`matching`), and then
//!
//! - correlations have intervals that are corrected for the upward bias of fitting (`interval`), pair by
//!   pair in their order. With a ridge pairs are not in the order of their correlations, so each is
//!   compared with the pair of the resample that is most like it;
//! - weights and loadings have standard errors, and intervals of 1.96 of them;
//! - a pair's stability is the mean squared correlation of its variables with those matched to them: 1 if
//!   every resample finds the same variables, 0 if none does. `alone` is this mean before pairs are turned
//!   into each other, each matched with the one most like it: if it is much less, the pair is stable only
//!   together with others of nearly the same correlation.
//!
//! Fits of narrow views run side by side, one per thread; those of wide views one after another, with all
//! threads.

use super::interval::{Interval, correlation_interval};
use super::matching::{Matched, Matching};
use super::resample::Urn;
use crate::data::{Cost, InMemory, Pair};
use crate::error::{Error, Result};
use crate::fit::driver::fit_all_sharing;
use crate::fit::folds::groups::Groups;
use crate::fit::models::model::Model;
use crate::fit::one_fit::SharedInverse;
use crate::fit::pairs::problem::Start;
use crate::fit::plan::estimated_operations;
use crate::matrix::{LANES, Panel};
use crate::method::Settings;
use crate::side::Side;
use crate::watch::Watch;
use rayon::prelude::*;
use std::ops::ControlFlow;

/// Fits that take fewer operations than this run side by side.
const SMALL: f64 = 2e9;
/// The number of resamples per thread in a batch of fits that run side by side.
const IN_HAND: usize = 4;
/// The number of pairs beyond those asked for that a few steps carry along, because they may change places
/// with the last ones.
const BEYOND: usize = 4;
/// Iterations on a resample stop at this many times the model's tolerance.
const LOOSER: f64 = 10.0;

/// How to resample.
#[derive(Clone, Copy, Debug)]
pub struct Resampling<'a> {
    /// The number of resamples.
    pub count: usize,
    /// Rows that are drawn together. Without groups each row is drawn by itself.
    pub groups: Option<&'a Groups>,
    /// The seed of the draws.
    pub seed: u64,
    /// The tolerance of fits that iterate. Without one they take a few steps from the model, or run to ten
    /// times its tolerance if there is no preconditioner to share.
    pub tol: Option<f64>,
}

/// The uncertainty of a model.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    /// One 95% interval per pair.
    pub correlations: Vec<Interval>,
    /// For each resample, the correlation of the pair that each pair of the model is compared with.
    pub resampled: Vec<Vec<f64>>,
    /// For each pair, the mean squared correlation of its variables with those matched to them.
    pub stability: Vec<f64>,
    /// For each pair, its stability before pairs are turned into each other: each is matched with the one
    /// pair of the resample most like it.
    pub alone: Vec<f64>,
    /// Standard errors of the weights and loadings of both views.
    pub errors: [ViewErrors; 2],
    /// The number of rows or groups that were drawn from.
    pub drawn_from: usize,
    /// The largest share of the objective's total that a resample's fit was estimated to miss.
    pub missing: f64,
}

/// Standard errors of one view.
#[derive(Clone, Debug)]
pub struct ViewErrors {
    /// The standard error of each weight.
    pub weights: Panel,
    /// The standard error of each loading.
    pub loadings: Panel,
}

/// Repeats the fit of `model` on resamples of the rows that it was trained on, and calls `done` with the
/// number of resamples that are done.
///
/// ```
/// use lcca::data::InMemory;
/// use lcca::fit::{Resampling, bootstrap, fit};
/// use lcca::matrix::OneHotRows;
/// use lcca::method::{Method, Settings};
///
/// let x = OneHotRows::new(3, (0..90).map(|i| i % 3).collect::<Vec<u32>>().into())?;
/// let y = OneHotRows::new(2, (0..90).map(|i| u32::from(i % 3 == 0 || i % 7 ==
/// 0)).collect::<Vec<u32>>().into())?; let pair = InMemory::new(x.into(), y.into())?; let model = fit(&pair,
/// &Settings::new(Method::auto(), 1), &())?.model; let resampling = Resampling { count: 50, groups: None,
/// seed: 0, tol: None }; let result = bootstrap(&model, &pair, &resampling, &|_| (), &())?;
/// assert!(result.correlations[0].low < model.correlations[0] && result.stability[0] > 0.9);
/// # Ok::<(), lcca::Error>(())
/// ```
pub fn bootstrap(
    model: &Model,
    pair: &InMemory,
    resampling: &Resampling<'_>,
    done: &dyn Fn(usize),
    watch: &dyn Watch,
) -> Result<Bootstrap> {
    check(model, pair, resampling)?;
    let urn = Urn::new(pair, resampling.groups, resampling.seed)?;
    let settings = Settings {
        k: model.pairs(),
        tol: resampling.tol.unwrap_or(LOOSER * model.settings.tol),
        ..model.settings.clone()
    };
    let watch = OnlyStops { watch };
    let is_small = estimated_operations(pair, &settings)? <= SMALL;
    let (shared, block) = (SharedInverse::new(), None);
    let matching = Matching::new(model, pair)?;
    let takes_steps = resampling.tol.is_none() && settings.is_cca();
    let mut resamples =
        Resamples { urn: &urn, settings, shared, block, takes_steps, matching, watch: &watch };
    if !is_small {
        resamples.begin(pair, model)?;
    }
    let mut sums = Sums::new(model);
    let at_once = if is_small { IN_HAND * rayon::current_num_threads() } else { 1 };
    for start in (0..resampling.count).step_by(at_once) {
        let end = resampling.count.min(start + at_once);
        let replicates: Vec<Result<Replicate>> =
            (start..end).into_par_iter().with_max_len(1).map(|index| resamples.replicate(index)).collect();
        // In order, so that sums do not depend on which fit ended first.
        for replicate in replicates {
            sums.add(replicate?);
        }
        done(end);
    }
    Ok(sums.finish(model, urn.count()))
}

fn check(model: &Model, pair: &InMemory, resampling: &Resampling<'_>) -> Result<()> {
    model.check_widths(pair)?;
    let rows = pair.shape().rows;
    if rows as u64 != model.rows {
        let what = "rows, those that the model was trained on";
        return Err(Error::Length { what, expected: model.rows as usize, found: rows });
    }
    if resampling.count < 2 {
        let value = resampling.count.to_string();
        return Err(Error::Setting { name: "resamples", value, expected: "at least 2" });
    }
    Ok(())
}

/// The state that all resamples share.
struct Resamples<'a> {
    urn: &'a Urn<'a>,
    settings: Settings,
    /// The preconditioner of the fit to all rows, for all others.
    shared: SharedInverse,
    /// The weights that fits start from.
    block: Option<[Panel; 2]>,
    /// Whether iterations end after a few steps instead of at a tolerance.
    takes_steps: bool,
    matching: Matching,
    watch: &'a OnlyStops<'a>,
}

/// One resample's fit.
struct Replicate {
    correlations: Vec<f64>,
    matched: Matched,
    /// The factors that make the weights of each view comparable with those of the model, because weights
    /// shrink with the number of rows if variables are of unit length.
    scale: [f64; 2],
    missing: f64,
}

impl Resamples<'_> {
    /// Fits all rows once more, for the weights and the preconditioner that fits to resamples begin with.
    fn begin(&mut self, pair: &InMemory, model: &Model) -> Result<()> {
        let (settings, shared) = (std::slice::from_ref(&model.settings), Some(&self.shared));
        self.block = fit_all_sharing(shared, pair, settings, Start::Random, true, self.watch)?.block;
        if self.takes_steps {
            // The pairs beyond those that were asked for come in order, and a few of them are enough for
            // these few steps.
            let columns = (model.pairs() + BEYOND).next_multiple_of(LANES);
            let first = |panel: &Panel| {
                Panel::from_fn(panel.rows(), columns.min(panel.cols()), |i, j| panel.row(i)[j])
            };
            self.block = self.block.take().map(|block| block.each_ref().map(first));
        }
        Ok(())
    }

    fn replicate(&self, index: usize) -> Result<Replicate> {
        let resample = self.urn.draw(index)?;
        let start = self.block.clone().map_or(Start::Random, Start::Warm);
        let settings = std::slice::from_ref(&self.settings);
        let shared = Some(&self.shared).filter(|_| self.takes_steps && self.block.is_some());
        let fits = fit_all_sharing(shared, &resample, settings, start, false, self.watch)?.fits;
        let Some(fit) = fits.into_iter().next() else { return Err(Error::NoRows) };
        let weight = |pair: &InMemory| -> Result<f64> { Ok(pair.moments(Side::X)?.weight) };
        let weights = [weight(&resample)?, weight(self.urn.pair())?];
        let scale = Side::BOTH.map(|side| {
            let units = weights.map(|weight| self.settings.unit_of_variables(side, weight));
            let is_cca = self.settings.metric_of(side).is_cca();
            if is_cca { (weights[0] / weights[1]).sqrt() * units[1] / units[0] } else { 1.0 }
        });
        let matched = self.matching.matched(&fit.model, &resample)?;
        Ok(Replicate { correlations: fit.model.correlations, matched, scale, missing: fit.missing })
    }
}

/// Sums over resamples.
struct Sums<'a> {
    model: &'a Model,
    /// Whether pairs are in the order of their correlations.
    is_ordered: bool,
    resampled: Vec<Vec<f64>>,
    together: Vec<f64>,
    alone: Vec<f64>,
    /// Sums of the differences from the model, and of their squares, for the weights and then the loadings
    /// of each view.
    views: [[[Panel; 2]; 2]; 2],
    missing: f64,
}

impl<'a> Sums<'a> {
    fn new(model: &'a Model) -> Self {
        let zeros = |panel: &Panel| [0, 1].map(|_| Panel::zeros(panel.rows(), panel.cols()));
        let views = [&model.x, &model.y].map(|view| [zeros(&view.weights), zeros(&view.loadings)]);
        let none = vec![0.0; model.pairs()];
        let Settings { ridge_x, ridge_y, .. } = model.settings;
        let is_ordered = ridge_x == 0.0 && ridge_y == 0.0 && model.settings.is_cca();
        Sums {
            model,
            is_ordered,
            resampled: Vec::new(),
            together: none.clone(),
            alone: none,
            views,
            missing: 0.0,
        }
    }

    fn add(&mut self, replicate: Replicate) {
        let Replicate { correlations, matched, scale, missing } = replicate;
        // A pair that a resample lacks counts with a correlation of 0.
        let of_pair = |pair: usize| {
            let partner = if self.is_ordered { Some(pair) } else { matched.partner[pair] };
            partner.and_then(|partner| correlations.get(partner)).copied().unwrap_or(0.0)
        };
        self.resampled.push((0..self.model.pairs()).map(of_pair).collect());
        let pairs = |sums: &mut [f64], values: &[f64]| sums.iter_mut().zip(values).for_each(|(s, v)| *s += v);
        pairs(&mut self.together, &matched.together);
        pairs(&mut self.alone, &matched.alone);
        for (((sums, found), view), scale) in
            self.views.iter_mut().zip(&matched.views).zip([&self.model.x, &self.model.y]).zip(scale)
        {
            add_differences(&mut sums[0], &found[0], &view.weights, scale);
            add_differences(&mut sums[1], &found[1], &view.loadings, 1.0);
        }
        if missing.is_finite() {
            self.missing = self.missing.max(missing);
        }
    }

    fn finish(self, model: &Model, drawn_from: usize) -> Bootstrap {
        let count = self.resampled.len() as f64;
        let of_pair = |pair: usize| {
            let resampled: Vec<f64> = self.resampled.iter().map(|resample| resample[pair]).collect();
            correlation_interval(model.correlations[pair], &resampled)
        };
        let correlations = (0..model.pairs()).map(of_pair).collect();
        let mean = |sums: Vec<f64>| sums.into_iter().map(|sum| sum / count).collect();
        let errors = self.views.map(|view| {
            let [weights, loadings] = view.map(|sums| standard_errors(&sums, count));
            ViewErrors { weights, loadings }
        });
        Bootstrap {
            correlations,
            stability: mean(self.together),
            alone: mean(self.alone),
            errors,
            drawn_from,
            missing: self.missing,
            resampled: self.resampled,
        }
    }
}

fn add_differences(sums: &mut [Panel; 2], found: &Panel, model: &Panel, scale: f64) {
    let [sum, square] = sums;
    for row in 0..model.rows() {
        let values = found.row(row).iter().zip(model.row(row));
        for ((sum, square), (found, model)) in
            sum.row_mut(row).iter_mut().zip(square.row_mut(row)).zip(values)
        {
            let difference = scale * found - model;
            *sum += difference;
            *square += difference * difference;
        }
    }
}

fn standard_errors([sum, square]: &[Panel; 2], count: f64) -> Panel {
    let error = |i: usize, j: usize| {
        let (sum, square) = (sum.row(i)[j], square.row(i)[j]);
        ((square - sum * sum / count).max(0.0) / (count - 1.0)).sqrt()
    };
    Panel::from_fn(sum.rows(), sum.cols(), error)
}

/// Tells a watcher of passes alone, so that it can stop a fit. Iterations are left out, because those of
/// hundreds of fits are of no interest.
struct OnlyStops<'a> {
    watch: &'a dyn Watch,
}

impl Watch for OnlyStops<'_> {
    fn pass(&self, _cost: Cost) -> ControlFlow<()> {
        self.watch.pass(Cost::default())
    }
}
