//! Which ridge does best on rows that were not trained on: K-fold cross-validation.
//!
//! Rows are dealt to K folds at random. For each fold a path of ridges is fitted to the other rows, and every fit is scored
//! on the fold. A fold is a set of row weights, 0 for the rows left out, so nothing is copied. A pass over K − 1 folds costs
//! as much as one over all rows, and K paths as much as K fits that share what does not depend on the ridge.

use super::path::fit_along;
use crate::data::{InMemory, Pair, Side};
use crate::error::{Error, Result};
use crate::method::Settings;
use crate::random;
use crate::watch::{Continued, Cost, Watch};

/// Ways to cut the rows into those that are trained on and those that are held out.
pub struct Folds<'a> {
    pair: &'a InMemory,
    division: Division,
    count: usize,
}

enum Division {
    /// The fold of each row.
    Dealt(Vec<u32>),
    /// For each fold, how often each row is trained on, and how often it is held out.
    Given(Vec<[Vec<u32>; 2]>),
}

impl<'a> Folds<'a> {
    /// Deals the rows at random into `count` folds whose sizes differ by at most one.
    pub fn new(pair: &'a InMemory, count: usize, seed: u64) -> Result<Self> {
        let rows = pair.shape().rows;
        if count < 2 || count > rows {
            let expected = "at least 2 and at most the number of rows";
            return Err(Error::Setting { name: "folds", value: count.to_string(), expected });
        }
        let mut fold: Vec<u32> = (0..rows).map(|row| (row % count) as u32).collect();
        random::shuffle(&mut fold, &mut random::generator(seed, random::Purpose::Folds, 0));
        Ok(Folds { pair, division: Division::Dealt(fold), count })
    }

    /// Cuts that the caller made: for each fold the rows to train on and the rows to hold out, which may repeat.
    pub fn given(pair: &'a InMemory, splits: &[[Vec<usize>; 2]]) -> Result<Self> {
        let rows = pair.shape().rows;
        let mut given = Vec::with_capacity(splits.len());
        for split in splits {
            let [training, held_out] = split.each_ref().map(|chosen| counts(chosen, rows));
            given.push([training?, held_out?]);
        }
        if given.is_empty() {
            let expected = "at least one";
            return Err(Error::Setting { name: "folds", value: "0".into(), expected });
        }
        Ok(Folds { pair, count: given.len(), division: Division::Given(given) })
    }

    /// The number of folds.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The rows outside a fold.
    pub fn training(&self, fold: usize) -> Result<InMemory> {
        match &self.division {
            Division::Dealt(folds) => self.weighted(|row| f64::from(u8::from(folds[row] != fold as u32))),
            Division::Given(given) => self.weighted(|row| f64::from(given[fold][0][row])),
        }
    }

    /// The rows of a fold.
    pub fn held_out(&self, fold: usize) -> Result<InMemory> {
        match &self.division {
            Division::Dealt(folds) => self.weighted(|row| f64::from(u8::from(folds[row] == fold as u32))),
            Division::Given(given) => self.weighted(|row| f64::from(given[fold][1][row])),
        }
    }

    /// All rows, with weight 0 for those that are not wanted.
    fn weighted(&self, wanted: impl Fn(usize) -> f64) -> Result<InMemory> {
        let rows = self.pair.shape().rows;
        let weights: Vec<f64> = (0..rows).map(|row| wanted(row) * self.pair.weight(row)).collect();
        let [x, y] = Side::BOTH.map(|side| self.pair.view(side).clone());
        InMemory::new(x, y)?.weighted(weights.into())
    }
}

/// How often each row was chosen.
fn counts(chosen: &[usize], rows: usize) -> Result<Vec<u32>> {
    let mut counts = vec![0; rows];
    for &row in chosen {
        let Some(count) = counts.get_mut(row) else {
            let expected = "rows below the number of rows";
            return Err(Error::Setting { name: "folds", value: format!("a fold with row {row}"), expected });
        };
        *count += 1;
    }
    if chosen.is_empty() {
        let expected = "rows to train on and rows to hold out";
        return Err(Error::Setting { name: "folds", value: "an empty fold".into(), expected });
    }
    Ok(counts)
}

/// The scores of ridges on rows that were not trained on.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The ridges, in the order given.
    pub ridges: Vec<f64>,
    /// `scores[fold][ridge]`: the mean of the k correlations on the rows of the fold.
    pub scores: Vec<Vec<f64>>,
    /// The mean over folds for each ridge.
    pub mean: Vec<f64>,
    /// Its standard error.
    pub error: Vec<f64>,
    /// The ridge of the largest mean.
    pub best: usize,
    /// The largest ridge whose mean is within one standard error of the best.
    pub simplest: usize,
    /// Whether every fit behind this converged.
    pub converged: bool,
}

impl Selection {
    fn new(ridges: &[f64], scores: Vec<Vec<f64>>, converged: bool) -> Self {
        let folds = scores.len() as f64;
        let column = |ridge: usize| scores.iter().map(move |fold| fold[ridge]);
        let mean: Vec<f64> = (0..ridges.len()).map(|i| column(i).sum::<f64>() / folds).collect();
        let spread = |i: usize| column(i).map(|score| (score - mean[i]).powi(2)).sum::<f64>();
        let error: Vec<f64> = (0..ridges.len()).map(|i| (spread(i) / (folds - 1.0) / folds).sqrt()).collect();
        let best = (0..ridges.len()).max_by(|&a, &b| mean[a].total_cmp(&mean[b])).unwrap_or(0);
        let near = (0..ridges.len()).filter(|&i| mean[i] >= mean[best] - error[best]);
        let simplest = near.max_by(|&a, &b| ridges[a].total_cmp(&ridges[b])).unwrap_or(best);
        Selection { ridges: ridges.to_vec(), scores, mean, error, best, simplest, converged }
    }
}

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
    /// One score per ridge.
    pub scores: Vec<f64>,
    /// Whether every fit converged.
    pub converged: bool,
}

/// As [`cross_validate`], on given folds, for settings that differ in their ridges alone. Those of X are compared.
///
/// `finished` are the scores of the first folds, if an earlier run got that far; `done` is called after each fold.
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
    let (mut finished, mut before) = (finished, Cost::default());
    for fold in finished.len()..folds.count {
        let fits = fit_along(&folds.training(fold)?, all, &Continued { watch, before })?;
        let held_out = folds.held_out(fold)?;
        let mut result = FoldScores { scores: Vec::with_capacity(fits.len()), converged: true };
        for (fit, settings) in fits.iter().zip(all) {
            result.scores.push(fit.model.score(&held_out)?.total / settings.k as f64);
            result.converged &= fit.converged;
            before = before + fit.cost;
        }
        done(&result);
        finished.push(result);
    }
    let converged = finished.iter().all(|fold| fold.converged);
    Ok(Selection::new(&ridges, finished.into_iter().map(|fold| fold.scores).collect(), converged))
}
