//! Rows given beside a model: their correlations, and the canonical variables of some of them.

use super::labels::RowLabels;
use crate::text::grouped;
use lcca::fit::Scores;

pub struct GivenRows {
    /// Names of the files of X and Y.
    pub files: [String; 2],
    /// How many rows there are.
    pub rows: usize,
    pub scores: Scores,
    /// Whether these are the rows that the model was fitted to.
    pub are_training: bool,
    /// The rows in scatter plots, ascending.
    pub sample: Vec<usize>,
    /// The canonical variables of the sampled rows, k per row, of X and of Y.
    pub variables: [Vec<f64>; 2],
    /// The labels of the sampled rows, if they have any.
    pub labels: Option<RowLabels>,
}

impl GivenRows {
    /// "all 40 given rows", "2,000 of 10,000 given rows" or "the one given row".
    pub fn count(&self) -> String {
        let (all, some) = (grouped(self.rows as u64), grouped(self.sample.len() as u64));
        if self.sample.len() < self.rows {
            format!("{some} of {all} given rows")
        } else if self.rows == 1 {
            "the one given row".into()
        } else {
            format!("all {all} given rows")
        }
    }

    /// A canonical variable of the sampled rows of a view.
    pub fn variable(&self, view: usize, component: usize) -> impl Iterator<Item = f64> + '_ {
        let pairs = self.scores.correlations.len().max(1);
        self.variables[view].iter().skip(component).step_by(pairs).copied()
    }
}
