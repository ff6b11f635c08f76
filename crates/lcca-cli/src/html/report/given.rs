//! Rows given beside the model: their correlations, and the canonical variables of some of them for a scatter.

use crate::html::{element, pack};
use crate::report::grouped;
use lcca::fit::Scores;
use serde_json::{Value, json};

/// What the model makes of given rows.
pub struct Given {
    /// Where they came from.
    pub files: [String; 2],
    /// How many there are.
    pub rows: usize,
    pub scores: Scores,
    /// Some of them, ascending,
    pub sample: Vec<usize>,
    /// and their canonical variables, k a row, of X and of Y.
    pub variables: [Vec<f64>; 2],
}

impl Given {
    pub fn json(&self, shown: usize) -> Value {
        let pairs = self.scores.correlations.len();
        // One component after the other: the script takes one at a time.
        let packed = |side: usize| {
            let of = |j: usize| self.variables[side].iter().skip(j).step_by(pairs).copied();
            (0..shown).map(|j| pack::numbers(of(j))).collect::<Vec<_>>()
        };
        json!({
            "rows": self.sample,
            "correlations": self.scores.correlations[..shown],
            "x": packed(0),
            "y": packed(1),
        })
    }

    pub fn place_of_scatter(&self) -> String {
        let (all, some) = (grouped(self.rows as u64), grouped(self.sample.len() as u64));
        let which = if self.sample.len() < self.rows {
            format!("{some} of {all} given rows")
        } else {
            format!("all {all} given rows")
        };
        element::chart("scatter", &format!("The pair of canonical variables on {which}, one dot a row."))
    }
}
