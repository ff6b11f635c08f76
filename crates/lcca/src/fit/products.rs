//! What a method knows of its result when it ends: products of its weights, or everything that is measured
//! from them.

use super::regress::Regressions;
use super::view_block::ViewBlock;
use crate::matrix::Panel;
use faer::Mat;

/// What is known of weights as exactly as a pass would tell it.
pub(super) enum Products {
    /// The products of any weights of both views.
    Views(Box<[ViewBlock; 2]>),
    /// The figures of the best pairs in their span.
    Figures(Box<Figures>),
}

/// The best pairs, and what a model tells of them. Panels have one row per column of a view.
pub(super) struct Figures {
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
