//! The rows that a page shows next to a model: their correlations, and the canonical variables of some of
//! them.

use super::labels::RowLabels;
use crate::picture::{Cloud, CloudPanel};
use crate::text::grouped;
use lcca::fit::Scores;

pub struct GivenRows {
    /// The names of the files of X and Y.
    pub files: [String; 2],
    /// The number of all given rows.
    pub rows: usize,
    pub scores: Scores,
    /// Whether these are the rows that the model was fitted to.
    pub are_training: bool,
    /// The rows in scatter plots, ascending.
    pub sample: Vec<usize>,
    /// The numbers of these rows in the file of X, from 0.
    pub numbers: Vec<usize>,
    /// The canonical variables of the sampled rows, k per row, of X and of Y.
    pub variables: [Vec<f64>; 2],
    /// The names of the sampled rows, if they have any.
    pub names: Option<Vec<String>>,
    /// The labels of the sampled rows, if they have any.
    pub labels: Option<RowLabels>,
}

impl GivenRows {
    /// The number of rows in words: "all 40 given rows", "2,000 of 10,000 given rows" or "the one given
    /// row".
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

    /// The title of each sampled row: its name or number, from 1, and its label.
    pub fn titles(&self) -> Vec<String> {
        let name = |i: usize| match &self.names {
            Some(names) => names[i].clone(),
            None => format!("row {}", grouped(self.numbers[i] as u64 + 1)),
        };
        let label = |i: usize| self.labels.as_ref().map(|labels| format!(", {}", labels.of_row(i)));
        (0..self.sample.len()).map(|i| name(i) + &label(i).unwrap_or_default()).collect()
    }

    /// The points of the sampled rows in a picture, with the looks of their labels and with their names.
    pub fn cloud(&self, description: String, panels: Vec<CloudPanel>) -> Cloud {
        let (labels, groups) = self.labels.as_ref().map(RowLabels::groups).unwrap_or_default();
        let names = self.names.clone().unwrap_or_default();
        Cloud { description, panels, labels, groups, titles: self.titles(), names }
    }

    /// The end of a caption: ", colored by labels.txt" if there are labels.
    pub fn colored(&self) -> String {
        self.labels.as_ref().map(|labels| format!(", colored by {}", labels.source)).unwrap_or_default()
    }

    /// A canonical variable of the sampled rows of a view.
    pub fn variable(&self, view: usize, component: usize) -> impl Iterator<Item = f64> + '_ {
        let pairs = self.scores.correlations.len().max(1);
        self.variables[view].iter().skip(component).step_by(pairs).copied()
    }
}
