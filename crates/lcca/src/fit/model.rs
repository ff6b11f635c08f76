//! What a fit leaves behind: enough to transform and score new rows, and to say where it came from.

use crate::matrix::Panel;
use crate::method::Settings;

/// A fitted CCA.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// What is known about X.
    pub x: View,
    /// What is known about Y.
    pub y: View,
    /// The correlation of each pair of canonical variables on the training rows.
    pub correlations: Vec<f64>,
    /// The objective dᵢ of each pair; equal to the correlation only where there is no ridge.
    pub objective: Vec<f64>,
    /// How far each pair is from satisfying the equations of CCA on the training rows; 0 is exact.
    pub residuals: Vec<f64>,
    /// Captured correlation on the training rows: the sum of the correlations between the two fitted subspaces.
    pub total: f64,
    /// Rows trained on.
    pub rows: u64,
    /// The settings that made it.
    pub settings: Settings,
}

/// One view's half of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// Weights, p×k: the canonical variables are (X − 1μᵀ)·weights.
    pub weights: Panel,
    /// Correlation of each column with each canonical variable of its own view, p×k; 0 for a constant column.
    pub loadings: Panel,
    /// Column means μ, where the model is centred.
    pub mean: Option<Vec<f64>>,
}
