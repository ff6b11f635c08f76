//! The same problem made smaller: equal rows merged into weights, empty columns left out, columns by frequency.
//!
//! Each is done only where it pays: merging where a sample shows many equal rows, new column numbers where many columns are
//! empty (panels get lower) or the frequent ones lie far apart (their panel rows share few pages).

use super::merge;
use super::{InMemory, Pair, Shape, Side};
use crate::error::Result;
use crate::matrix::{Buffer, Matrix, OneHotRows, RowsBuilder, SparseRows};
use rayon::prelude::*;

/// Columns are renumbered where more than this share of them is empty.
const EMPTY: f64 = 0.1;
/// Fewer columns than this have panels that stay in the caches, in whatever order.
const MANY: usize = 50_000;
/// The most frequent columns are those that together hold this share of the entries.
const FREQUENT: f64 = 0.9;
/// Columns are in good order where the first of them, twice as many as are frequent, hold this share of the entries.
const IN_FRONT: f64 = 0.8;
/// Rows that one thread renumbers at a time.
const ROWS: usize = 1 << 16;

/// A smaller pair, and how to get back.
pub struct Reduced {
    /// Stands for the pair it was made from.
    pub pair: Box<dyn Pair>,
    /// For each view, the column behind each that was kept; nothing where all are where they were.
    pub columns: [Option<Vec<u32>>; 2],
    /// What was found, in plain words.
    pub found: Vec<String>,
}

impl Reduced {
    /// `pair` in place of a pair of shape `all`, in terms of the kept columns; nothing where it is no smaller.
    pub fn new(all: Shape, pair: Box<dyn Pair>, columns: [Option<Vec<u32>>; 2]) -> Option<Self> {
        let (mut found, different) = (Vec::new(), pair.shape().rows);
        if different < all.rows {
            found.push(format!("only {different} of the {} rows are different", all.rows));
        }
        for (side, kept) in Side::BOTH.into_iter().zip(&columns) {
            if let Some(kept) = kept {
                let (kept, all) = (kept.len(), all.cols(side));
                found.push(format!(
                    "the {kept} of {all} columns of {side} that are not empty were renumbered by frequency"
                ));
            }
        }
        (!found.is_empty()).then_some(Reduced { pair, columns, found })
    }
}

/// For each view, the columns that hold something, most frequent first, where renumbering pays. Views with every entry
/// in every row have nothing to gain.
pub fn columns(pair: &dyn Pair) -> Result<[Option<Vec<u32>>; 2]> {
    let rows = pair.shape().rows as u64;
    let of = |side: Side| -> Result<_> {
        let count = &pair.moments(side)?.count;
        Ok(if count.iter().all(|&count| count == rows) { None } else { kept_columns(count) })
    };
    Ok([of(Side::X)?, of(Side::Y)?])
}

/// Two views with equal rows merged where that pays, in terms of the kept columns; nothing where all would stay.
pub(super) fn reduced(
    views: &[Matrix; 2],
    weights: Option<&Buffer<f64>>,
    columns: [Option<&[u32]>; 2],
) -> Result<Option<InMemory>> {
    let merged = merge::merged(views, weights)?;
    if merged.is_none() && columns.iter().all(Option::is_none) {
        return Ok(None);
    }
    let (views, weights) = match &merged {
        Some(merged) => (&merged.views, Some(merged.weights.clone().into())),
        None => (views, weights.cloned()),
    };
    let [x, y] = [0, 1].map(|side| renumbered(&views[side], columns[side]));
    let pair = InMemory::new(x?, y?)?;
    Ok(Some(match weights {
        Some(weights) => pair.weighted(weights)?,
        None => pair,
    }))
}

/// The columns that hold something, most frequent first, where renumbering pays.
fn kept_columns(count: &[u64]) -> Option<Vec<u32>> {
    let mut kept: Vec<u32> = (0..count.len() as u32).filter(|&j| count[j as usize] > 0).collect();
    kept.par_sort_by_key(|&j| std::cmp::Reverse(count[j as usize]));
    let many_empty = (count.len() - kept.len()) as f64 > EMPTY * count.len() as f64;
    (many_empty || count.len() > MANY && are_scattered(count, &kept)).then_some(kept)
}

/// Whether the most frequent columns lie far from the front. `order` is by frequency.
fn are_scattered(count: &[u64], order: &[u32]) -> bool {
    let all: u64 = count.iter().sum();
    let mut held = 0;
    let reaches = |&j: &u32| {
        held += count[j as usize];
        held as f64 >= FREQUENT * all as f64
    };
    let frequent = 1 + order.iter().position(reaches).unwrap_or(order.len());
    let in_front: u64 = count.iter().take(2 * frequent).sum();
    (in_front as f64) < IN_FRONT * all as f64
}

/// The view in terms of the kept columns.
fn renumbered(view: &Matrix, kept: Option<&[u32]>) -> Result<Matrix> {
    let Some(kept) = kept else { return Ok(view.clone()) };
    let mut new = vec![u32::MAX; view.cols()];
    kept.iter().enumerate().for_each(|(at, &column)| new[column as usize] = at as u32);
    Ok(match view {
        Matrix::OneHot(m) => {
            let number = |row: usize| m.column(row).map_or(OneHotRows::EMPTY, |column| new[column]);
            let columns: Vec<u32> = (0..m.rows()).into_par_iter().map(number).collect();
            OneHotRows::new(kept.len(), columns.into())?.into()
        }
        Matrix::Sparse(_) => sparse_renumbered(view, &new, kept.len())?.into(),
        Matrix::Dense(_) => view.clone(),
    })
}

/// Columns by their new numbers, sorted within each row.
fn sparse_renumbered(view: &Matrix, new: &[u32], cols: usize) -> Result<SparseRows> {
    let part = |start: usize| {
        let (mut rows, mut entries) = (RowsBuilder::default(), Vec::new());
        for row in start..(start + ROWS).min(view.rows()) {
            entries.clear();
            view.for_each(row, |column, value| entries.push((new[column], value)));
            entries.sort_unstable_by_key(|&(column, _)| column);
            entries.iter().for_each(|&(column, value)| rows.push(column, value));
            rows.end_row();
        }
        rows
    };
    let starts: Vec<usize> = (0..view.rows()).step_by(ROWS).collect();
    RowsBuilder::join(starts.into_par_iter().map(part).collect(), cols, view.is_all_ones())
}
