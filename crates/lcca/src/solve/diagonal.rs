//! The solver of D-CCA: W = diag(C + λI)⁻¹R. Takes no pass and is exact if C is diagonal (Lu & Foster,
//! section 3.1).

use super::least_squares::{LeastSquares, Solved, SolverSpec};
use crate::data::Normal;
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;

/// The inverse diagonal of C + λI, with 0 for a diagonal entry of 0.
pub struct Diagonal {
    inverse: Vec<f64>,
}

impl Diagonal {
    /// Reads the view once for its column norms, if they are not known yet.
    pub fn new(normal: Normal<'_>) -> Result<Self> {
        Ok(Diagonal { inverse: normal.inverse_diagonal()? })
    }
}

impl LeastSquares for Diagonal {
    fn solve(&self, rhs: &Panel, _start: Option<Solved>) -> Result<Solved> {
        let mut weights = rhs.clone();
        panels::scale_rows(&mut weights, &self.inverse);
        Ok(Solved { weights, normal: None })
    }
}

/// The description of D-CCA's solver.
pub const SPEC: SolverSpec =
    SolverSpec::new("diagonal", "the inverse diagonal of C + λI; exact if C is diagonal", |normal, _, _| {
        Ok(Box::new(Diagonal::new(normal)?))
    });
