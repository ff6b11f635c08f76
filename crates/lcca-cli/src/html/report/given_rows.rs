//! Rows given beside the model: their correlations, and the canonical variables of some of them for a scatter plot.

use crate::html::{element, pack};
use crate::text::grouped;
use lcca::fit::Scores;
use serde_json::{Value, json};

pub struct GivenRows {
    /// Names of the files of X and Y.
    pub files: [String; 2],
    /// How many rows there are.
    pub rows: usize,
    pub scores: Scores,
    /// The rows in the scatter plot, ascending.
    pub sample: Vec<usize>,
    /// The canonical variables of the sampled rows, k per row, of X and of Y.
    pub variables: [Vec<f64>; 2],
}

impl GivenRows {
    pub fn json(&self, components: usize) -> Value {
        let pairs = self.scores.correlations.len();
        // One component after the other, because the script shows one at a time.
        let packed = |variables: &[f64]| {
            let component = |j: usize| variables.iter().skip(j).step_by(pairs).copied();
            (0..components).map(|j| pack::numbers(component(j))).collect::<Vec<_>>()
        };
        json!({
            "rows": self.sample,
            "correlations": self.scores.correlations[..components],
            "x": packed(&self.variables[0]),
            "y": packed(&self.variables[1]),
        })
    }

    /// The empty figure that the script draws the scatter plot into.
    pub fn scatter_figure(&self) -> String {
        let (all, some) = (grouped(self.rows as u64), grouped(self.sample.len() as u64));
        let rows = if self.sample.len() < self.rows {
            format!("{some} of {all} given rows")
        } else {
            format!("all {all} given rows")
        };
        element::chart("scatter", &format!("The pair of canonical variables on {rows}, one dot per row."))
    }
}
