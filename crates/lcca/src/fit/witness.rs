//! Witnesses: pairs of directions on a few columns that correlate strongly.
//!
//! The objective of any pair of directions is at most the largest there is, so a pair on a handful of columns whose
//! objective is above θ_k proves that something at least as large must be found. Such pairs are easy to find, because
//! canonical pairs of sparse data live on few columns: a large entry of D^(−½)CxyD^(−½) is one column of each view, and
//! the columns on which its residual is largest are those that it needs. Each is grown from such an entry:
//!
//! ```text
//! Sx = {i}, Sy = {j}
//! repeat:  CCA of the columns Sx and Sy alone → ux, uy, ρ
//!          add to Sx the columns on which (Cxy·uy − ρ·Bx·ux)² / diag(B) is largest, and to Sy likewise
//! ```
//!
//! Witnesses start the iteration, choose columns of the coarse block, and stand against a claim of convergence that does
//! not explain them.

use super::problem::Problem;
use crate::data::{GramEstimate, JointGram, JointGrams, Pair, Side};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::whiten::whitener;
use faer::Mat;
use rayon::prelude::*;
use std::collections::HashSet;

/// Entries of D^(−½)CxyD^(−½) below this are not worth growing.
const FAINT: f64 = 0.2;
/// How often columns are added.
const ROUNDS: usize = 2;
/// Columns that are added to each view at a time.
const ADDED: usize = 2;
/// Entries of Gram matrices that may be read, relative to all that there are: about what a pass costs.
const BUDGET: f64 = 8.0;
/// Most witnesses.
const MOST: usize = 2000;
/// Rows of the sample from which witnesses are grown if there are no Gram matrices of all rows.
const SAMPLE: usize = 20_000;
/// Multiplications that the Gram matrices of the sample may take.
const MOST_WORK: f64 = 1e9;
/// A direction of which less than this share is left unexplained says nothing about what is missing.
const LEFT: f64 = 0.1;

/// A pair of directions on few columns, each of length 1 in its metric B.
pub(super) struct Witness {
    /// The columns of each view.
    pub columns: [Vec<u32>; 2],
    /// Their weights.
    pub weights: [Vec<f64>; 2],
    /// uxᵀCxy·uy.
    pub objective: f64,
}

impl Witness {
    /// Whether the two have a column of either view in common.
    pub fn shares_a_column(&self, other: &Witness) -> bool {
        (0..2).any(|side| self.columns[side].iter().any(|column| other.columns[side].contains(column)))
    }

    /// The objective of what is left of the pair after the pairs found are taken out; 0 if next to nothing is left.
    ///
    /// With W and Θ exact, a larger value than θ_k is a proof that a pair is missing.
    pub fn unexplained(&self, bw: [&Panel; 2], theta: &[f64]) -> f64 {
        let along = [0, 1].map(|side| {
            let mut sum = vec![0.0; theta.len()];
            for (&column, weight) in self.columns[side].iter().zip(&self.weights[side]) {
                sum.iter_mut().zip(bw[side].row(column as usize)).for_each(|(sum, bw)| *sum += weight * bw);
            }
            sum
        });
        let squares = |side: usize| along[side].iter().map(|a: &f64| a * a).sum::<f64>();
        let left = 1.0 - (squares(0) + squares(1)) / 2.0;
        let explained: f64 = along[0].iter().zip(&along[1]).zip(theta).map(|((a, b), t)| a * b * t).sum();
        if left > LEFT { (self.objective - explained) / left } else { 0.0 }
    }
}

/// The Gram matrices in which witnesses are looked for.
struct Grams<'a> {
    joint: &'a JointGram,
    means: Option<&'a [Vec<f64>; 2]>,
    /// The columns' products with an orthonormal basis of the covariates.
    along: Option<&'a [Panel; 2]>,
    ridges: [f64; 2],
    /// Whether B of a view is its ridge times I, without C.
    identities: [bool; 2],
    /// 1/diag(B) of each view, 0 for a constant column.
    inverse: &'a [Vec<f64>; 2],
}

