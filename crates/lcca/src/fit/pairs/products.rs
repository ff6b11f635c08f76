//! The results that a method already has when it ends: products of its weights, or all figures that are
//! measured from them.

use super::view_block::ViewBlock;
use crate::fit::models::regress::Regressions;
use crate::matrix::Panel;
use faer::Mat;

/// Results for weights, as exact as a pass would measure them.
pub(in crate::fit) enum Products {
    /// The products of any weights of both views.
    Views(Box<[ViewBlock; 2]>),
    /// The figures of the best pairs in their span.
    Figures(Box<Figures>),
}

/// The best pairs, and the figures that a model reports of them. Panels have one row per column of a view.
pub(in crate::fit) struct Figures {
    pub weights: [Panel; 2],
    pub loadings: [Panel; 2],
    pub regressions: Regressions,
    /// The objective value of each pair, the largest first.
    pub objective: Vec<f64>,
    /// How far each pair is from satisfying the equations.
    pub residuals: Vec<f64>,
    /// WᵀCW of both views.
    pub grams: [Mat<f64>; 2],
    /// WxᵀCxyWy.
    pub cross: Mat<f64>,
}
