//! Puts pairs whose objective values are equal into an order of their own.
//!
//! Any rotation of tied pairs is as good an answer, so without a rule rounding errors choose one. Ties are
//! usual if rows are fewer than columns, because all correlations are 1 then. The rule: tied pairs are
//! turned so that the variables of X have loadings that are orthogonal to each other, the largest first.
//! These are principal axes of the standardized columns within the tied subspace, so they depend neither on
//! rounding errors nor on the units of columns.

use super::view_block::ViewBlock;
use crate::data::Normal;
use crate::error::{Error, Result};
use crate::panels;
use crate::small;
use crate::whiten::inverse_root;
use faer::Mat;

/// Objective values that differ by no more than this are equal but for rounding.
const TIED: f64 = 1e-12;

/// Turns the pairs of each tie. `normal` is that of X, and objective values descend.
pub(in crate::fit) fn settle(
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
    for (first, count) in ties {
        let tied: Vec<usize> = (first..first + count).collect();
        let mut loadings = panels::select(&x.bw, &tied);
        panels::add_scaled(&mut loadings, -normal.ridge, &panels::select(&x.w, &tied));
        let scale: Vec<f64> = square.iter().map(|&square| inverse_root(square)).collect();
        panels::scale_rows(&mut loadings, &scale);
        let lengths = panels::symmetric_cross(&loadings, &loadings);
        let (_, vectors) = small::eigen(lengths.as_ref()).ok_or(Error::Factorization("loadings of ties"))?;
        // Eigenvalues ascend.
        let turn = Mat::from_fn(count, count, |i, j| vectors[(i, count - 1 - j)]);
        for view in [&mut *x, &mut *y] {
            for panel in [&mut view.w, &mut view.bw, &mut view.across] {
                panels::turn_columns(panel, first, turn.as_ref());
            }
        }
    }
    Ok(())
}

/// Whether any pairs are tied.
pub(in crate::fit) fn are_there(objective: &[f64]) -> bool {
    !ties(objective).is_empty()
}

/// The first pair of each tie, and the number of its pairs.
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
