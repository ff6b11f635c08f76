//! Witnesses of one column against many: a directory and the dozens of words that occur nowhere else.
//!
//! Each entry between such a column i and its partners j is small, so that no witness grows from one of them.
//! But if the partners hardly overlap, the squares of their entries c of D^(−½)CxyD^(−½) add up to nearly 1.
//! Some partners may overlap all others, as a directory does those in it, so that the best weights u are
//! solved for. With b the entries of D^(−½)BD^(−½) between partners,
//!
//! ```text
//! (b + ε·I)·u = c,    objective = cᵀu / √(uᵀb·u)
//! ```
//!
//! which is what this pair of directions has, whatever ε is.

use super::local_grams::LocalGrams;
use super::witness::Witness;
use crate::data::Side;
use crate::error::Result;
use crate::space::{HubLimits, PARTNERS, SEGMENT, SUM_LANES};
use rayon::prelude::*;

/// Columns for which the squares add up to less are not looked at.
const EXPLAINED: f64 = 0.8;
/// Neither are those of which one partner alone makes up this share: other witnesses begin with it.
const ALONE: f64 = 0.5;

/// Columns that one thread looks at before others may take some: most cost nothing, and those that cost much
/// stand together.
const SHARED_OUT: usize = 64;

/// Most columns of a view whose weights are solved for.
const MOST: usize = 2000;

/// Partners may depend on each other.
const EPSILON: f64 = 1e-6;
/// Rounding of an objective.
const ROUNDING: f64 = 1e-12;

/// What is looked for.
const LIMITS: HubLimits =
    HubLimits { explained: EXPLAINED, alone: ALONE, epsilon: EPSILON, largest: 1.0 + ROUNDING };

/// The witnesses of columns of both views that have many partners: of each view those for which squares add
/// up to most.
pub(super) fn hubs(grams: &LocalGrams<'_>) -> Result<Vec<Witness>> {
    let mut all = Vec::new();
    for side in Side::BOTH {
        let columns = likely(grams, side)?;
        let found = match grams.scan {
            Some(scan) => scan.hubs(side, &columns, LIMITS)?,
            None => None,
        };
        let found = found.map(|found| found.into_iter().flatten().map(Witness::from).collect::<Vec<_>>());
        let on_host = || columns.par_iter().filter_map(|&column| hub(grams, side, column)).collect();
        all.extend(grams.or_on_host(found, on_host)?);
    }
    Ok(all)
}

/// The columns of a view that may have many partners, those that explain most first.
fn likely(grams: &LocalGrams<'_>, side: Side) -> Result<Vec<u32>> {
    let found = match grams.scan {
        Some(scan) => scan.explained(side, LIMITS)?,
        None => None,
    };
    let mut likely = grams.or_on_host(found, || {
        let columns = 0..grams.joint.block(side, side.other()).rows();
        columns
            .into_par_iter()
            .with_max_len(SHARED_OUT)
            .filter_map(|column| explained(grams, side, column).map(|explained| (explained, column as u32)))
            .collect()
    })?;
    likely.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    Ok(likely.into_iter().take(MOST).map(|(_, column)| column).collect())
}

/// What the squares of a column's entries add up to, if it may be one that has many partners.
fn explained(grams: &LocalGrams<'_>, side: Side, column: usize) -> Option<f64> {
    let (views, entries) = ([side as usize, side.other() as usize], grams.joint.block(side, side.other()));
    let (inverse, shifts) = (&grams.inverse[views[1]], grams.shifts(views, column));
    let (mut sum, mut largest, mut count) = (0.0, 0.0f64, 0);
    let mut lanes = [0.0; SUM_LANES];
    entries.for_each(column, |partner, value| {
        let entry = (value - shifts.of(partner)).max(0.0);
        let square = entry * entry * inverse[partner];
        lanes[count % SUM_LANES] += square;
        largest = largest.max(square);
        count += 1;
        if count.is_multiple_of(SEGMENT) {
            sum += add_up(std::mem::replace(&mut lanes, [0.0; SUM_LANES]));
        }
    });
    sum += add_up(lanes);
    let explained = sum * grams.inverse[views[0]][column];
    (explained >= EXPLAINED && largest < ALONE * sum).then_some(explained)
}

/// The sum of the lanes: the second half is added to the first, until one is left.
fn add_up(mut lanes: [f64; SUM_LANES]) -> f64 {
    let mut half = SUM_LANES / 2;
    while half > 0 {
        (0..half).for_each(|lane| lanes[lane] += lanes[lane + half]);
        half /= 2;
    }
    lanes[0]
}

