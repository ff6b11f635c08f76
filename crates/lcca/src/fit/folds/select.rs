//! Finds the ridge that does best on rows that were not trained on, by K-fold cross-validation.
//!
//! Rows are dealt to K folds at random. For each fold a path of ridges is fitted to the other rows, and
//! every fit is scored on the fold. Folds share all work that depends on the rows alone: if fits iterate
//! over Gram matrices, those of all folds are formed in one pass (`fold_data`), and paths keep more from
//! ridge to ridge than others do (`fold_path`). Folds do not share weights. On English-French sentences (k
//! = 20, ridge 0.01, tolerance 1e-4), starting from the fold before put held-out correlations 0.0009 above
//! those of fits that had converged, two standard errors: an unfair advantage. Fits of folds stop at ten
//! times the tolerance, because they serve only to choose between ridges, and the scores of folds differ by
//! more from each other.

use super::division::Folds;
use super::fold_data::FoldData;
use super::fold_path::{FoldFit, fit_fold};
use super::path::fit_along;
use super::selection::{Selection, Sums};
use crate::data::{InMemory, Tally};
use crate::error::{Error, Result};
use crate::fit::models::fitted::Fit;
use crate::fit::models::score::Scores;
use crate::method::Settings;
use crate::watch::{Continued, Cost, Watch};

/// Fits of folds stop at this many times the tolerance.
const COARSER: f64 = 10.0;

/// Fits every ridge on every choice of all folds but one, and scores it on that one.
pub fn cross_validate(
    pair: &InMemory,
    settings: &Settings,
    ridges: &[f64],
    folds: usize,
    watch: &dyn Watch,
) -> Result<Selection> {
    let all: Vec<Settings> = ridges.iter().map(|&ridge| settings.clone().ridge(ridge)).collect();
    cross_validate_on(&Folds::new(pair, folds, settings.seed)?, &all, Vec::new(), &|_| (), watch)
}

/// The scores of all ridges on the rows of one fold.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldScores {
    /// One score per ridge. If folds are so small that they are pooled, the sums of x², y² and x·y over the
    /// rows of the fold, for each ridge and each pair of canonical variables x and y.
    pub scores: Vec<f64>,
    /// Whether every fit converged.
    pub converged: bool,
}

/// Cross-validates as [`cross_validate`] does, on given folds, for settings that differ in their ridges
/// alone. The ridges of X are compared.
///
/// `finished` are the scores of the first folds, if an earlier run got that far; `done` is called after each
/// fold.
pub fn cross_validate_on(
    folds: &Folds<'_>,
    all: &[Settings],
    finished: Vec<FoldScores>,
    done: &dyn Fn(&FoldScores),
    watch: &dyn Watch,
) -> Result<Selection> {
    let ridges: Vec<f64> = all.iter().map(|settings| settings.ridge_x).collect();
    if ridges.is_empty() {
        return Err(Error::Setting { name: "ridges", value: "empty".into(), expected: "at least one" });
    }
    let (k, pools) = (all[0].k, folds.are_small());
    let expected = if pools { 3 * k * ridges.len() } else { ridges.len() };
    if let Some(other) = finished.iter().find(|fold| fold.scores.len() != expected) {
        return Err(Error::Length { what: "scores of a finished fold", expected, found: other.scores.len() });
    }
    let all: Vec<Settings> =
        all.iter().map(|settings| settings.clone().tol(COARSER * settings.tol)).collect();
    let near = if all[0].center { Some(folds.near_origin()?) } else { None };
    let data = FoldData::new(near.as_ref().unwrap_or(folds), &all, watch)?;
    let (mut finished, mut before) = (finished, data.spent);
    for fold in finished.len()..folds.count() {
        // Every path starts from random weights. Weights of another fold were trained on this one's rows,
        // and the part of them that remains at the tolerance would be counted as success on rows that were
        // never seen.
        let (result, spent) = if pools {
            pooled_sums(&data, folds, fold, &Continued { watch, before })?
        } else {
            scores(&data, fold, &Continued { watch, before })?
        };
        before = before + spent;
        done(&result);
        finished.push(result);
    }
    let converged = finished.iter().all(|fold| fold.converged);
    if pools {
        let of_fold = |fold: &FoldScores| fold.scores.chunks_exact(3 * k).map(Sums::from_numbers).collect();
        let sums: Vec<Vec<Sums>> = finished.iter().map(of_fold).collect();
        return Ok(Selection::pooled(&ridges, &sums, k, converged));
    }
    Ok(Selection::by_fold(&ridges, finished.into_iter().map(|fold| fold.scores).collect(), converged))
}

/// Fits every ridge to the rows outside a fold and scores it on the rows of the fold. Returns the cost as
/// well.
fn scores(data: &FoldData<'_>, fold: usize, watch: &dyn Watch) -> Result<(FoldScores, Cost)> {
    let (settings, training) = (&data.settings, data.training(fold)?);
    let (held_out, k) = (data.held_out(fold)?, settings[0].k as f64);
    if data.iterates_on_grams {
        let (fits, spent) = fit_fold(&*training, settings, watch)?;
        let tally = Tally::starting_at(spent);
        let held_out = data.counting(&*held_out, &tally, watch);
        let score = |fit: &FoldFit| -> Result<f64> {
            Ok(Scores::of_weights(&fit.weights, settings[0].center, &held_out)?.total / k)
        };
        let scores = fits.iter().map(score).collect::<Result<_>>()?;
        let converged = fits.iter().all(|fit| fit.converged);
        return Ok((FoldScores { scores, converged }, tally.cost()));
    }
    let fits = fit_along(&*training, settings, watch)?;
    let tally = Tally::starting_at(total_cost(&fits));
    let held_out = data.counting(&*held_out, &tally, watch);
    let score = |fit: &Fit| -> Result<f64> { Ok(fit.model.score(&held_out)?.total / k) };
    let scores = fits.iter().map(score).collect::<Result<_>>()?;
    Ok((FoldScores { scores, converged: fits.iter().all(|fit| fit.converged) }, tally.cost()))
}

/// Fits every ridge to the rows outside a fold, and sums up the squares and products of canonical variables
/// on the rows of the fold, for folds that are pooled because they are small.
fn pooled_sums(
    data: &FoldData<'_>,
    folds: &Folds<'_>,
    fold: usize,
    watch: &dyn Watch,
) -> Result<(FoldScores, Cost)> {
    let fits = fit_along(&*data.training(fold)?, &data.settings, watch)?;
    let mut scores = Vec::new();
    for fit in &fits {
        scores.extend(Sums::new(&fit.model, folds, fold, data.settings[0].k)?.numbers());
    }
    Ok((FoldScores { scores, converged: fits.iter().all(|fit| fit.converged) }, total_cost(&fits)))
}

fn total_cost(fits: &[Fit]) -> Cost {
    fits.iter().fold(Cost::default(), |sum, fit| sum + fit.cost)
}
