//! Weights of one view with their products, which algorithms carry from pass to pass.

use crate::data::{Ask, Normal, Side};
use crate::error::Result;
use crate::matrix::Panel;
use crate::metric;
use crate::panels;
use crate::whiten::whiten;
use faer::{Mat, MatRef};

/// One view's weights and products.
pub(in crate::fit) struct ViewBlock {
    pub w: Panel,
    /// B·W
    pub bw: Panel,
    /// (other view)ᵀ(this view)·W
    pub across: Panel,
}

impl ViewBlock {
    /// A block without weights.
    pub fn empty(normal: Normal<'_>) -> Self {
        let (own, other) = (normal.size(), normal.shape().cols(normal.side.other()));
        ViewBlock { w: Panel::zeros(own, 0), bw: Panel::zeros(own, 0), across: Panel::zeros(other, 0) }
    }

    /// Forms the products of one view's weights: one pass.
    pub fn measure(normal: Normal<'_>, w: Panel) -> Result<Self> {
        let (own, other) = (normal.side, normal.side.other());
        let mut bw = Panel::zeros(w.rows(), w.cols());
        let mut across = Panel::zeros(normal.shape().cols(other), w.cols());
        let mut ask = Ask::new().source(own, &w).to(other, &mut across);
        if !normal.is_identity {
            ask = ask.to(own, &mut bw);
        }
        normal.pair.pass(&mut ask)?;
        panels::add_scaled(&mut bw, normal.ridge, &w);
        Ok(ViewBlock { w, bw, across })
    }

    /// Forms the products of both views' weights, in one pass.
    pub fn measure_both(normals: [Normal<'_>; 2], [wx, wy]: [Panel; 2]) -> Result<[ViewBlock; 2]> {
        let [mut xx, mut yx] = [Panel::zeros(wx.rows(), wx.cols()), Panel::zeros(wy.rows(), wx.cols())];
        let [mut xy, mut yy] = [Panel::zeros(wx.rows(), wy.cols()), Panel::zeros(wy.rows(), wy.cols())];
        let mut ask = Ask::new().source(Side::X, &wx).to(Side::Y, &mut yx);
        if !normals[0].is_identity {
            ask = ask.to(Side::X, &mut xx);
        }
        ask = ask.source(Side::Y, &wy).to(Side::X, &mut xy);
        if !normals[1].is_identity {
            ask = ask.to(Side::Y, &mut yy);
        }
        normals[0].pair.pass(&mut ask)?;
        panels::add_scaled(&mut xx, normals[0].ridge, &wx);
        panels::add_scaled(&mut yy, normals[1].ridge, &wy);
        Ok([ViewBlock { w: wx, bw: xx, across: yx }, ViewBlock { w: wy, bw: yy, across: xy }])
    }

    /// Makes WᵀBW = I.
    pub fn whiten(&mut self) -> Result<()> {
        whiten(&mut self.w, &mut [&mut self.bw, &mut self.across])
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

/// WxᵀCxxWx, WyᵀCyyWy and WxᵀCxyWy, without the ridges.
pub(in crate::fit) fn small_products(ridges: [f64; 2], x: &ViewBlock, y: &ViewBlock) -> [Mat<f64>; 3] {
    [x.gram(ridges[0]), y.gram(ridges[1]), panels::cross(&x.w, &y.across)]
}

/// Captured correlation, from products that are already there.
pub(in crate::fit) fn captured(ridges: [f64; 2], x: &ViewBlock, y: &ViewBlock) -> Result<f64> {
    let [x_gram, y_gram, cross] = small_products(ridges, x, y);
    Ok(metric::subspace_correlations(x_gram.as_ref(), y_gram.as_ref(), cross.as_ref())?.iter().sum())
}

/// Cxy·Wy − Bx·Wx·Θ and Cyx·Wx − By·Wy·Θ.
pub(in crate::fit) fn residuals(x: &ViewBlock, y: &ViewBlock, theta: &[f64]) -> [Panel; 2] {
    let [mut rx, mut ry] = [x, y].map(|view| Panel::zeros(view.w.rows(), theta.len()));
    panels::difference_into(&mut rx, &y.across, theta, &x.bw);
    panels::difference_into(&mut ry, &x.across, theta, &y.bw);
    [rx, ry]
}

/// Each pair's residual, both views together, in the norm of diag(B)⁻¹.
pub(in crate::fit) fn sizes(residuals: [&Panel; 2], inverse_diagonal: &[Vec<f64>; 2]) -> Vec<f64> {
    let [x, y] = [0, 1].map(|side| {
        let weight = |i: usize| inverse_diagonal[side][i];
        panels::weighted_column_dots(residuals[side], residuals[side], weight)
    });
    x.iter().zip(&y).map(|(x, y)| (x + y).sqrt()).collect()
}
