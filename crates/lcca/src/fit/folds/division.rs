//! Ways to cut rows into those that are trained on and those that are held out.
//!
//! A fold is a set of row weights, 0 for the rows left out, so nothing is copied.

use super::groups::Groups;
use crate::data::{InMemory, Pair};
use crate::error::{Error, Result};
use crate::random;

/// A fold of fewer rows says little by itself, because one row has no correlation and two have ±1.
const FEWEST: usize = 10;

/// Ways to cut the rows into those that are trained on and those that are held out.
pub struct Folds<'a> {
    pair: &'a InMemory,
    division: Division,
    count: usize,
}

#[derive(Clone)]
enum Division {
    /// The fold of each row.
    Dealt(Vec<u32>),
    /// For each fold, how often each row is trained on, and how often it is held out.
    Given(Vec<[Vec<u32>; 2]>),
}

impl<'a> Folds<'a> {
    /// Deals the rows at random into `count` folds whose sizes differ by at most one.
    pub fn new(pair: &'a InMemory, count: usize, seed: u64) -> Result<Self> {
        let rows = pair.shape().rows;
        if count < 2 || count > rows {
            let expected = "at least 2 and at most the number of rows";
            return Err(Error::Setting { name: "folds", value: count.to_string(), expected });
        }
        let mut fold: Vec<u32> = (0..rows).map(|row| (row % count) as u32).collect();
        random::shuffle(&mut fold, &mut random::generator(seed, random::Purpose::Folds, 0));
        Ok(Folds { pair, division: Division::Dealt(fold), count })
    }

    /// Deals groups at random into `count` folds, so that no group is on both sides of a cut. Large groups
    /// are dealt first, each to the fold with the fewest rows, so that folds are about as large as each
    /// other.
    pub fn grouped(pair: &'a InMemory, count: usize, groups: &Groups, seed: u64) -> Result<Self> {
        groups.check(pair.shape().rows)?;
        let mut members = groups.members(|_| true);
        if count < 2 || count > members.len() {
            let expected = "at least 2 and at most the number of groups";
            return Err(Error::Setting { name: "folds", value: count.to_string(), expected });
        }
        random::shuffle(&mut members, &mut random::generator(seed, random::Purpose::Folds, 0));
        members.sort_by_key(|rows| std::cmp::Reverse(rows.len()));
        let (mut fold, mut sizes) = (vec![0; pair.shape().rows], vec![0; count]);
        for rows in members {
            let smallest = (0..count).min_by_key(|&fold| sizes[fold]).unwrap_or(0);
            sizes[smallest] += rows.len();
            rows.iter().for_each(|&row| fold[row as usize] = smallest as u32);
        }
        Ok(Folds { pair, division: Division::Dealt(fold), count })
    }

    /// Cuts that the caller made: for each fold the rows to train on and the rows to hold out, which may
    /// repeat.
    pub fn given(pair: &'a InMemory, splits: &[[Vec<usize>; 2]]) -> Result<Self> {
        let rows = pair.shape().rows;
        let mut given = Vec::with_capacity(splits.len());
        for split in splits {
            let [training, held_out] = split.each_ref().map(|chosen| counts(chosen, rows));
            given.push([training?, held_out?]);
        }
        if given.is_empty() {
            let expected = "at least one";
            return Err(Error::Setting { name: "folds", value: "0".into(), expected });
        }
        Ok(Folds { pair, count: given.len(), division: Division::Given(given) })
    }

    /// These folds of the rows near an origin, if the rows need one.
    pub(in crate::fit) fn near_origin(&self) -> Result<Folds<'a>> {
        let pair = self.pair.near_origin()?;
        Ok(Folds { pair, division: self.division.clone(), count: self.count })
    }

    /// The number of folds.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The rows outside a fold.
    pub fn training(&self, fold: usize) -> Result<InMemory> {
        match &self.division {
            Division::Dealt(folds) => self.weighted(|row| f64::from(u8::from(folds[row] != fold as u32))),
            Division::Given(given) => self.weighted(|row| f64::from(given[fold][0][row])),
        }
    }

    /// The rows of a fold.
    pub fn held_out(&self, fold: usize) -> Result<InMemory> {
        match &self.division {
            Division::Dealt(folds) => self.weighted(|row| f64::from(u8::from(folds[row] == fold as u32))),
            Division::Given(given) => self.weighted(|row| f64::from(given[fold][1][row])),
        }
    }

    /// All rows.
    pub(in crate::fit) fn pair(&self) -> &'a InMemory {
        self.pair
    }

    /// The fold of each row, if every row is held out in one fold, once, and trained on in all others, once.
    pub(in crate::fit) fn parts(&self) -> Option<Vec<u32>> {
        let given = match &self.division {
            Division::Dealt(folds) => return Some(folds.clone()),
            Division::Given(given) => given,
        };
        let fold_of = |row: usize| {
            let fold = given.iter().position(|[_, held_out]| held_out[row] > 0)?;
            let is_part = |(other, [training, held_out]): (usize, &[Vec<u32>; 2])| {
                [training[row], held_out[row]] == if other == fold { [0, 1] } else { [1, 0] }
            };
            given.iter().enumerate().all(is_part).then_some(fold as u32)
        };
        (0..self.pair.shape().rows).map(fold_of).collect()
    }

    /// The rows of a fold, with their weights.
    pub(in crate::fit) fn rows(&self, fold: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let times = move |row: usize| match &self.division {
            Division::Dealt(folds) => f64::from(u8::from(folds[row] == fold as u32)),
            Division::Given(given) => f64::from(given[fold][1][row]),
        };
        let rows = (0..self.pair.shape().rows).map(move |row| (row, times(row) * self.pair.weight(row)));
        rows.filter(|&(_, weight)| weight > 0.0)
    }

    /// Whether a fold has too few rows for correlations of its own.
    pub(in crate::fit) fn are_small(&self) -> bool {
        (0..self.count).any(|fold| self.rows(fold).count() < FEWEST)
    }

    /// All rows, with weight 0 for those that are not wanted.
    fn weighted(&self, wanted: impl Fn(usize) -> f64) -> Result<InMemory> {
        let rows = self.pair.shape().rows;
        let weights: Vec<f64> = (0..rows).map(|row| wanted(row) * self.pair.weight(row)).collect();
        self.pair.reweighted(weights)
    }
}

/// How often each row was chosen.
fn counts(chosen: &[usize], rows: usize) -> Result<Vec<u32>> {
    let mut counts = vec![0; rows];
    for &row in chosen {
        let Some(count) = counts.get_mut(row) else {
            let expected = "rows below the number of rows";
            return Err(Error::Setting { name: "folds", value: format!("a fold with row {row}"), expected });
        };
        *count += 1;
    }
    if chosen.is_empty() {
        let expected = "rows to train on and rows to hold out";
        return Err(Error::Setting { name: "folds", value: "an empty fold".into(), expected });
    }
    Ok(counts)
}
