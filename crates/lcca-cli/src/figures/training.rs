//! Tells whether rows are those that a model was fitted to.

use lcca::fit::{Model, Scores};

/// Whether rows are training rows. Only those have exactly the correlations of training.
pub fn are_training_rows(model: &Model, scores: &Scores, rows: usize) -> bool {
    let same = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9;
    rows as u64 == model.rows && scores.correlations.iter().zip(&model.correlations).all(same)
}