/// The witness of one column and its partners, if it has many.
fn hub(grams: &LocalGrams<'_>, side: Side, column: u32) -> Option<Witness> {
    let (other, partners) = (side.other(), partners(grams, side, column as usize));
    let (stored, both) = (grams.joint.block(other, other), [other as usize; 2]);
    let between = |i: usize, j: usize| {
        let columns = [partners[i].1 as usize, partners[j].1 as usize];
        grams.scaled(both, columns, stored.get(columns[0], columns[1]))
    };
    let entries: Vec<f64> = partners.iter().map(|&(entry, _)| entry).collect();
    let Direction { u, objective, length } = direction(&entries, between)?;
    // An objective above 1 is rounding.
    if !(objective > LIMITS.explained && objective <= LIMITS.largest) {
        return None;
    }
    let root = |side: Side, column: u32| grams.inverse[side as usize][column as usize].sqrt();
    let many = u.iter().zip(&partners).map(|(u, &(_, j))| u * root(other, j) / length).collect();
    let one = vec![root(side, column)];
    let numbers = partners.iter().map(|&(_, j)| j).collect();
    let (mut columns, mut weights) = ([vec![column], numbers], [one, many]);
    if side == Side::Y {
        columns.swap(0, 1);
        weights.swap(0, 1);
    }
    Some(Witness { columns, weights, objective: objective.min(1.0) })
}

/// The largest positive entries of a column, and whose they are.
fn partners(grams: &LocalGrams<'_>, side: Side, column: usize) -> Vec<(f64, u32)> {
    let views = [side as usize, side.other() as usize];
    let mut partners: Vec<(f64, u32)> = Vec::new();
    grams.joint.block(side, side.other()).for_each(column, |partner, value| {
        let entry = grams.scaled(views, [column, partner], value);
        if entry > 0.0 {
            partners.push((entry, partner as u32));
        }
    });
    let order = |a: &(f64, u32), b: &(f64, u32)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
    if partners.len() > PARTNERS {
        partners.select_nth_unstable_by(PARTNERS, order);
        partners.truncate(PARTNERS);
    }
    partners.sort_by(order);
    partners
}

/// The weights of partners.
struct Direction {
    u: Vec<f64>,
    objective: f64,
    /// √(uᵀb·u)
    length: f64,
}

/// Solves for the weights of partners with the entries `c` and, for i > j, b(i, j) between them; `None` if
/// rounding is all that is left of the partners. Plain loops, each entry changed in the order of the columns:
/// a device that does the same gets the same bits.
fn direction(c: &[f64], b: impl Fn(usize, usize) -> f64) -> Option<Direction> {
    let size = c.len();
    let mut between: Vec<f64> = vec![0.0; size * size];
    (0..size).for_each(|i| (0..i).for_each(|j| between[i * size + j] = b(i, j)));
    let mut factor = between.clone();
    (0..size).for_each(|i| factor[i * size + i] = 1.0 + EPSILON);
    let mut u = c.to_vec();
    let mut column = vec![0.0; size];
    for k in 0..size {
        let pivot = factor[k * size + k];
        if pivot.is_nan() || pivot <= 0.0 {
            return None;
        }
        let root = pivot.sqrt();
        factor[k * size + k] = root;
        (k + 1..size).for_each(|i| factor[i * size + k] /= root);
        (k + 1..size).for_each(|i| column[i] = factor[i * size + k]);
        u[k] /= root;
        let own = u[k];
        for i in k + 1..size {
            u[i] -= column[i] * own;
            let row = &mut factor[i * size + k + 1..=i * size + i];
            row.iter_mut().zip(&column[k + 1..]).for_each(|(entry, other)| *entry -= column[i] * other);
        }
    }
    for k in (0..size).rev() {
        u[k] /= factor[k * size + k];
        let own = u[k];
        u[..k].iter_mut().zip(&factor[k * size..]).for_each(|(u, factor)| *u -= factor * own);
    }
    let product = (0..size).fold(0.0, |sum, i| sum + c[i] * u[i]);
    let row = |i: usize| (0..i).fold(0.0, |sum, j| sum + 2.0 * between[i * size + j] * u[j]) + u[i];
    let length = (0..size).fold(0.0, |sum, i| sum + u[i] * row(i)).sqrt();
    Some(Direction { u, objective: product / length, length })
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
        // Column 0 occurs in rows 0 to 79, and in each fourth of them another of 20 columns of the other view
        // does. Column 21 is in all of these rows and in others.
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
            let grams = LocalGrams {
                joint: &joint,
                means: None,
                along: None,
                ridges,
                identities,
                inverse: &inverse,
                scan: None,
            };
            let found = hubs(&grams).unwrap();
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
