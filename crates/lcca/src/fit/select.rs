//! Which ridge does best on rows that were not trained on: K-fold cross-validation.
//!
//! Rows are dealt to K folds at random. For each fold a path of ridges is fitted to the other rows, and every fit is scored
//! on the fold. A fold is a set of row weights, 0 for the rows left out, so nothing is copied. A pass over K − 1 folds costs
//! as much as one over all rows, and K paths as much as K fits that share what does not depend on the ridge.
//!
//! If folds have fewer than ten rows, down to leaving out one row at a time, a fold's own correlation says nothing. The
//! canonical variables of all held-out rows are then put together and correlated once.

use super::model::Model;
use super::path::fit_along;
use crate::data::{InMemory, Pair, Side};
use crate::error::{Error, Result};
use crate::method::Settings;
use crate::random;
use crate::watch::{Continued, Cost, Watch};

/// A fold of fewer rows says little by itself: one row has no correlation, two have ±1.
const FEWEST: usize = 10;

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

    /// The rows of a fold, with their weights.
    fn rows(&self, fold: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let times = move |row: usize| match &self.division {
            Division::Dealt(folds) => f64::from(u8::from(folds[row] == fold as u32)),
            Division::Given(given) => f64::from(given[fold][1][row]),
        };
        let rows = (0..self.pair.shape().rows).map(move |row| (row, times(row) * self.pair.weight(row)));
        rows.filter(|&(_, weight)| weight > 0.0)
    }

    /// Whether a fold has too few rows for correlations of its own.
    fn are_small(&self) -> bool {
        (0..self.count).any(|fold| self.rows(fold).count() < FEWEST)
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
    /// `scores[fold][ridge]`: the mean of the k correlations on the rows of the fold. If folds are pooled, the jackknife's
    /// pseudo-value: the score of all folds times their number, less that of the others times theirs.
    pub scores: Vec<Vec<f64>>,
    /// The mean over folds for each ridge, or the score of all folds together if they are pooled.
    pub mean: Vec<f64>,
    /// Its standard error; the jackknife's if folds are pooled.
    pub error: Vec<f64>,
    /// The ridge of the largest mean.
    pub best: usize,
    /// The largest ridge whose mean is within one standard error of the best.
    pub simplest: usize,
    /// Whether folds had fewer than 10 rows, so that the canonical variables of all held-out rows were put together and
    /// correlated once.
    pub pooled: bool,
    /// Whether every fit behind this converged.
    pub converged: bool,
}

impl Selection {
    /// From a score of each fold and ridge.
    fn by_fold(ridges: &[f64], scores: Vec<Vec<f64>>, converged: bool) -> Self {
        let folds = scores.len() as f64;
        let column = |ridge: usize| scores.iter().map(move |fold| fold[ridge]);
        let mean: Vec<f64> = (0..ridges.len()).map(|i| column(i).sum::<f64>() / folds).collect();
        let spread = |i: usize| column(i).map(|score| (score - mean[i]).powi(2)).sum::<f64>();
        let error: Vec<f64> = (0..ridges.len()).map(|i| (spread(i) / (folds - 1.0) / folds).sqrt()).collect();
        Selection::new(ridges, scores, mean, error, false, converged)
    }

    /// From the sums of each fold and ridge, put together. The error is that of leaving out one fold after the other.
    fn pooled(ridges: &[f64], sums: &[Vec<Sums>], k: usize, converged: bool) -> Self {
        let folds = sums.len() as f64;
        let (mut mean, mut error) = (Vec::new(), Vec::new());
        let mut scores = vec![Vec::new(); sums.len()];
        for ridge in 0..ridges.len() {
            let all = sums.iter().fold(Sums::none(k), |all, fold| all.plus(&fold[ridge], 1.0));
            let without: Vec<f64> =
                sums.iter().map(|fold| all.clone().plus(&fold[ridge], -1.0).score()).collect();
            let center = without.iter().sum::<f64>() / folds;
            let spread: f64 = without.iter().map(|score| (score - center).powi(2)).sum();
            for (scores, without) in scores.iter_mut().zip(&without) {
                scores.push(folds * all.score() - (folds - 1.0) * without);
            }
            mean.push(all.score());
            error.push(((folds - 1.0) / folds * spread).sqrt());
        }
        Selection::new(ridges, scores, mean, error, true, converged)
    }

