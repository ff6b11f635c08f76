//! Sums over the rows of tall panels, which are small matrices.

use super::{RowFactors, Space, Tall};
use crate::error::Result;
use faer::Mat;

/// A small matrix that is a sum over the rows of tall panels.
#[derive(Clone, Copy)]
pub enum Reduction<'a> {
    /// [A₁ A₂ …]ᵀ[B₁ B₂ …].
    Cross(&'a [&'a Tall], &'a [&'a Tall]),
    /// The same, if it is symmetric but for rounding.
    Symmetric(&'a [&'a Tall], &'a [&'a Tall]),
    /// Σᵢ weights\[i\]·a\[i, j\]² for every column j, in one column.
    Squares(&'a Tall, &'a RowFactors),
}

impl<'a> Reduction<'a> {
    /// A panel that is summed over, if there is one.
    pub fn panel(&self) -> Option<&'a Tall> {
        match self {
            Reduction::Cross(a, _) | Reduction::Symmetric(a, _) => a.first().copied(),
            Reduction::Squares(a, _) => Some(a),
        }
    }

    /// What a space answers if it is asked for this alone.
    pub(super) fn by<S: Space + ?Sized>(&self, space: &S) -> Result<Mat<f64>> {
        match *self {
            Reduction::Cross(a, b) => space.cross(a, b),
            Reduction::Symmetric(a, b) => space.symmetric_cross(a, b),
            Reduction::Squares(a, weights) => {
                let squares = space.weighted_squares(a, weights)?;
                Ok(Mat::from_fn(squares.len(), 1, |j, _| squares[j]))
            }
        }
    }
}