/// The strongest witnesses, strongest first: from the Gram matrices, or from those of a sample of the rows. `inverse` is
/// 1/diag(B) of each view.
pub(super) fn witnesses(problem: &Problem<'_>, inverse: &[Vec<f64>; 2]) -> Result<Vec<Witness>> {
    if let Some(joint) = problem.joint {
        let (means, along, ridges) = (problem.means, problem.along, problem.ridges());
        let identities = problem.identities();
        return Grams { joint, means, along, ridges, identities, inverse }.witnesses();
    }
    let Some(samples) = problem.samples else { return Ok(Vec::new()) };
    let sample = samples.sample(SAMPLE)?;
    let is_small = |estimate: GramEstimate| estimate.work < MOST_WORK;
    if !sample.estimate()?.is_some_and(is_small) {
        return Ok(Vec::new());
    }
    let joint = match sample.joint_gram(problem.settings.memory / 4) {
        Err(Error::Memory { .. }) => return Ok(Vec::new()),
        formed => formed?,
    };
    // The sample stands for all rows, so the ridge is that of its share of them.
    let share = joint.moments(Side::X).weight / problem.pair.moments(Side::X)?.weight;
    let ridges = problem.ridges().map(|ridge| share * ridge);
    let identities = problem.identities();
    let centered = problem.means.map(|_| Side::BOTH.map(|side| joint.moments(side).centered()));
    let means = problem.means.map(|_| Side::BOTH.map(|side| joint.moments(side).mean()));
    let inverse = Side::BOTH.map(|side| {
        let moments = centered.as_ref().map_or(joint.moments(side), |moments| &moments[side as usize]);
        let own = if identities[side as usize] { 0.0 } else { 1.0 };
        let invert =
            |&square: &f64| if square > 0.0 { (own * square + ridges[side as usize]).recip() } else { 0.0 };
        moments.square.iter().map(invert).collect::<Vec<f64>>()
    });
    let grams =
        Grams { joint: &joint, means: means.as_ref(), along: None, ridges, identities, inverse: &inverse };
    let mut witnesses = grams.witnesses()?;
    let root = share.sqrt();
    let weights = witnesses.iter_mut().flat_map(|witness| witness.weights.iter_mut().flatten());
    weights.for_each(|weight| *weight *= root);
    Ok(witnesses)
}

