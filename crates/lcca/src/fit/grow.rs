//! Growing witnesses from entries of Gram matrices.
//!
//! A large entry of D^(−½)CxyD^(−½) is one column of each view, and the columns on which its residual is
//! largest are those that it needs:
//!
//! ```text
//! Sx = {i}, Sy = {j}
//! repeat:  CCA of the columns Sx and Sy alone → ux, uy, ρ
//!          add to Sx the columns on which (Cxy·uy − ρ·Bx·ux)² / diag(B) is largest, and to Sy likewise
//! ```
//!
//! Others begin with two columns of each view that are nearly equal and whose differences correlate
//! (`twins`), or are one column and many of the other view (`hubs`).

use super::hubs::hubs;
use super::local_grams::{LocalGrams, NEARLY};
use super::scratch::Scratch;
use super::tiny::{Square, Tiny};
use super::twins::pairs_of_twins;
use super::witness::{Columns, Witness};
use crate::data::Side;
use crate::error::{Error, Result};
use crate::space::{ADDED, MOST_GROWN, ROUNDS, ScaledProduct};
use rayon::prelude::*;
use std::collections::{HashMap, HashSet};

/// Entries of D^(−½)CxyD^(−½) below this are not worth growing.
const FAINT: f64 = 0.2;
/// Entries of Gram matrices that may be read, relative to all that there are: about what a pass costs.
const BUDGET: f64 = 8.0;
/// Most witnesses that begin with one column of each view, and most that begin with two.
const MOST: usize = 2000;

/// If witnesses of a neighboring ridge are known: most that begin with one column of each view, and most of
/// the known ones that do not.
const MOST_AGAIN: usize = 600;

/// Columns that one thread looks at before others may take some: frequent ones cost most, and they often
/// stand together.
const SHARED_OUT: usize = 256;

/// Witnesses that one thread grows before others may take some.
const GROWN: usize = 8;

/// The error of numbers that are not finite.
const FAILED: Error = Error::Factorization("SxᵀXᵀYSy");

/// The columns of each view that a witness begins with.
type Seed = Columns;

/// The strongest witnesses, strongest first. `twins` are the pairs of twins of each view.
pub(super) fn witnesses(grams: &LocalGrams<'_>, twins: &[Vec<ScaledProduct>; 2]) -> Result<Vec<Witness>> {
    let singles = grams.candidates(MOST)?.into_iter().map(|(x, y)| [vec![x], vec![y]]);
    let twins = pairs_of_twins(grams, twins, FAINT)?.into_iter().take(MOST);
    let mut budget = BUDGET * grams.joint.entries() as f64;
    let mut affordable = |seed: &Seed| {
        budget -= grams.price(seed);
        budget > 0.0
    };
    let seeds: Vec<Seed> = twins.chain(singles).take_while(|seed| affordable(seed)).collect();
    let mut all = grams.grown(&seeds)?;
    all.extend(hubs(grams)?);
    all.sort_by(|a, b| b.objective.total_cmp(&a.objective));
    all.dedup_by(|b, a| a.columns == b.columns);
    Ok(all)
}

/// As [`witnesses`], with the columns of those that were grown on the same rows at another ridge, the
/// strongest first. Columns that joined a seed then join it again; only other seeds are grown. Twins are not
/// looked for again, nor are hubs: the pairs that they led to are kept, and a fold in which another ridge
/// would bring up one more scores a little less.
pub(super) fn witnesses_again(grams: &LocalGrams<'_>, known: &[Columns]) -> Result<Vec<Witness>> {
    let known: Vec<&Columns> = known.iter().filter(|columns| !is_hub(columns)).collect();
    let first = |columns: &Columns| Some((*columns[0].first()?, *columns[1].first()?));
    let by_seed: HashMap<(u32, u32), &Columns> =
        known.iter().rev().filter_map(|&columns| Some((first(columns)?, columns))).collect();
    let seeds = grams.candidates(MOST_AGAIN)?;
    let taken: HashSet<(u32, u32)> = seeds.iter().copied().collect();
    grams.joint.bring()?;
    let scratch = grams.scratch();
    let grown = seeds.par_iter().with_max_len(GROWN).map(|&(x, y)| match by_seed.get(&(x, y)) {
        Some(columns) => grams.solve(columns),
        None => scratch.lend(|sums| grams.grow(&[vec![x], vec![y]], sums)),
    });
    let mut all: Vec<Witness> = grown.collect::<Result<_>>()?;
    let is_left = |columns: &&Columns| first(columns).is_some_and(|first| !taken.contains(&first));
    let left: Vec<&Columns> = known.iter().copied().filter(is_left).take(MOST_AGAIN).collect();
    all.extend(left.par_iter().map(|columns| grams.solve(columns)).collect::<Result<Vec<_>>>()?);
    all.sort_by(|a, b| b.objective.total_cmp(&a.objective));
    all.dedup_by(|b, a| a.columns == b.columns);
    Ok(all)
}

