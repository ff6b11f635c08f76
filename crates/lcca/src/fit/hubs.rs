//! Witnesses of one column against many: a directory and the dozens of words that occur nowhere else.
//!
//! Each entry between such a column i and its partners j is small, so that no witness grows from one of them. But if the partners hardly
//! overlap, the squares of their entries c of D^(−½)CxyD^(−½) add up to nearly 1. Some partners may overlap all others, as a directory does
//! those in it, so that the best weights u are solved for. With b the entries of D^(−½)BD^(−½) between partners,
//!
//! ```text
//! (b + ε·I)·u = c,    objective = cᵀu / √(uᵀb·u)
//! ```
//!
//! which is what this pair of directions has, whatever ε is.

use super::local_grams::LocalGrams;
use super::witness::Witness;
use crate::data::Side;
use crate::small::cholesky;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, Par};
use rayon::prelude::*;
use std::cmp::Ordering;

/// Partners of a column that count, those of the largest entries.
const PARTNERS: usize = 64;
/// Columns for which the squares add up to less are not looked at.
const EXPLAINED: f64 = 0.8;
/// Neither are those of which one partner alone makes up this share: other witnesses begin with it.
const ALONE: f64 = 0.5;

/// Columns that one thread looks at before others may take some: most cost nothing, and those that cost much stand together.
const SHARED_OUT: usize = 64;

/// Most columns of a view whose weights are solved for.
const MOST: usize = 2000;

/// Partners may depend on each other.
const EPSILON: f64 = 1e-6;
/// Rounding of an objective.
const ROUNDING: f64 = 1e-12;

/// The witnesses of columns of both views that have many partners: of each view those for which squares add up to most.
pub(super) fn hubs(grams: &LocalGrams<'_>) -> Vec<Witness> {
    let of_view = |side: Side| {
        let columns = 0..grams.joint.block(side, side.other()).rows();
        let explained = columns
            .into_par_iter()
            .with_max_len(SHARED_OUT)
            .filter_map(|column| explained(grams, side, column).map(|explained| (explained, column)));
        let mut likely: Vec<(f64, usize)> = explained.collect();
        likely.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        likely.truncate(MOST);
        let hubs = likely.into_par_iter().filter_map(|(_, column)| hub(grams, side, column));
        hubs.collect::<Vec<Witness>>()
    };
    let mut all = of_view(Side::X);
    all.extend(of_view(Side::Y));
    all
}

/// What the squares of a column's entries add up to, if it may be one that has many partners.
fn explained(grams: &LocalGrams<'_>, side: Side, column: usize) -> Option<f64> {
    let (views, entries) = ([side as usize, side.other() as usize], grams.joint.block(side, side.other()));
    let (inverse, shifts) = (&grams.inverse[views[1]], grams.shifts(views, column));
    let (mut sum, mut largest) = (0.0, 0.0f64);
    entries.for_each(column, |partner, value| {
        let entry = (value - shifts.of(partner)).max(0.0);
        let square = entry * entry * inverse[partner];
        sum += square;
        largest = largest.max(square);
    });
    let explained = sum * grams.inverse[views[0]][column];
    (explained >= EXPLAINED && largest < ALONE * sum).then_some(explained)
}

