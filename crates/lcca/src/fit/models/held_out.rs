//! Training and held-out correlations of the same pairs.

use crate::outcome::Note;
use serde::{Deserialize, Serialize};

/// The least difference by which a held-out correlation is far below the training one.
const FAR: f64 = 0.1;
/// A held-out correlation is far below the training one only if it is lower by this many times 1/√m as
/// well, about the largest standard error that a correlation of m rows can have.
const ERRORS: f64 = 3.0;

/// Correlations of the same pairs on the rows that were fitted and on rows that were not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct HeldOut {
    /// The number of rows that were held out.
    pub rows: u64,
    /// The number of rows that the pairs were fitted to.
    pub training_rows: u64,
    /// The correlation of each pair on the fitted rows.
    pub training: Vec<f64>,
    /// The correlation of each pair on the held-out rows.
    pub held_out: Vec<f64>,
}

/// A note if pairs do much worse on the held-out rows of `folds` folds, where they have the mean
/// correlation `held_out`. Both means are over the `k` pairs that were asked for, and pairs that were not
/// found count with a correlation of 0.
pub(in crate::fit) fn note_of_folds(
    correlations: &[f64],
    k: usize,
    held_out: f64,
    folds: u64,
) -> Option<Note> {
    let training = correlations.iter().sum::<f64>() / k.max(1) as f64;
    (training - held_out > FAR).then_some(Note::FarBelowTrainingInFolds { training, held_out, folds })
}

impl HeldOut {
    /// A note if pairs do much worse on rows that were not fitted.
    pub(in crate::fit) fn note(&self) -> Option<Note> {
        let allowed = FAR.max(ERRORS / (self.rows as f64).sqrt());
        let both = self.training.iter().zip(&self.held_out);
        let far = both.clone().filter(|(training, held_out)| *training - *held_out > allowed);
        let (count, pairs) = (far.clone().count() as u64, self.training.len() as u64);
        let (&training, &held_out) = far.max_by(|a, b| (a.0 - a.1).total_cmp(&(b.0 - b.1)))?;
        Some(Note::FarBelowTraining { far: count, pairs, training, held_out, rows: self.rows })
    }
}
