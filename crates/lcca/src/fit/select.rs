//! Which ridge does best on rows that were not trained on: K-fold cross-validation.
//!
//! Rows are dealt to K folds at random. For each fold a path of ridges is fitted to the other rows, and every fit is scored
//! on the fold. A fold is a set of row weights, 0 for the rows left out, so nothing is copied. A pass over K − 1 folds costs
//! as much as one over all rows, and K paths as much as K fits that share what does not depend on the ridge.

use super::path::path;
use crate::data::{InMemory, Pair, Side};
use crate::error::{Error, Result};
use crate::method::Settings;
use crate::random;
use crate::watch::{Continued, Cost, Watch};

/// Rows dealt to folds.
pub struct Folds<'a> {
    pair: &'a InMemory,
    fold: Vec<u32>,
    count: usize,
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
        Ok(Folds { pair, fold, count })
    }

    /// The rows outside a fold.
    pub fn training(&self, fold: usize) -> Result<InMemory> {
        self.rows(|fold_of_row| fold_of_row != fold as u32)
    }

    /// The rows of a fold.
    pub fn held_out(&self, fold: usize) -> Result<InMemory> {
        self.rows(|fold_of_row| fold_of_row == fold as u32)
    }

    /// All rows, with weight 0 for those that are not wanted.
    fn rows(&self, wanted: impl Fn(u32) -> bool) -> Result<InMemory> {
        let weight = |(row, &fold): (usize, &u32)| if wanted(fold) { self.pair.weight(row) } else { 0.0 };
        let weights: Vec<f64> = self.fold.iter().enumerate().map(weight).collect();
        let [x, y] = Side::BOTH.map(|side| self.pair.view(side).clone());
        InMemory::new(x, y)?.weighted(weights.into())
    }
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
    if ridges.is_empty() {
        return Err(Error::Setting { name: "ridges", value: "empty".into(), expected: "at least one" });
    }
    let folds = Folds::new(pair, folds, settings.seed)?;
    let (mut scores, mut converged, mut before) = (Vec::new(), true, Cost::default());
    for fold in 0..folds.count {
        let fits = path(&folds.training(fold)?, settings, ridges, &Continued { watch, before })?;
        let held_out = folds.held_out(fold)?;
        let mut fold_scores = Vec::with_capacity(fits.len());
        for fit in &fits {
            fold_scores.push(fit.model.score(&held_out)?.total / settings.k as f64);
            converged &= fit.converged;
            before = before + fit.cost;
        }
        scores.push(fold_scores);
    }
    Ok(Selection::new(ridges, scores, converged))
}
