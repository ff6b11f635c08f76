//! The normal operator of one view: the metric B = C + λI with C = XᵀX, or B = λI.

use crate::data::facts::ask::Ask;
use crate::data::facts::moments::COLUMNS;
use crate::data::pair::Pair;
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use crate::side::{Shape, Side};
use rayon::prelude::*;

/// B = C + λI of one view, applied through half passes; or B = λI, which needs none.
#[derive(Clone, Copy)]
pub struct Normal<'a> {
    /// The rows.
    pub pair: &'a dyn Pair,
    /// The view.
    pub side: Side,
    /// λ, absolute.
    pub ridge: f64,
    /// Whether B is λI, without C.
    pub is_identity: bool,
}

impl<'a> Normal<'a> {
    /// An operator with a relative ridge: λ = `relative`·tr(C)/p.
    pub fn new(pair: &'a dyn Pair, side: Side, relative: f64) -> Result<Self> {
        // Without a ridge the moments need not be read.
        let ridge = if relative == 0.0 {
            0.0
        } else {
            relative * pair.moments(side)?.trace() / pair.shape().cols(side) as f64
        };
        Ok(Normal::absolute(pair, side, ridge))
    }

    /// An operator with an absolute ridge.
    pub fn absolute(pair: &'a dyn Pair, side: Side, ridge: f64) -> Self {
        Normal { pair, side, ridge, is_identity: false }
    }

    /// B = `factor`·I, which does not depend on the rows.
    pub fn identity(pair: &'a dyn Pair, side: Side, factor: f64) -> Self {
        Normal { pair, side, ridge: factor, is_identity: true }
    }

    /// The number of columns of the view, which is the size of the operator.
    pub fn size(&self) -> usize {
        self.pair.shape().cols(self.side)
    }

    /// The numbers of rows and columns of the pair.
    pub fn shape(&self) -> Shape {
        self.pair.shape()
    }

    /// out ← B·w: half a pass, unless B does not depend on the rows.
    pub fn apply(&self, w: &Panel, out: &mut Panel) -> Result<()> {
        out.clear();
        if !self.is_identity {
            self.pair.pass(&mut Ask::new().source(self.side, w).to(self.side, out))?;
        }
        panels::add_scaled(out, self.ridge, w);
        Ok(())
    }

    /// The diagonal of B.
    pub fn diagonal(&self) -> Result<Vec<f64>> {
        if self.is_identity {
            return Ok(vec![self.ridge; self.size()]);
        }
        self.of_squares(|square| square + self.ridge)
    }

    /// The inverse of the diagonal of B; 0 for columns whose diagonal is 0.
    pub fn inverse_diagonal(&self) -> Result<Vec<f64>> {
        let inverse = |diagonal: f64| if diagonal > 0.0 { diagonal.recip() } else { 0.0 };
        if self.is_identity {
            return Ok(vec![inverse(self.ridge); self.size()]);
        }
        self.of_squares(|square| inverse(square + self.ridge))
    }

    /// A number for each column, from its sum of squares.
    fn of_squares(&self, number: impl Fn(f64) -> f64 + Sync + Send) -> Result<Vec<f64>> {
        let square = &self.pair.moments(self.side)?.square;
        Ok(square.par_iter().with_min_len(COLUMNS).map(|&square| number(square)).collect())
    }
}
