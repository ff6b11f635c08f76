//! What stands for (B − A)⁻¹ on all columns at once.

use super::coarse::Coarse;
use crate::error::Result;
use crate::fit::pairs::eigenproblem::Trust;
use crate::matrix::Panel;
use crate::outcome::Decision;

/// A symmetric positive definite matrix M⁻¹ near (B − A)⁻¹, on the host.
pub(in crate::fit) trait Inverse: Send + Sync {
    /// R ← M⁻¹R for the residuals of both views; returns rᵀM⁻¹r of each pair.
    fn apply(&self, residuals: [&mut Panel; 2]) -> Result<Vec<f64>>;

    /// Turns independent standard normal numbers, one row for each column of a view, into noise whose
    /// covariance is about M⁻¹: no direction is rarer in it than another one in the norm of M. Says whether
    /// it did.
    fn spread(&self, _noise: [&mut Panel; 2]) -> Result<bool> {
        Ok(false)
    }

    /// How well M stands for B − A.
    fn trust(&self) -> Trust;

    /// What was decided.
    fn decision(&self) -> Decision;
}

/// What stood for (B − A)⁻¹ in a fit, for fits to rows that are much like its own.
pub(in crate::fit) enum Shared {
    /// On all columns.
    Whole(Box<dyn Inverse>),
    /// On some columns; the inverse diagonal of B stands for the others.
    Block(Box<Coarse>),
}
