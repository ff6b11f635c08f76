//! Recommends a number of pairs: those that correlate beyond chance on rows that were not trained on.
//!
//! Some rows are held out, as many pairs as one might want are fitted to the others, and every pair is
//! tested on the held-out rows by random orders of them, with p-values stepped down so that the chance of
//! any false finding is at most 5%. The recommendation ends before the first pair that fails, because a
//! later one that passes may be a false finding, and keeping it would keep all that failed. It says how
//! many pairs these rows can prove. That number grows with the rows; it is no property of the data alone.

use super::exchange::Exchange;
use super::permute::{PermutationTest, Significance, test_scores};
use crate::data::{InMemory, Pair, Side};
use crate::error::{Error, Result};
use crate::fit::driver::fit_all;
use crate::fit::folds::groups::Groups;
use crate::fit::folds::hold_out::split;
use crate::fit::models::fitted::Fit;
use crate::fit::models::held_out::HeldOut;
use crate::fit::models::model::Model;
use crate::fit::pairs::problem::Start;
use crate::matrix::{DenseRows, DenseValues, Matrix, Panel};
use crate::method::Settings;
use crate::outcome::{Decision, Note};
use crate::space;
use crate::watch::Watch;

/// The number of pairs that are tried, if the data allow as many.
pub const TRIED: usize = 50;
/// The share of the rows that is held out.
const SHARE: f64 = 0.3;
/// The most held-out rows. More would find weaker pairs than any user looks at, and cost time.
const MOST_ROWS: f64 = 20_000.0;
/// The number of random orders of the rows that are drawn: a p-value is a multiple of a thousandth.
const PERMUTATIONS: usize = 999;
/// The chance of any false finding.
const LEVEL: f64 = 0.05;

/// A recommended number of pairs.
#[derive(Clone, Debug)]
pub struct Components {
    /// The recommended number; 1 if no pair passes.
    pub chosen: usize,
    /// The number of pairs that pass before the first that fails.
    pub significant: usize,
    /// The test of all pairs that were tried, on held-out rows.
    pub test: Significance,
    /// Training and held-out correlations of all pairs that were tried.
    pub held_out: HeldOut,
}

/// Recommends a number of pairs, at most `most`. Rows of a group are held out together, and whole groups of
/// the same size change places.
pub fn recommend_components(
    pair: &InMemory,
    settings: &Settings,
    most: usize,
    groups: Option<&Groups>,
    watch: &dyn Watch,
) -> Result<Components> {
    let shape = pair.shape();
    let settings =
        Settings { k: most.min(shape.rows).min(shape.x_cols).min(shape.y_cols), ..settings.clone() };
    let share = SHARE.min(MOST_ROWS / shape.rows as f64);
    let [training, held_out] = split(pair, share, groups, settings.seed)?;
    let mut fits =
        fit_all(&training.pair, std::slice::from_ref(&settings), Start::Random, false, watch)?.fits;
    let model = fits.swap_remove(0).model;
    let rows: Vec<usize> = (0..shape.rows).filter(|&row| held_out.pair.weight(row) > 0.0).collect();
    let scores = [chosen_scores(&model, Side::X, pair, &rows)?, chosen_scores(&model, Side::Y, pair, &rows)?];
    let groups = groups.map(|groups| Groups::new(rows.iter().map(|&row| groups.of(row))));
    let exchange = groups.as_ref().map_or(Exchange::Rows, Exchange::Whole);
    let covariates = match pair.covariates() {
        Some(covariates) => Some(chosen_rows(covariates, &rows)?),
        None => None,
    };
    let covariates = covariates.as_ref();
    let test = PermutationTest { exchange, covariates, ..PermutationTest::new(PERMUTATIONS, settings.seed) };
    let test = test_scores(scores, settings.center, &test, space::of(pair), watch)?;
    let significant = leading(&test);
    let held_out = HeldOut {
        rows: held_out.rows,
        training_rows: training.rows,
        training: model.correlations,
        held_out: test.correlations.clone(),
    };
    Ok(Components { chosen: significant.max(1), significant, test, held_out })
}

/// The number of pairs that pass before the first that fails.
fn leading(test: &Significance) -> usize {
    let passes = |(&p, &correlation): (&f64, &f64)| p <= LEVEL && correlation > 0.0;
    test.adjusted.iter().zip(&test.correlations).take_while(|&both| passes(both)).count()
}

impl Components {
    /// Adds the recommendation and its reason to a fit of as many pairs.
    pub fn add_to(&self, fit: &mut Fit) {
        let tried = self.test.correlations.len() as u64;
        fit.decisions.push(Decision::ComponentsChosen {
            chosen: self.chosen as u64,
            significant: self.significant as u64,
            tried,
            rows: self.held_out.rows,
            permutations: self.test.permutations as u64,
        });
        if self.significant == 0 {
            fit.notes.push(Note::NothingBeyondChance { tried, rows: self.held_out.rows });
        } else if self.chosen as u64 == tried && self.chosen == TRIED {
            fit.notes.push(Note::MorePairsMayExist { tried });
        }
        if fit.held_out.is_none() {
            let first = |values: &[f64]| values[..self.chosen.min(values.len())].to_vec();
            let held_out = HeldOut {
                training: first(&self.held_out.training),
                held_out: first(&self.held_out.held_out),
                ..self.held_out.clone()
            };
            fit.add_held_out(held_out);
        }
    }
}

/// Some of the rows, dense.
fn chosen_rows(all: &Matrix, rows: &[usize]) -> Result<Matrix> {
    let mut values = vec![0.0; rows.len() * all.cols()];
    for (place, &row) in rows.iter().enumerate() {
        all.for_each(row, |column, value| values[place * all.cols() + column] = value);
    }
    Ok(DenseRows::new(rows.len(), all.cols(), DenseValues::F64(values.into()))?.into())
}

/// The canonical variables of some rows, which ascend.
fn chosen_scores(model: &Model, side: Side, pair: &InMemory, rows: &[usize]) -> Result<Panel> {
    let k = model.pairs();
    if k == 0 {
        return Err(Error::NothingToCorrelate { side, centered: model.settings.center });
    }
    let mut scores = Panel::zeros(rows.len(), k);
    let (mut first, mut next) = (0, 0);
    model.transform_with(side, pair.view(side), pair.covariates(), |block| -> Result<()> {
        let end = first + block.len() / k;
        while let Some(&row) = rows.get(next).filter(|&&row| row < end) {
            let row = row - first;
            scores.row_mut(next).copy_from_slice(&block[row * k..(row + 1) * k]);
            next += 1;
        }
        first = end;
        Ok(())
    })?;
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_false_finding_far_down_keeps_nothing_that_failed_before_it() {
        let found = |adjusted: &[f64], correlations: &[f64]| {
            let (p, correlations) = (adjusted.to_vec(), correlations.to_vec());
            leading(&Significance { adjusted: p.clone(), p, correlations, permutations: 999 })
        };
        let mut adjusted = [1.0; 12];
        adjusted[0] = 0.001;
        adjusted[11] = 0.04;
        assert_eq!(found(&adjusted, &[0.5; 12]), 1);
        assert_eq!(found(&[0.001, 0.05, 0.051], &[0.5, 0.4, 0.3]), 2);
        // A pair whose correlation changes its sign on held-out rows is no finding.
        assert_eq!(found(&[0.001, 0.001], &[-0.5, 0.4]), 0);
    }
}
