//! Witnesses: pairs of directions on a few columns that correlate strongly.
//!
//! The objective of any pair of directions is at most the largest there is, so a pair on a handful of columns
//! whose objective is above θ_k proves that something at least as large must be found. Such pairs are easy to
//! find, because canonical pairs of sparse data live on few columns (`grow`).
//!
//! Witnesses start the iteration, choose columns of the coarse block, and stand against a claim of
//! convergence that does not explain them.

use super::eigenproblem::FewRows;
use crate::error::Result;
use crate::matrix::{Panel, RowsBuilder, SparseRows};
use crate::space::SparsePair;
use rayon::prelude::*;
use std::collections::HashSet;

/// A direction of which less than this share is left unexplained says nothing about what is missing.
const LEFT: f64 = 0.1;
/// Witnesses that one thread writes as rows at a time.
const PART: usize = 1 << 10;

/// Some columns of each view.
pub(super) type Columns = [Vec<u32>; 2];

/// A pair of directions on few columns, each of length 1 in its metric B.
pub(super) struct Witness {
    /// The columns of each view.
    pub columns: Columns,
    /// Their weights.
    pub weights: [Vec<f64>; 2],
    /// uxᵀCxy·uy.
    pub objective: f64,
}

impl From<SparsePair> for Witness {
    fn from(SparsePair { columns, weights, objective }: SparsePair) -> Self {
        Witness { columns, weights, objective }
    }
}

impl Witness {
    /// Whether the two have a column of either view in common.
    pub fn shares_a_column(&self, other: &Witness) -> bool {
        (0..2).any(|side| self.columns[side].iter().any(|column| other.columns[side].contains(column)))
    }

    /// The objective of what is left of the pair after the pairs found are taken out; 0 if next to nothing is
    /// left. `bw` is a row of B·W of a view.
    ///
    /// With W and Θ exact, a larger value than θ_k is a proof that a pair is missing.
    pub fn unexplained<'b>(&self, bw: impl Fn(usize, u32) -> &'b [f64], theta: &[f64]) -> f64 {
        let along = [0, 1].map(|side| {
            let mut sum = vec![0.0; theta.len()];
            for (&column, weight) in self.columns[side].iter().zip(&self.weights[side]) {
                sum.iter_mut().zip(bw(side, column)).for_each(|(sum, bw)| *sum += weight * bw);
            }
            sum
        });
        let squares = |side: usize| along[side].iter().map(|a: &f64| a * a).sum::<f64>();
        let explained: f64 = along[0].iter().zip(&along[1]).zip(theta).map(|((a, b), t)| a * b * t).sum();
        self.beyond(squares(0) + squares(1), explained)
    }

    /// The same from the sum of squares of both directions along the pairs found, and what these explain of
    /// the objective.
    pub fn beyond(&self, squares: f64, explained: f64) -> f64 {
        let left = 1.0 - squares / 2.0;
        if left > LEFT { (self.objective - explained) / left } else { 0.0 }
    }
}

/// The first witnesses that share no column, at most `most`.
pub(super) fn independent<'w>(witnesses: impl Iterator<Item = &'w Witness>, most: usize) -> Vec<&'w Witness> {
    let mut taken: [HashSet<u32>; 2] = Default::default();
    let mut chosen: Vec<&Witness> = Vec::new();
    for witness in witnesses {
        if chosen.len() == most {
            break;
        }
        let is_new = |side: usize| witness.columns[side].iter().all(|column| !taken[side].contains(column));
        if is_new(0) && is_new(1) {
            (0..2).for_each(|side| taken[side].extend(&witness.columns[side]));
            chosen.push(witness);
        }
    }
    chosen
}

/// The directions of all witnesses in one view of so many columns, one per row.
pub(super) fn directions(witnesses: &[Witness], side: usize, columns: usize) -> Result<SparseRows> {
    let of_some = |witnesses: &[Witness]| {
        let (mut rows, mut entries) = (RowsBuilder::default(), Vec::new());
        for Witness { columns, weights, .. } in witnesses {
            entries.clear();
            entries.extend(columns[side].iter().copied().zip(weights[side].iter().copied()));
            entries.sort_unstable_by_key(|&(column, _)| column);
            entries.iter().for_each(|&(column, weight)| rows.push(column, weight));
            rows.end_row();
        }
        rows
    };
    RowsBuilder::join(witnesses.par_chunks(PART).map(of_some).collect(), columns, false)
}

/// Witnesses as weights of each view, one column per witness; `None` if there are none.
pub(super) fn as_weights(witnesses: &[&Witness], heights: [usize; 2]) -> Option<Vec<FewRows>> {
    (!witnesses.is_empty()).then(|| [0, 1].map(|side| of_view(witnesses, side, heights[side])).into())
}

fn of_view(witnesses: &[&Witness], side: usize, height: usize) -> FewRows {
    let mut rows: Vec<u32> = witnesses.iter().flat_map(|witness| &witness.columns[side]).copied().collect();
    rows.sort_unstable();
    rows.dedup();
    let mut values = Panel::zeros(rows.len(), witnesses.len());
    for (j, witness) in witnesses.iter().enumerate() {
        for (column, &weight) in witness.columns[side].iter().zip(&witness.weights[side]) {
            values.row_mut(rows.partition_point(|row| row < column))[j] = weight;
        }
    }
    FewRows { height, rows, values }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::{Host, Space};

    #[test]
    fn witnesses_become_panels_that_are_zero_elsewhere() {
        let witness = |columns: Columns, weights: [Vec<f64>; 2]| Witness { columns, weights, objective: 1.0 };
        let a = witness([vec![4, 1], vec![0]], [vec![0.5, 2.0], vec![3.0]]);
        let b = witness([vec![2, 4], vec![2]], [vec![7.0, 8.0], vec![9.0]]);
        let [x, y]: [FewRows; 2] = as_weights(&[&a, &b], [6, 3]).unwrap().try_into().ok().unwrap();
        let placed = |few: FewRows| Host.take(few.place(&Host).unwrap()).unwrap();
        let expected = [[0.0, 0.0], [2.0, 0.0], [0.0, 7.0], [0.0, 0.0], [0.5, 8.0], [0.0, 0.0]];
        assert_eq!(placed(x), Panel::from_fn(6, 2, |i, j| expected[i][j]));
        assert_eq!(placed(y), Panel::from_fn(3, 2, |i, j| [[3.0, 0.0], [0.0, 0.0], [0.0, 9.0]][i][j]));
        assert!(as_weights(&[], [6, 3]).is_none());
    }
}
