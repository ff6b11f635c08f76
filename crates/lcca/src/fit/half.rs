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
    /// No weights at all.
    pub fn none(normal: Normal<'_>) -> Self {
        let (own, other) = (normal.size(), normal.shape().cols(normal.side.other()));
        Half { w: Panel::zeros(own, 0), bw: Panel::zeros(own, 0), across: Panel::zeros(other, 0) }
    }

    /// Forms the products of one view's weights: one pass.
    pub fn measure(normal: Normal<'_>, w: Panel) -> Result<Self> {
        let (own, other) = (normal.side, normal.side.other());
        let mut bw = Panel::zeros(w.rows(), w.cols());
        let mut across = Panel::zeros(normal.shape().cols(other), w.cols());
        normal.pair.pass(&mut Ask::new().source(own, &w).to(own, &mut bw).to(other, &mut across))?;
        panels::add_scaled(&mut bw, normal.ridge, &w);
        Ok(Half { w, bw, across })
    }

    /// Weights whose products are still to be measured; `other` is the width of the other view.
    pub fn unmeasured(w: Panel, other: usize) -> Self {
        let (rows, cols) = (w.rows(), w.cols());
        Half { w, bw: Panel::zeros(rows, cols), across: Panel::zeros(other, cols) }
    }

    /// Forms all products of both views' weights, in one pass.
    pub fn measure_both(problem: &Problem<'_>, [wx, wy]: [Panel; 2]) -> Result<[Half; 2]> {
        let (p, q) = (wx.rows(), wy.rows());
        let (mut x, mut y) = (Half::unmeasured(wx, q), Half::unmeasured(wy, p));
        Half::add_products(problem, &mut x, &mut y)?;
        Ok([x, y])
    }

    /// Forms all products afresh, in one pass, into the panels that are there.
    pub fn measure_again(problem: &Problem<'_>, x: &mut Half, y: &mut Half) -> Result<()> {
        [&mut x.bw, &mut x.across, &mut y.bw, &mut y.across].into_iter().for_each(Panel::clear);
        Half::add_products(problem, x, y)
    }

    fn add_products(problem: &Problem<'_>, x: &mut Half, y: &mut Half) -> Result<()> {
        let ask = Ask::new().source(Side::X, &x.w).to(Side::X, &mut x.bw).to(Side::Y, &mut x.across);
        let ask = ask.source(Side::Y, &y.w).to(Side::X, &mut y.across).to(Side::Y, &mut y.bw);
        problem.pair.pass(&mut { ask })?;
        panels::add_scaled(&mut x.bw, problem.normals[0].ridge, &x.w);
        panels::add_scaled(&mut y.bw, problem.normals[1].ridge, &y.w);
        Ok(())
    }

    /// The first columns up to `at`, and the others.
    pub fn split(&self, at: usize) -> [Half; 2] {
        [(0, at), (at, self.w.cols())].map(|(from, to)| Half {
            w: panels::columns(&self.w, from, to),
            bw: panels::columns(&self.bw, from, to),
            across: panels::columns(&self.across, from, to),
        })
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

    /// W ← W·Cw + T·Ct + P·Cp with C = [Cw; Ct; Cp], and P ← what was added; their products with them. There is no Cp
    /// where P is only room.
    pub fn advance(&mut self, t: &Half, p: &mut Half, c: MatRef<'_, f64>, p_is_room: bool) {
        let (own, more) = (self.w.cols(), t.w.cols());
        let last = if p_is_room { 0 } else { p.w.cols() };
        let (cw, ct, cp) = (c.subrows(0, own), c.subrows(own, more), c.subrows(own + more, last));
        panels::advance(&mut self.w, &mut p.w, &t.w, cw, ct, cp);
        panels::advance(&mut self.bw, &mut p.bw, &t.bw, cw, ct, cp);
        panels::advance(&mut self.across, &mut p.across, &t.across, cw, ct, cp);
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
    let [mut rx, mut ry] = [x, y].map(|half| Panel::zeros(half.w.rows(), theta.len()));
    residuals_into([&mut rx, &mut ry], x, y, theta);
    [rx, ry]
}

/// The same into panels that are there.
pub(super) fn residuals_into([rx, ry]: [&mut Panel; 2], x: &Half, y: &Half, theta: &[f64]) {
    panels::difference_into(rx, &y.across, theta, &x.bw);
    panels::difference_into(ry, &x.across, theta, &y.bw);
}

/// Each pair's residual, both views together, in the norm of diag(C + λI)⁻¹.
pub(super) fn sizes(residuals: [&Panel; 2], inverse_diagonal: &[Vec<f64>; 2]) -> Vec<f64> {
    let [x, y] = [0, 1].map(|side| {
        let weight = |i: usize| inverse_diagonal[side][i];
        panels::weighted_column_dots(residuals[side], residuals[side], weight)
    });
    x.iter().zip(&y).map(|(x, y)| (x + y).sqrt()).collect()
}