    fn new(
        ridges: &[f64],
        scores: Vec<Vec<f64>>,
        mean: Vec<f64>,
        error: Vec<f64>,
        pooled: bool,
        converged: bool,
    ) -> Self {
        let best = (0..ridges.len()).max_by(|&a, &b| mean[a].total_cmp(&mean[b])).unwrap_or(0);
        let near = (0..ridges.len()).filter(|&i| mean[i] >= mean[best] - error[best]);
        let simplest = near.max_by(|&a, &b| ridges[a].total_cmp(&ridges[b])).unwrap_or(best);
        Selection { ridges: ridges.to_vec(), scores, mean, error, best, simplest, pooled, converged }
    }
}

/// Sums of x², y² and x·y over held-out rows, for each pair of canonical variables x and y.
#[derive(Clone)]
struct Sums(Vec<[f64; 3]>);

impl Sums {
    fn none(k: usize) -> Self {
        Sums(vec![[0.0; 3]; k])
    }

    /// The sums of a fold's rows. Its rows are too few for means of their own: deviations are from those of training.
    fn new(model: &Model, folds: &Folds<'_>, fold: usize, k: usize) -> Result<Self> {
        let mut sums = Sums::none(k);
        for (row, weight) in folds.rows(fold) {
            let [x, y] =
                Side::BOTH.map(|side| model.transform_all(side, &folds.pair.view(side).slice(row..row + 1)));
            let (x, y) = (x?, y?);
            for (sums, (x, y)) in sums.0.iter_mut().zip(x.row(0).iter().zip(y.row(0))) {
                [x * x, y * y, x * y].into_iter().zip(sums).for_each(|(term, sum)| *sum += weight * term);
            }
        }
        Ok(sums)
    }

    fn from_numbers(numbers: &[f64]) -> Self {
        Sums(numbers.chunks_exact(3).map(|sums| [sums[0], sums[1], sums[2]]).collect())
    }

    fn plus(mut self, other: &Sums, factor: f64) -> Self {
        let both = self.0.iter_mut().flatten().zip(other.0.iter().flatten());
        both.for_each(|(sum, term)| *sum += factor * term);
        self
    }

    /// The mean correlation of the pairs.
    fn score(&self) -> f64 {
        let correlation = |&[xx, yy, xy]: &[f64; 3]| {
            let length = (xx * yy).sqrt();
            if length > 0.0 { xy / length } else { 0.0 }
        };
        self.0.iter().map(correlation).sum::<f64>() / self.0.len() as f64
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
    /// One score per ridge. If folds are so small that they are pooled, the sums of x², y² and x·y over the rows of the
    /// fold, for each ridge and each pair of canonical variables x and y.
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
    let (k, pools) = (all[0].k, folds.are_small());
    let expected = if pools { 3 * k * ridges.len() } else { ridges.len() };
    if let Some(other) = finished.iter().find(|fold| fold.scores.len() != expected) {
        return Err(Error::Length { what: "scores of a finished fold", expected, found: other.scores.len() });
    }
    let (mut finished, mut before) = (finished, Cost::default());
    for fold in finished.len()..folds.count {
        let fits = fit_along(&folds.training(fold)?, all, &Continued { watch, before })?;
        let mut result = FoldScores { scores: Vec::new(), converged: fits.iter().all(|fit| fit.converged) };
        if pools {
            for fit in &fits {
                result.scores.extend(Sums::new(&fit.model, folds, fold, k)?.0.iter().flatten());
            }
        } else {
            let held_out = folds.held_out(fold)?;
            for fit in &fits {
                result.scores.push(fit.model.score(&held_out)?.total / k as f64);
            }
        }
        before = fits.iter().fold(before, |before, fit| before + fit.cost);
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