/// The witness of one column and its partners, if it has many.
fn hub(grams: &LocalGrams<'_>, side: Side, column: usize) -> Option<Witness> {
    let (other, entries) = (side.other(), grams.joint.block(side, side.other()));
    let views = [side as usize, side.other() as usize];
    let mut partners: Vec<(f64, u32)> = Vec::new();
    entries.for_each(column, |partner, value| {
        let entry = grams.scaled(views, [column, partner], value);
        if entry > 0.0 {
            partners.push((entry, partner as u32));
        }
    });
    partners.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    partners.truncate(PARTNERS);
    let size = partners.len();
    let (stored, both) = (grams.joint.block(other, other), [other as usize; 2]);
    let between = Mat::from_fn(size, size, |i, j| match i.cmp(&j) {
        Ordering::Less => 0.0,
        Ordering::Equal => 1.0,
        Ordering::Greater => {
            let columns = [partners[i].1 as usize, partners[j].1 as usize];
            grams.scaled(both, columns, stored.get(columns[0], columns[1]))
        }
    });
    let regular = Mat::from_fn(size, size, |i, j| between[(i, j)] + if i == j { EPSILON } else { 0.0 });
    // A failed factorization says that rounding is all that is left of the partners.
    let factor = cholesky(regular.as_ref())?;
    let mut u = Mat::from_fn(size, 1, |i, _| partners[i].0);
    solve_lower_triangular_in_place(factor.as_ref(), u.as_mut(), Par::Seq);
    solve_upper_triangular_in_place(factor.transpose(), u.as_mut(), Par::Seq);
    let product: f64 = (0..size).map(|i| partners[i].0 * u[(i, 0)]).sum();
    let row = |i: usize| (0..i).map(|j| 2.0 * between[(i, j)] * u[(j, 0)]).sum::<f64>() + u[(i, 0)];
    let length = (0..size).map(|i| u[(i, 0)] * row(i)).sum::<f64>().sqrt();
    let objective = product / length;
    // An objective above 1 is rounding.
    if !(objective > EXPLAINED && objective <= 1.0 + ROUNDING) {
        return None;
    }
    let root = |side: Side, column: u32| grams.inverse[side as usize][column as usize].sqrt();
    let many = (0..size).map(|i| u[(i, 0)] * root(other, partners[i].1) / length).collect();
    let one = vec![root(side, column as u32)];
    let numbers = partners.iter().map(|&(_, j)| j).collect();
    let (mut columns, mut weights) = ([vec![column as u32], numbers], [one, many]);
    if side == Side::Y {
        columns.swap(0, 1);
        weights.swap(0, 1);
    }
    Some(Witness { columns, weights, objective: objective.min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{InMemory, JointGrams};
    use crate::matrix::{Matrix, SparseRows, Values};

    fn ones(cols: usize, rows: &[Vec<u32>]) -> Matrix {
        let offsets: Vec<u64> =
            (0..=rows.len()).map(|row| rows[..row].iter().map(|row| row.len() as u64).sum()).collect();
        SparseRows::new(cols, offsets.into(), rows.concat().into(), Values::Ones).unwrap().into()
    }

    #[test]
    fn a_column_that_many_rare_ones_make_up_is_found_in_either_view() {
        // Column 0 occurs in rows 0 to 79, and in each fourth of them another of 20 columns of the other view does. Column 21 is in all
        // of these rows and in others.
        let rare: Vec<Vec<u32>> =
            (0..400u32).map(|row| if row < 80 { vec![row / 4, 21] } else { vec![20 + row % 2] }).collect();
        let one: Vec<Vec<u32>> =
            (0..400u32).map(|row| if row < 80 { vec![0] } else { vec![1 + row % 7] }).collect();
        for (views, side) in [((ones(8, &one), ones(22, &rare)), 0), ((ones(22, &rare), ones(8, &one)), 1)] {
            let joint = InMemory::new(views.0, views.1).unwrap().joint_gram(u64::MAX).unwrap();
            let inverse = Side::BOTH.map(|side| {
                let squares = &joint.moments(side).square;
                squares
                    .iter()
                    .map(|&square| if square > 0.0 { square.recip() } else { 0.0 })
                    .collect::<Vec<f64>>()
            });
            let (ridges, identities) = ([0.0; 2], [false; 2]);
            let grams =
                LocalGrams { joint: &joint, means: None, along: None, ridges, identities, inverse: &inverse };
            let found = hubs(&grams);
            let hub = found.iter().find(|witness| witness.columns[side] == [0]).unwrap();
            assert_eq!(hub.columns[1 - side].len(), 21);
            // Not centered, and without a ridge, the 20 columns add up to column 0.
            assert!((hub.objective - 1.0).abs() < 1e-9, "{}", hub.objective);
            // uᵀBu = 1 of both directions, and uxᵀCxyuy is the objective.
            let [ux, uy] = &hub.weights;
            let product = |target: Side, source: Side, a: &[f64], b: &[f64]| -> f64 {
                let columns = [&hub.columns[target as usize], &hub.columns[source as usize]];
                let term = |i: usize, j: usize| {
                    a[i] * b[j]
                        * joint.block(target, source).get(columns[0][i] as usize, columns[1][j] as usize)
                };
                (0..a.len()).flat_map(|i| (0..b.len()).map(move |j| (i, j))).map(|(i, j)| term(i, j)).sum()
            };
            assert!((product(Side::X, Side::X, ux, ux) - 1.0).abs() < 1e-12);
            assert!((product(Side::Y, Side::Y, uy, uy) - 1.0).abs() < 1e-12);
            assert!((product(Side::X, Side::Y, ux, uy) - hub.objective).abs() < 1e-12);
        }
    }
}
