//! The views' columns as linear functions of canonical variables: what turns scores back into data.
//!
//! With Z = X·W, the least-squares coefficients of any columns T on Z are TᵀZ(ZᵀZ)⁺. Everything in it is known once a fit
//! has been measured: XᵀZ = C·W, YᵀZ = Cyx·W and ZᵀZ = WᵀCW. No pass.

use super::view_block::ViewBlock;
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use crate::whiten::whitener;
use faer::MatRef;

/// Least-squares coefficients of columns on canonical variables, one row per column.
#[derive(Clone, Debug, PartialEq)]
pub struct Regressions {
    /// Of X's columns on X's canonical variables, p₁×k.
    pub x: Panel,
    /// Of Y's columns on Y's canonical variables, p₂×k.
    pub y: Panel,
    /// Of Y's columns on X's canonical variables, p₂×k.
    pub y_on_x: Panel,
}

impl Regressions {
    /// From the products of a finished fit; `grams` are WᵀCW of both views, `ridges` those that the products include.
    pub(super) fn new(
        x: &ViewBlock,
        y: &ViewBlock,
        grams: [MatRef<'_, f64>; 2],
        ridges: [f64; 2],
    ) -> Result<Self> {
        Ok(Regressions {
            x: coefficients(&without_ridge(x, ridges[0]), grams[0])?,
            y: coefficients(&without_ridge(y, ridges[1]), grams[1])?,
            y_on_x: coefficients(&x.across, grams[0])?,
        })
    }
}

/// C·W from (C + λI)·W.
fn without_ridge(block: &ViewBlock, ridge: f64) -> Panel {
    let mut product = block.bw.clone();
    panels::add_scaled(&mut product, -ridge, &block.w);
    product
}

/// TᵀZ·(ZᵀZ)⁺, with (ZᵀZ)⁺ = HHᵀ and H the whitener of ZᵀZ.
fn coefficients(product: &Panel, gram: MatRef<'_, f64>) -> Result<Panel> {
    let h = whitener(gram)?;
    Ok(panels::times(product, (&h * h.transpose()).as_ref()))
}
