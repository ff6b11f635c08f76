//! Finds which pair of a resample is which pair of the model: orthogonal Procrustes on canonical variables.
//!
//! Pairs with close correlations change places and mix from resample to resample, and signs are arbitrary. So
//! the pairs of a resample are turned together by the orthogonal matrix Q that makes its canonical variables
//! correlate most with those of the model, the same Q for both views. Variables are compared instead of
//! weights, because weights of columns that depend on each other differ wildly for the same variable, and
//! instead of loadings, because those count every column alike.
//! With L the loadings of a resample, D the deviations of its columns and W the weights of the model's
//! variables at unit variance, WᵀDL are the correlations of the model's variables with those of the
//! resample, on the rows of the resample. No pass is needed, because all three are known.

use crate::data::{InMemory, Moments, Side};
use crate::error::{Error, Result};
use crate::fit::models::model::{Model, View};
use crate::fit::models::seen::seen;
use crate::matrix::Panel;
use crate::panels;
use faer::Mat;

/// The model's side of a comparison.
pub(in crate::fit) struct Matching {
    /// Weights of the model's variables at unit variance.
    unit_weights: [Panel; 2],
    center: bool,
}

/// A resample, turned towards the model.
pub(in crate::fit) struct Matched {
    /// The weights, then the loadings, of each view.
    pub views: [[Panel; 2]; 2],
    /// For each of the model's pairs, the squared correlation of its variables with those matched to them:
    /// the mean of both views.
    pub together: Vec<f64>,
    /// For each of the model's pairs, the mean squared correlation with the pair in `partner`, without
    /// turning.
    pub alone: Vec<f64>,
    /// For each of the model's pairs, the resample's pair that is most like it.
    pub partner: Vec<Option<usize>>,
}

impl Matching {
    /// Prepares the model for comparisons; `pair` are the rows that it was trained on.
    pub fn new(model: &Model, pair: &InMemory) -> Result<Self> {
        let center = model.settings.center;
        let mut unit_weights = Vec::new();
        for (side, deviations) in Side::BOTH.into_iter().zip(deviations(pair, center)?) {
            let View { weights, loadings, .. } = model.view(side);
            // wᵀCw = Σ wⱼ·(Cw)ⱼ, and (Cw)ⱼ is the loading times both deviations.
            let mut deviation = vec![0.0; weights.cols()];
            for (j, column) in deviations.iter().enumerate() {
                for (a, sum) in deviation.iter_mut().enumerate() {
                    *sum += weights.row(j)[a] * loadings.row(j)[a] * column;
                }
            }
            let unit = |j: usize, a: usize| {
                if deviation[a] > 0.0 { weights.row(j)[a] / deviation[a] } else { 0.0 }
            };
            unit_weights.push(Panel::from_fn(weights.rows(), weights.cols(), unit));
        }
        let [x, y]: [Panel; 2] = unit_weights.try_into().expect("two views");
        Ok(Matching { unit_weights: [x, y], center })
    }

    /// Turns the pairs of a model of a resample towards those of the model.
    pub fn matched(&self, replicate: &Model, resample: &InMemory) -> Result<Matched> {
        let mut correlations = Vec::new();
        for (side, deviations) in Side::BOTH.into_iter().zip(deviations(resample, self.center)?) {
            let loadings = &replicate.view(side).loadings;
            let covariances =
                Panel::from_fn(loadings.rows(), loadings.cols(), |j, i| deviations[j] * loadings.row(j)[i]);
            correlations.push(panels::cross(&self.unit_weights[side as usize], &covariances));
        }
        let turn = turn(&correlations[0], &correlations[1])?;
        let turned: Vec<Mat<f64>> = correlations.iter().map(|m| m * &turn).collect();
        let views = Side::BOTH.map(|side| {
            let View { weights, loadings, .. } = replicate.view(side);
            [weights, loadings].map(|panel| panels::times(panel, turn.as_ref()))
        });
        let likeness = |a: usize, i: usize| {
            correlations.iter().map(|m| (m[(a, i)] * m[(a, i)]).min(1.0)).sum::<f64>()
                / correlations.len() as f64
        };
        let likeness = Mat::from_fn(correlations[0].nrows(), correlations[0].ncols(), likeness);
        let partner = assign(&likeness);
        let alone = partner.iter().enumerate().map(|(a, i)| i.map_or(0.0, |i| likeness[(a, i)])).collect();
        Ok(Matched { views, together: squares(&turned), alone, partner })
    }
}

/// The orthogonal Q that makes tr((Mx + My)·Q) largest. If a resample has fewer pairs, Q has fewer rows than
/// columns.
fn turn(x: &Mat<f64>, y: &Mat<f64>) -> Result<Mat<f64>> {
    let svd =
        (x + y).thin_svd().map_err(|_| Error::Factorization("correlations with a resample's variables"))?;
    Ok(svd.V() * svd.U().transpose())
}

/// The mean over views of the squared diagonal.
fn squares(correlations: &[Mat<f64>]) -> Vec<f64> {
    let square = |m: &Mat<f64>, a: usize| if a < m.ncols() { (m[(a, a)] * m[(a, a)]).min(1.0) } else { 0.0 };
    let of_pair =
        |a: usize| correlations.iter().map(|m| square(m, a)).sum::<f64>() / correlations.len() as f64;
    (0..correlations[0].nrows()).map(of_pair).collect()
}

/// The standard deviation of each column of both views, less the effects of covariates if there are any. If
/// columns are not centered, it is the root mean square.
fn deviations(pair: &InMemory, center: bool) -> Result<[Vec<f64>; 2]> {
    seen(pair, center, |seen| {
        let of_view = |side: Side| -> Result<Vec<f64>> {
            let Moments { weight, square, .. } = seen.moments(side)?;
            Ok(square.iter().map(|square| (square.max(0.0) / weight).sqrt()).collect())
        };
        Ok([of_view(Side::X)?, of_view(Side::Y)?])
    })
}

/// Gives each of the model's pairs one of the resample's, the best match of all first. If the resample has
/// fewer pairs, the rest stay without one.
fn assign(likeness: &Mat<f64>) -> Vec<Option<usize>> {
    let (pairs, found) = (likeness.nrows(), likeness.ncols());
    let mut all: Vec<(usize, usize)> = (0..pairs).flat_map(|a| (0..found).map(move |i| (a, i))).collect();
    all.sort_by(|&a, &b| likeness[b].total_cmp(&likeness[a]));
    let (mut partner, mut is_taken) = (vec![None; pairs], vec![false; found]);
    for (a, i) in all {
        if partner[a].is_none() && !is_taken[i] {
            (partner[a], is_taken[i]) = (Some(i), true);
        }
    }
    partner
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_match_comes_first_and_nobody_is_matched_twice() {
        let likeness = faer::mat![[0.9, 0.8], [0.95, 0.1], [0.2, 0.3]];
        assert_eq!(assign(&likeness), [Some(1), Some(0), None]);
    }

    #[test]
    fn a_turned_and_mirrored_space_is_turned_back() {
        let (c, s) = (0.8, 0.6);
        let correlations = faer::mat![[c, -s], [-s, -c]];
        let turn = turn(&correlations, &correlations).unwrap();
        let back = &correlations * &turn;
        assert!((back[(0, 0)] - 1.0).abs() < 1e-12 && (back[(1, 1)] - 1.0).abs() < 1e-12);
    }
}
