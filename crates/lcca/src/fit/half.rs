//! Weights of one view with their products: what the algorithms carry from pass to pass.

use super::Problem;
use crate::data::{Ask, Normal, Pair, Side};
use crate::error::Result;
use crate::matrix::Panel;
use crate::metric;
use crate::panels;
use crate::whiten::whiten;
use faer::{Mat, MatRef};

/// One view's weights and products.
pub(super) struct Half {
    pub w: Panel,
    /// (C + λI)·W
    pub bw: Panel,
    /// (other view)ᵀ(this view)·W
    pub across: Panel,
}

impl Half {
    /// Forms the products of one view's weights: one pass.
    pub fn measure(normal: Normal<'_>, w: Panel) -> Result<Self> {
        let (own, other) = (normal.side, normal.side.other());
        let mut bw = Panel::zeros(w.rows(), w.cols());
        let mut across = Panel::zeros(normal.shape().cols(other), w.cols());
        normal.pair.pass(&mut Ask::new().source(own, &w).to(own, &mut bw).to(other, &mut across))?;
        panels::add_scaled(&mut bw, normal.ridge, &w);
        Ok(Half { w, bw, across })
    }

    /// Forms all products of both views' weights, in one pass.
    pub fn measure_both(problem: &Problem<'_>, [wx, wy]: [Panel; 2]) -> Result<[Half; 2]> {
        let (p, q) = (wx.rows(), wy.rows());
        let (mut xx, mut yx) = (Panel::zeros(p, wx.cols()), Panel::zeros(q, wx.cols()));
        let (mut xy, mut yy) = (Panel::zeros(p, wy.cols()), Panel::zeros(q, wy.cols()));
        let ask = Ask::new().source(Side::X, &wx).to(Side::X, &mut xx).to(Side::Y, &mut yx);
        problem.pair.pass(&mut ask.source(Side::Y, &wy).to(Side::X, &mut xy).to(Side::Y, &mut yy))?;
        panels::add_scaled(&mut xx, problem.normals[0].ridge, &wx);
        panels::add_scaled(&mut yy, problem.normals[1].ridge, &wy);
        Ok([Half { w: wx, bw: xx, across: yx }, Half { w: wy, bw: yy, across: xy }])
    }

    /// Makes Wᵀ(C + λI)W = I.
    pub fn whiten(&mut self) {
        whiten(&mut self.w, &mut [&mut self.bw, &mut self.across]);
    }

    /// Replaces W by W·M, and the products with it.
    pub fn turn(&mut self, m: MatRef<'_, f64>) {
        for panel in [&mut self.w, &mut self.bw, &mut self.across] {
            *panel = panels::times(panel, m);
        }
    }

    /// WᵀCW, without the ridge.
    pub fn gram(&self, ridge: f64) -> Mat<f64> {
        let (with_ridge, lengths) =
            (panels::symmetric_cross(&self.w, &self.bw), panels::cross(&self.w, &self.w));
        Mat::from_fn(with_ridge.nrows(), with_ridge.ncols(), |i, j| {
            with_ridge[(i, j)] - ridge * lengths[(i, j)]
        })
    }
}

/// WxᵀCxxWx, WyᵀCyyWy and WxᵀCxyWy, without the ridge.
pub(super) fn small_products(problem: &Problem<'_>, x: &Half, y: &Half) -> [Mat<f64>; 3] {
    let [x_ridge, y_ridge] = problem.normals.map(|normal| normal.ridge);
    [x.gram(x_ridge), y.gram(y_ridge), panels::cross(&x.w, &y.across)]
}

/// Captured correlation, from products that are already there.
pub(super) fn captured(problem: &Problem<'_>, x: &Half, y: &Half) -> f64 {
    let [x_gram, y_gram, cross] = small_products(problem, x, y);
    metric::subspace_correlations(x_gram.as_ref(), y_gram.as_ref(), cross.as_ref()).iter().sum()
}

/// Cxy·Wy − (Cxx + λ)·Wx·Θ and Cyx·Wx − (Cyy + λ)·Wy·Θ.
pub(super) fn residuals(x: &Half, y: &Half, theta: &[f64]) -> [Panel; 2] {
    let back: Vec<f64> = theta.iter().map(|t| -t).collect();
    [(&y.across, &x.bw), (&x.across, &y.bw)].map(|(across, bw)| {
        let mut residual = across.clone();
        panels::add_columns_scaled(&mut residual, &back, bw);
        residual
    })
}

/// Each pair's residual, both views together, in the norm of diag(C + λI)⁻¹.
pub(super) fn sizes(residuals: &[Panel; 2], inverse_diagonal: &[Vec<f64>; 2]) -> Vec<f64> {
    let [x, y] = [0, 1].map(|side| {
        let weight = |i: usize| inverse_diagonal[side][i];
        panels::weighted_column_dots(&residuals[side], &residuals[side], weight)
    });
    x.iter().zip(&y).map(|(x, y)| (x + y).sqrt()).collect()
}
