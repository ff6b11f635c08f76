//! The scores of ridges on rows that were not trained on.
//!
//! If folds have fewer than ten rows, down to leaving out one row at a time, a fold's own correlation says
//! nothing. The canonical variables of all held-out rows are then put together and correlated once.

use super::division::Folds;
use crate::data::Side;
use crate::error::Result;
use crate::fit::models::model::Model;

/// The scores of ridges on rows that were not trained on.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The ridges, in the order given.
    pub ridges: Vec<f64>,
    /// `scores[fold][ridge]`: the mean of the k correlations on the rows of the fold. If folds are pooled,
    /// the jackknife's pseudo-value: the score of all folds times their number, less that of the others times
    /// theirs.
    pub scores: Vec<Vec<f64>>,
    /// The mean over folds for each ridge, or the score of all folds together if they are pooled.
    pub mean: Vec<f64>,
    /// The standard error of each mean; the jackknife's if folds are pooled.
    pub error: Vec<f64>,
    /// The ridge of the largest mean.
    pub best: usize,
    /// The largest ridge whose mean is within one standard error of the best.
    pub simplest: usize,
    /// Whether folds had fewer than 10 rows, so that the canonical variables of all held-out rows were put
    /// together and correlated once.
    pub pooled: bool,
    /// Whether every fit behind these scores converged. Folds may say so in single precision.
    pub converged: bool,
}

impl Selection {
    /// Summarizes a score for each fold and ridge.
    pub(in crate::fit) fn by_fold(ridges: &[f64], scores: Vec<Vec<f64>>, converged: bool) -> Self {
        let folds = scores.len() as f64;
        let column = |ridge: usize| scores.iter().map(move |fold| fold[ridge]);
        let mean: Vec<f64> = (0..ridges.len()).map(|i| column(i).sum::<f64>() / folds).collect();
        let spread = |i: usize| column(i).map(|score| (score - mean[i]).powi(2)).sum::<f64>();
        let error: Vec<f64> = (0..ridges.len()).map(|i| (spread(i) / (folds - 1.0) / folds).sqrt()).collect();
        Selection::new(ridges, scores, mean, error, false, converged)
    }

    /// Pools the sums of all folds for each ridge. The error is that of leaving out one fold after the
    /// other.
    pub(in crate::fit) fn pooled(ridges: &[f64], sums: &[Vec<Sums>], k: usize, converged: bool) -> Self {
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
pub(in crate::fit) struct Sums(Vec<[f64; 3]>);

impl Sums {
    fn none(k: usize) -> Self {
        Sums(vec![[0.0; 3]; k])
    }

    /// The sums of a fold's rows. Deviations are from the means of training, because a pooled fold has too
    /// few rows for means of its own.
    pub fn new(model: &Model, folds: &Folds<'_>, fold: usize, k: usize) -> Result<Self> {
        let mut sums = Sums::none(k);
        for (row, weight) in folds.rows(fold) {
            let covariates = folds.pair().covariates().map(|covariates| covariates.slice(row..row + 1));
            let [x, y] = Side::BOTH.map(|side| {
                let rows = folds.pair().view(side).slice(row..row + 1);
                model.transform_all_with(side, &rows, covariates.as_ref())
            });
            let (x, y) = (x?, y?);
            for (sums, (x, y)) in sums.0.iter_mut().zip(x.row(0).iter().zip(y.row(0))) {
                [x * x, y * y, x * y].into_iter().zip(sums).for_each(|(term, sum)| *sum += weight * term);
            }
        }
        Ok(sums)
    }

    pub fn from_numbers(numbers: &[f64]) -> Self {
        Sums(numbers.chunks_exact(3).map(|sums| [sums[0], sums[1], sums[2]]).collect())
    }

    /// The sums of x², y² and x·y, one pair after another.
    pub fn numbers(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().flatten().copied()
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
