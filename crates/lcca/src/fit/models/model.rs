//! The model of a fit: enough to transform and score new rows.

use crate::matrix::Panel;
use crate::method::Settings;

/// A fitted CCA.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Model {
    /// The weights, loadings and means of X.
    pub x: View,
    /// The weights, loadings and means of Y.
    pub y: View,
    /// The correlation of each pair of canonical variables on the training rows.
    pub correlations: Vec<f64>,
    /// The objective dᵢ of each pair, which equals the correlation only if there is no ridge.
    pub objective: Vec<f64>,
    /// How far each pair is from satisfying the equations of CCA on the training rows; 0 is exact.
    pub residuals: Vec<f64>,
    /// Captured correlation on the training rows: the sum of the correlations between the two fitted
    /// subspaces.
    pub total: f64,
    /// The number of rows trained on.
    pub rows: u64,
    /// The settings of the fit.
    pub settings: Settings,
}

/// One view's half of a model.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct View {
    /// The weights, p×k: the canonical variables are (X − 1μᵀ)·weights, after the effects of covariates are
    /// subtracted.
    pub weights: Panel,
    /// Correlation of each column with each canonical variable of its own view, p×k; 0 for a constant column.
    pub loadings: Panel,
    /// The column means μ, if the model is centered.
    pub mean: Option<Vec<f64>>,
    /// The effects of covariates on the view, if there were any.
    pub effects: Option<Effects>,
}

/// The effects of q covariates Z on a view: (Z − 1ζᵀ)·coefficientsᵀ is subtracted from its rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Effects {
    /// The means ζ of the covariates; zeros if the model is not centered.
    pub mean: Vec<f64>,
    /// The coefficients of each column of the view, p×q.
    pub coefficients: Panel,
}

impl View {
    /// One view's half of a model; `mean` if the model is centered.
    pub fn new(weights: Panel, loadings: Panel, mean: Option<Vec<f64>>) -> Self {
        View { weights, loadings, mean, effects: None }
    }
}

impl Model {
    /// The number of columns of the covariates that the model was fitted with; 0 if there were none.
    pub fn covariate_columns(&self) -> usize {
        self.x.effects.as_ref().map_or(0, |effects| effects.mean.len())
    }

    /// A model with weights and settings, whose training is not described: correlations, objective and
    /// residuals are 0. It transforms and scores like any other. Set the public fields to describe its
    /// training.
    pub fn new(x: View, y: View, settings: Settings) -> Self {
        let zeros = vec![0.0; x.weights.cols()];
        let (objective, residuals) = (zeros.clone(), zeros.clone());
        Model { x, y, correlations: zeros, objective, residuals, total: 0.0, rows: 0, settings }
    }
}