/// Whether there are more columns of a view than a witness grows from two.
fn is_hub(columns: &Columns) -> bool {
    columns.iter().any(|columns| columns.len() > MOST_GROWN)
}

impl LocalGrams<'_> {
    /// Zeros for each column of each view, one per thread.
    fn scratch(&self) -> Scratch<[Vec<f64>; 2], impl Fn() -> [Vec<f64>; 2] + '_> {
        Scratch::new(|| self.inverse.each_ref().map(|inverse| vec![0.0; inverse.len()]))
    }

    /// Pairs of columns that are each other's strongest, or the strongest of one of them, at most so many,
    /// largest first.
    fn candidates(&self, most: usize) -> Result<Vec<(u32, u32)>> {
        // No pair is there more than twice.
        let enough = 2 * most;
        let listed = match self.scan {
            Some(scan) => scan.strongest(FAINT, enough)?,
            None => None,
        };
        let mut all =
            self.or_on_host(listed, || [self.strongest(Side::X), self.strongest(Side::Y)].concat())?;
        let order = |a: &ScaledProduct, b: &ScaledProduct| {
            b.product.total_cmp(&a.product).then(a.columns.cmp(&b.columns))
        };
        if all.len() > enough {
            all.select_nth_unstable_by(enough, order);
            all.truncate(enough);
        }
        all.par_sort_unstable_by(order);
        all.dedup();
        Ok(all.iter().take(most).map(|pair| (pair.columns[0], pair.columns[1])).collect())
    }

    /// Columns of a view and the strongest of the other view, if it is not faint.
    fn strongest(&self, side: Side) -> Vec<ScaledProduct> {
        let (block, views) = (self.joint.block(side, side.other()), [side as usize, side.other() as usize]);
        let of_column = |i: usize| {
            let (own, others) = (self.inverse[views[0]][i], &self.inverse[views[1]]);
            let shifts = self.shifts(views, i);
            let (mut best, mut at) = (FAINT, None);
            block.for_each(i, |j, value| {
                // A square root is taken only for entries that may be larger.
                let entry = value - shifts.of(j);
                let square = own * others[j];
                if entry > 0.0 && entry * entry * square > NEARLY * best * best {
                    let entry = entry * square.sqrt();
                    if entry > best {
                        (best, at) = (entry, Some(j as u32));
                    }
                }
            });
            let columns = |j: u32| if side == Side::X { [i as u32, j] } else { [j, i as u32] };
            at.map(|j| ScaledProduct { product: best, columns: columns(j) })
        };
        (0..block.rows()).into_par_iter().with_max_len(SHARED_OUT).filter_map(of_column).collect()
    }

    /// About how many entries growing from some columns reads.
    fn price(&self, seed: &Seed) -> f64 {
        let row = |side: Side, column: u32| {
            Side::BOTH
                .iter()
                .map(|&other| self.joint.block(side, other).row_entries(column as usize))
                .sum::<u64>()
        };
        let columns = Side::BOTH.into_iter().flat_map(|side| {
            let rows = seed[side as usize].iter().map(move |&column| row(side, column));
            rows.collect::<Vec<u64>>()
        });
        (ROUNDS + 1) as f64 * columns.sum::<u64>() as f64
    }

    /// What grows from seeds.
    fn grown(&self, seeds: &[Seed]) -> Result<Vec<Witness>> {
        if let Some(scan) = self.scan
            && let Some(found) = scan.grown(seeds)?
        {
            let failed = found.iter().any(|pair| pair.objective.is_nan());
            return if failed { Err(FAILED) } else { Ok(found.into_iter().map(Witness::from).collect()) };
        }
        self.joint.bring()?;
        let scratch = self.scratch();
        let grown = seeds.par_iter().with_max_len(GROWN);
        grown.map(|seed| scratch.lend(|sums| self.grow(seed, sums))).collect()
    }

    fn grow(&self, seed: &Seed, sums: &mut [Vec<f64>; 2]) -> Result<Witness> {
        let mut columns = seed.clone();
        let mut witness = self.solve(&columns)?;
        for _ in 0..ROUNDS {
            let more = self.needed(&witness, sums);
            if more.iter().all(Vec::is_empty) {
                break;
            }
            columns.iter_mut().zip(more).for_each(|(columns, more)| columns.extend(more));
            witness = self.solve(&columns)?;
        }
        Ok(witness)
    }

    /// CCA of some columns alone: the best pair.
    fn solve(&self, columns: &[Vec<u32>; 2]) -> Result<Witness> {
        let block = |target: usize, source: usize| {
            let mut dense = Square::default();
            let stored = self.joint.block(Side::BOTH[target], Side::BOTH[source]);
            for (a, &i) in columns[target].iter().enumerate() {
                for (b, &j) in columns[source].iter().enumerate() {
                    // Of symmetric blocks the lower triangle is read.
                    if target == source && b > a {
                        break;
                    }
                    let ridge = if target == source && i == j { self.ridges[target] } else { 0.0 };
                    let shift = self.shift([target, source], [i as usize, j as usize]);
                    let is_identity = target == source && self.identities[target];
                    dense[a][b] =
                        ridge + if is_identity { 0.0 } else { stored.get(i as usize, j as usize) - shift };
                }
            }
            dense
        };
        let sizes = columns.each_ref().map(Vec::len);
        let tiny = Tiny { sizes, metrics: [block(0, 0), block(1, 1)], cross: block(0, 1) };
        let best = tiny.best_pair().ok_or(FAILED)?;
        let weights = [0, 1].map(|side| best.weights[side][..sizes[side]].to_vec());
        Ok(Witness { columns: columns.clone(), weights, objective: best.objective.min(1.0) })
    }

    /// The columns of each view on which the residual of a pair is largest. `sums` are zero before and after.
    fn needed(&self, witness: &Witness, sums: &mut [Vec<f64>; 2]) -> [Vec<u32>; 2] {
        [0, 1].map(|side| {
            let sum = &mut sums[side];
            let mut touched: Vec<u32> = Vec::new();
            let own = if self.identities[side] { 0.0 } else { -witness.objective };
            for (source, factor) in [(1 - side, 1.0), (side, own)].into_iter().filter(|(_, f)| *f != 0.0) {
                let block = self.joint.block(Side::BOTH[source], Side::BOTH[side]);
                for (&column, weight) in witness.columns[source].iter().zip(&witness.weights[source]) {
                    let (shifts, factor) = (self.shifts([source, side], column as usize), factor * weight);
                    block.for_each(column as usize, |j, value| {
                        if sum[j] == 0.0 {
                            touched.push(j as u32);
                        }
                        sum[j] += factor * (value - shifts.of(j));
                    });
                }
            }
            let mut best: [(f64, u32); ADDED] = [(0.0, u32::MAX); ADDED];
            for &j in &touched {
                let square = std::mem::take(&mut sum[j as usize]).powi(2) * self.inverse[side][j as usize];
                let (least, last) = best[ADDED - 1];
                // Of equal ones the first columns, in whatever order they were touched.
                if (square > least || (square == least && j < last)) && !witness.columns[side].contains(&j) {
                    best[ADDED - 1] = (square, j);
                    best.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                }
            }
            best.iter().filter(|(square, _)| *square > 0.0).map(|&(_, j)| j).collect()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::twins::twins;
    use super::*;
    use crate::data::{InMemory, JointGrams};
    use crate::testing::zipf_rows;

    #[test]
    fn witnesses_that_are_known_come_back_and_others_are_grown() {
        let pair = InMemory::new(zipf_rows(3000, 200, 6, 1), zipf_rows(3000, 150, 5, 1)).unwrap();
        let joint = pair.joint_gram(u64::MAX).unwrap();
        let inverse = Side::BOTH.map(|side| {
            joint.moments(side).square.iter().map(|square| (square + 1.0).recip()).collect::<Vec<f64>>()
        });
        let (ridges, identities) = ([1.0; 2], [false; 2]);
        let grams = LocalGrams {
            joint: &joint,
            means: None,
            along: None,
            ridges,
            identities,
            inverse: &inverse,
            scan: None,
        };
        let all = witnesses(&grams, &twins(&grams, None).unwrap()).unwrap();
        assert!(all.len() > 20 && all.len() < MOST_AGAIN, "{}", all.len());
        let columns: Vec<Columns> = all.iter().map(|witness| witness.columns.clone()).collect();
        // All of them are known, every third is, or only one that no seed begins with.
        let third: Vec<Columns> = columns.iter().step_by(3).cloned().collect();
        for known in [columns, third, vec![[vec![0, 1], vec![149]]]] {
            let again = witnesses_again(&grams, &known).unwrap();
            for witness in all.iter().filter(|witness| !is_hub(&witness.columns)) {
                let found = again.iter().find(|other| other.columns == witness.columns);
                assert!(
                    found.is_some_and(|other| (other.objective - witness.objective).abs() < 1e-12),
                    "{:?}",
                    witness.columns
                );
            }
        }
    }
}