impl Grams<'_> {
    /// The strongest witnesses, strongest first.
    fn witnesses(&self) -> Result<Vec<Witness>> {
        let mut budget = BUDGET * self.joint.entries() as f64;
        let mut candidates = self.candidates();
        candidates.truncate(MOST);
        let affordable = candidates.iter().take_while(|&&(_, x, y)| {
            budget -= self.price(x, y);
            budget > 0.0
        });
        let count = affordable.count();
        let grown = candidates[..count].par_iter().map_init(
            || [0, 1].map(|side| vec![0.0; self.inverse[side].len()]),
            |sums, &(_, x, y)| self.grow(x, y, sums),
        );
        let mut all: Vec<Witness> = grown.collect::<Result<_>>()?;
        all.sort_by(|a, b| b.objective.total_cmp(&a.objective));
        all.dedup_by(|b, a| a.columns == b.columns);
        Ok(all)
    }

    /// Pairs of columns that are each other's strongest, or the strongest of one of them, largest first.
    fn candidates(&self) -> Vec<(f64, u32, u32)> {
        let mut all: Vec<(f64, u32, u32)> = Vec::new();
        for side in Side::BOTH {
            let block = self.joint.block(side, side.other());
            let strongest = (0..block.rows() as u32).into_par_iter().filter_map(|i| {
                let (mut best, mut at) = (FAINT, None);
                block.for_each(i as usize, |j, value| {
                    let both = match side {
                        Side::X => [i as usize, j],
                        Side::Y => [j, i as usize],
                    };
                    let scale = (self.inverse[0][both[0]] * self.inverse[1][both[1]]).sqrt();
                    let entry = (value - self.shift([0, 1], both)) * scale;
                    if entry > best {
                        (best, at) = (entry, Some(both));
                    }
                });
                at.map(|[x, y]| (best, x as u32, y as u32))
            });
            all.extend(strongest.collect::<Vec<_>>());
        }
        all.par_sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
        all.dedup();
        all
    }

    /// What centering and covariates take off the entry of two columns.
    fn shift(&self, views: [usize; 2], columns: [usize; 2]) -> f64 {
        let weight = self.joint.moments(Side::X).weight;
        let by_means = self
            .means
            .map_or(0.0, |means| weight * means[views[0]][columns[0]] * means[views[1]][columns[1]]);
        let Some(along) = self.along else { return by_means };
        let [a, b] = [0, 1].map(|i| along[views[i]].row(columns[i]));
        by_means + a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>()
    }

    /// About how many entries growing from two columns reads.
    fn price(&self, x: u32, y: u32) -> f64 {
        let row = |side: Side, column: u32| {
            Side::BOTH
                .iter()
                .map(|&other| self.joint.block(side, other).row_entries(column as usize))
                .sum::<u64>()
        };
        (ROUNDS + 1) as f64 * (row(Side::X, x) + row(Side::Y, y)) as f64
    }

    fn grow(&self, x: u32, y: u32, sums: &mut [Vec<f64>; 2]) -> Result<Witness> {
        let mut columns = [vec![x], vec![y]];
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
            let mut dense = Mat::zeros(columns[target].len(), columns[source].len());
            let stored = self.joint.block(Side::BOTH[target], Side::BOTH[source]);
            for (a, &i) in columns[target].iter().enumerate() {
                for (b, &j) in columns[source].iter().enumerate() {
                    let ridge = if target == source && i == j { self.ridges[target] } else { 0.0 };
                    let shift = self.shift([target, source], [i as usize, j as usize]);
                    let is_identity = target == source && self.identities[target];
                    dense[(a, b)] =
                        ridge + if is_identity { 0.0 } else { stored.get(i as usize, j as usize) - shift };
                }
            }
            dense
        };
        let (hx, hy) = (whitener(block(0, 0).as_ref())?, whitener(block(1, 1).as_ref())?);
        let small = hx.transpose() * block(0, 1) * &hy;
        let svd = small.thin_svd().map_err(|_| Error::Factorization("SxᵀXᵀYSy"))?;
        if svd.S().dim() == 0 {
            let weights = columns.each_ref().map(|columns| vec![0.0; columns.len()]);
            return Ok(Witness { columns: columns.clone(), weights, objective: 0.0 });
        }
        let weights = |h: &Mat<f64>, u: faer::MatRef<'_, f64>| {
            let w = h * u.subcols(0, 1);
            (0..w.nrows()).map(|i| w[(i, 0)]).collect()
        };
        let weights = [weights(&hx, svd.U()), weights(&hy, svd.V())];
        Ok(Witness { columns: columns.clone(), weights, objective: svd.S()[0].min(1.0) })
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
                    block.for_each(column as usize, |j, value| {
                        if sum[j] == 0.0 {
                            touched.push(j as u32);
                        }
                        let shift = self.shift([source, side], [column as usize, j]);
                        sum[j] += factor * weight * (value - shift);
                    });
                }
            }
            let mut best: [(f64, u32); ADDED] = [(0.0, u32::MAX); ADDED];
            for &j in &touched {
                let square = std::mem::take(&mut sum[j as usize]).powi(2) * self.inverse[side][j as usize];
                if square > best[ADDED - 1].0 && !witness.columns[side].contains(&j) {
                    best[ADDED - 1] = (square, j);
                    best.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                }
            }
            best.iter().filter(|(square, _)| *square > 0.0).map(|&(_, j)| j).collect()
        })
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

/// Witnesses as panels of weights; `None` if there are none.
pub(super) fn as_panels(witnesses: &[&Witness], rows: [usize; 2]) -> Option<Vec<Panel>> {
    let panel = |side: usize| {
        let mut panel = Panel::zeros(rows[side], witnesses.len());
        for (j, witness) in witnesses.iter().enumerate() {
            for (&column, &weight) in witness.columns[side].iter().zip(&witness.weights[side]) {
                panel.row_mut(column as usize)[j] = weight;
            }
        }
        panel
    };
    (!witnesses.is_empty()).then(|| vec![panel(0), panel(1)])
}
