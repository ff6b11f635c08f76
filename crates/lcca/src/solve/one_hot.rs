//! The exact solver of one-hot views, whose C is diagonal but for the rank-one term of centering.
//!
//! It computes (A − nμμᵀ)⁻¹R with A = C + λI diagonal, by the Sherman-Morrison formula. If the columns sum
//! to one, the centered matrix is singular along A⁻¹μ. A⁻¹R is a solution then, because right-hand sides in
//! its range have no part there.

use super::least_squares::{LeastSquares, Solved};
use crate::data::{Normal, StoredGram};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::panels;

/// If 1 − nμᵀA⁻¹μ is below this, the column of ones lies in the span of the view.
const ONES_IN_SPAN: f64 = 1e-12;

/// The exact solver of a one-hot view.
pub struct OneHot {
    inverse: Vec<f64>,
    centering: Option<Centering>,
}

/// The rank-one term of centering.
struct Centering {
    /// A⁻¹μ.
    solved: Vec<f64>,
    /// The means μ.
    mean: Vec<f64>,
    /// n/(1 − nμᵀA⁻¹μ), or 0 if the column of ones lies in the span.
    factor: f64,
}

impl OneHot {
    /// Reads the view once for its counts.
    pub fn new(normal: Normal<'_>) -> Result<Self> {
        let gram = normal.pair.capabilities().require_grams()?.gram(normal.side, u64::MAX)?;
        let StoredGram::Sparse(stored) = gram.stored else {
            return Err(Error::Factorization("a view that is not one-hot"));
        };
        let inverse: Vec<f64> = (0..stored.size())
            .map(|j| stored.column(j).1.first().copied().unwrap_or(0.0) + normal.ridge)
            .map(|d| if d > 0.0 { d.recip() } else { 0.0 })
            .collect();
        let centering = gram.shift.map(|(mean, weight)| {
            let solved: Vec<f64> = mean.iter().zip(&inverse).map(|(mu, inverse)| mu * inverse).collect();
            let left = 1.0 - weight * mean.iter().zip(&solved).map(|(mu, s)| mu * s).sum::<f64>();
            let factor = if left > ONES_IN_SPAN { weight / left } else { 0.0 };
            Centering { solved, mean, factor }
        });
        Ok(OneHot { inverse, centering })
    }

    /// The diagonal of A⁻¹.
    pub(crate) fn inverse(&self) -> &[f64] {
        &self.inverse
    }

    /// μ and n/(1 − nμᵀA⁻¹μ), or 0 for the latter if the column of ones lies in the span; `None` if the view
    /// is not centered.
    pub(crate) fn centering(&self) -> Option<(&[f64], f64)> {
        self.centering.as_ref().map(|centering| (&centering.mean[..], centering.factor))
    }

    /// Replaces right-hand sides by their solutions.
    pub fn solve_in_place(&self, panel: &mut Panel) {
        panels::scale_rows(panel, &self.inverse);
        if let Some(Centering { solved, mean, factor }) = self.centering.as_ref().filter(|c| c.factor > 0.0) {
            let overlap = panels::cross(&Panel::from_fn(mean.len(), 1, |i, _| mean[i]), panel);
            for (i, s) in solved.iter().enumerate() {
                let row = panel.row_mut(i).iter_mut().enumerate();
                row.for_each(|(j, w)| *w += factor * s * overlap[(0, j)]);
            }
        }
    }
}

impl LeastSquares for OneHot {
    fn solve(&self, rhs: &Panel, _start: Option<Solved>) -> Result<Solved> {
        let mut weights = rhs.clone();
        self.solve_in_place(&mut weights);
        Ok(Solved { weights, normal: None })
    }
}
