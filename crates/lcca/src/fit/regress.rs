//! The views' columns as linear functions of canonical variables: what turns scores back into data.
//!
//! With Z = X·W, the least-squares coefficients of any columns T on Z are TᵀZ(ZᵀZ)⁺. Everything in it is known once a fit
//! has been measured: XᵀZ = C·W, YᵀZ = Cyx·W and ZᵀZ = WᵀCW. No pass.

use super::half::Half;
use crate::matrix::Panel;
use crate::panels;
use crate::whiten::whitener;
use faer::MatRef;

/// Least-squares coefficients of columns on canonical variables, one row a column.
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
    /// From the products of a finished fit; `grams` are WᵀCW of both views, `ridges` what their C was measured with.
    pub(super) fn new(x: &Half, y: &Half, grams: [MatRef<'_, f64>; 2], ridges: [f64; 2]) -> Self {
        Regressions {
            x: coefficients(&without_ridge(x, ridges[0]), grams[0]),
            y: coefficients(&without_ridge(y, ridges[1]), grams[1]),
            y_on_x: coefficients(&x.across, grams[0]),
        }
    }
}

/// C·W from (C + λI)·W.
fn without_ridge(half: &Half, ridge: f64) -> Panel {
    let mut product = half.bw.clone();
    panels::add_scaled(&mut product, -ridge, &half.w);
    product
}

/// TᵀZ·(ZᵀZ)⁺, where (ZᵀZ)⁺ = HHᵀ with H its whitener.
fn coefficients(product: &Panel, gram: MatRef<'_, f64>) -> Panel {
    let h = whitener(gram);
    panels::times(product, (&h * h.transpose()).as_ref())
}
