//! Pairs whose objective values are equal, put in an order of their own.
//!
//! Any rotation of tied pairs is as good an answer, so without a rule rounding errors choose one. Ties are usual if rows are
//! fewer than columns, as all correlations are 1 then. The rule: tied pairs are turned so that the variables of X have
//! loadings that are orthogonal to each other, the largest first. These are principal axes of the standardized columns within
//! the tied subspace, so they depend neither on rounding errors nor on the units of columns.

use super::view_block::ViewBlock;
use crate::data::Normal;
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::panels;
use crate::whiten::inverse_root;
use faer::{Mat, Side};

/// Objective values that differ by no more than this are equal but for rounding.
const TIED: f64 = 1e-12;

/// Turns the pairs of each tie. `normal` is that of X, and objective values descend.
pub(super) fn settle(
    x: &mut ViewBlock,
    y: &mut ViewBlock,
    objective: &[f64],
    normal: Normal<'_>,
) -> Result<()> {
    let ties = ties(objective);
    if ties.is_empty() {
        return Ok(());
    }
    let square = &normal.pair.moments(normal.side)?.square;
    let loadings = Panel::from_fn(x.w.rows(), x.w.cols(), |j, i| {
        (x.bw.row(j)[i] - normal.ridge * x.w.row(j)[i]) * inverse_root(square[j])
    });
    let lengths = panels::symmetric_cross(&loadings, &loadings);
    let mut turn = Mat::<f64>::identity(objective.len(), objective.len());
    for (first, count) in ties {
        let own = lengths.submatrix(first, first, count, count);
        let eigen =
            own.self_adjoint_eigen(Side::Lower).map_err(|_| Error::Factorization("loadings of ties"))?;
        for i in 0..count {
            for j in 0..count {
                // Eigenvalues ascend.
                turn[(first + i, first + j)] = eigen.U()[(i, count - 1 - j)];
            }
        }
    }
    x.turn(turn.as_ref());
    y.turn(turn.as_ref());
    Ok(())
}

/// The first pair of each tie and how many there are.
fn ties(objective: &[f64]) -> Vec<(usize, usize)> {
    let mut ties = Vec::new();
    let mut first = 0;
    for i in 1..=objective.len() {
        if objective.get(i).is_none_or(|value| objective[first] - value > TIED) {
            if i - first > 1 {
                ties.push((first, i - first));
            }
            first = i;
        }
    }
    ties
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbors_that_are_equal_but_for_rounding_are_tied() {
        assert_eq!(ties(&[]), []);
        assert_eq!(ties(&[0.9, 0.8]), []);
        assert_eq!(ties(&[1.0, 1.0 - 1e-14, 0.5, 0.3, 0.3, 0.3]), [(0, 2), (3, 3)]);
    }
}
