//! The correlations of a model on given rows.

use super::model::Model;
use crate::data::{Centered, Pair, Side};
use crate::error::{Error, Result};
use crate::metric;

/// Correlations on given rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Scores {
    /// The correlation of each pair of canonical variables on these rows.
    pub correlations: Vec<f64>,
    /// Their sum.
    pub total: f64,
    /// The sum of the canonical correlations between the two fitted subspaces on these rows. Often more than `total`, since
    /// the best rotation within them is chosen on these very rows. It is less if pairs correlate with each other here,
    /// which `total` counts twice.
    pub captured: f64,
}

impl Model {
    /// Correlations on the rows of `pair`, training rows or others. If the model is centered, correlations are taken
    /// about the means of these rows. One pass.
    pub fn score(&self, pair: &dyn Pair) -> Result<Scores> {
        self.check_widths(pair)?;
        if self.settings.center { self.correlate(&Centered::new(pair)?) } else { self.correlate(pair) }
    }

    /// Whether the model has a weight for every column.
    pub(super) fn check_widths(&self, pair: &dyn Pair) -> Result<()> {
        for (side, view) in Side::BOTH.into_iter().zip([&self.x, &self.y]) {
            let (expected, found) = (view.weights.rows(), pair.shape().cols(side));
            if expected != found {
                return Err(Error::Width { side, expected, found });
            }
        }
        Ok(())
    }

    fn correlate(&self, pair: &dyn Pair) -> Result<Scores> {
        let [x_gram, y_gram, cross] = metric::small_products(pair, &self.x.weights, &self.y.weights)?;
        let correlations = metric::pair_correlations(x_gram.as_ref(), y_gram.as_ref(), cross.as_ref());
        let captured = metric::subspace_correlations(x_gram.as_ref(), y_gram.as_ref(), cross.as_ref())?;
        // The sum of no numbers is −0, which nobody should see.
        let sum = |numbers: &[f64]| numbers.iter().sum::<f64>() + 0.0;
        Ok(Scores { total: sum(&correlations), captured: sum(&captured), correlations })
    }
}
