//! The normal operator of one view: C + λI with C = XᵀX.

use super::ask::Ask;
use super::pair::Pair;
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use crate::side::{Shape, Side};

/// C + λI of one view, seen through half passes.
#[derive(Clone, Copy)]
pub struct Normal<'a> {
    /// The rows.
    pub pair: &'a dyn Pair,
    /// The view.
    pub side: Side,
    /// λ, absolute.
    pub ridge: f64,
}

impl<'a> Normal<'a> {
    /// With a relative ridge: λ = `relative`·tr(C)/p.
    pub fn new(pair: &'a dyn Pair, side: Side, relative: f64) -> Result<Self> {
        // Without a ridge the moments need not be read.
        let ridge = if relative == 0.0 {
            0.0
        } else {
            relative * pair.moments(side)?.trace() / pair.shape().cols(side) as f64
        };
        Ok(Normal { pair, side, ridge })
    }

    /// Columns of the view: the size of the operator.
    pub fn size(&self) -> usize {
        self.pair.shape().cols(self.side)
    }

    /// Rows and columns of the pair.
    pub fn shape(&self) -> Shape {
        self.pair.shape()
    }

    /// out ← (C + λI)·w: half a pass.
    pub fn apply(&self, w: &Panel, out: &mut Panel) -> Result<()> {
        out.clear();
        self.pair.pass(&mut Ask::new().source(self.side, w).to(self.side, out))?;
        panels::add_scaled(out, self.ridge, w);
        Ok(())
    }

    /// The diagonal of C + λI.
    pub fn diagonal(&self) -> Result<Vec<f64>> {
        Ok(self.pair.moments(self.side)?.square.iter().map(|d| d + self.ridge).collect())
    }

    /// The inverse of the diagonal of C + λI; 0 for columns whose diagonal is 0.
    pub fn inverse_diagonal(&self) -> Result<Vec<f64>> {
        Ok(self.diagonal()?.iter().map(|&d| if d > 0.0 { d.recip() } else { 0.0 }).collect())
    }
}
