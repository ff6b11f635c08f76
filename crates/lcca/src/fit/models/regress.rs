//! The views' columns as linear functions of canonical variables, which turn scores back into data.
//!
//! With Z = X·W, the least-squares coefficients of any columns T on Z are TᵀZ(ZᵀZ)⁺. They cost no pass,
//! because all factors are known once a fit has been measured: XᵀZ = C·W, YᵀZ = Cyx·W and ZᵀZ = WᵀCW.

use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use crate::whiten::whitener;
use faer::{Mat, MatRef};

/// Least-squares coefficients of columns on canonical variables, one row per column.
#[derive(Clone, Debug, PartialEq)]
pub struct Regressions {
    /// The coefficients of X's columns on X's canonical variables, p₁×k.
    pub x: Panel,
    /// The coefficients of Y's columns on Y's canonical variables, p₂×k.
    pub y: Panel,
    /// The coefficients of Y's columns on X's canonical variables, p₂×k.
    pub y_on_x: Panel,
}

impl Regressions {
    /// Computes the coefficients from the products of a finished fit: `cw` are C·W of both views, `across`
    /// is Cyx·Wx, and `grams` are WᵀCW.
    pub(in crate::fit) fn new(
        [x, y]: [Panel; 2],
        across: Panel,
        grams: [MatRef<'_, f64>; 2],
    ) -> Result<Self> {
        Ok(Regressions {
            x: coefficients(x, grams[0])?,
            y: coefficients(y, grams[1])?,
            y_on_x: coefficients(across, grams[0])?,
        })
    }
}

/// TᵀZ·(ZᵀZ)⁺.
fn coefficients(mut product: Panel, gram: MatRef<'_, f64>) -> Result<Panel> {
    panels::turn_columns(&mut product, 0, inverse(gram)?.as_ref());
    Ok(product)
}

/// (ZᵀZ)⁺ = HHᵀ, with H the whitener of ZᵀZ.
pub(in crate::fit) fn inverse(gram: MatRef<'_, f64>) -> Result<Mat<f64>> {
    let h = whitener(gram)?;
    Ok(&h * h.transpose())
}
