//! An equivalent, smaller problem: equal rows merged into weights, empty columns left out, columns by
//! frequency.
//!
//! Each change is made only if it pays. Merging pays if a sample shows many equal rows. New column numbers
//! pay if many columns are empty, because panels get lower, or if the frequent ones lie far apart, because
//! their panel rows share few pages.

use super::merge;
use super::paired_rows::PairedRows;
use crate::error::Result;
use crate::matrix::{Matrix, OneHotRows, Reader, RowsBuilder, SparseRows};
use rayon::prelude::*;

/// Columns are renumbered if more than this share of them is empty.
const EMPTY: f64 = 0.1;
/// Panels of fewer columns than this stay in the caches in any order.
const MANY: usize = 50_000;
/// The most frequent columns are those that together hold this share of the entries.
const FREQUENT: f64 = 0.9;
/// Columns are in good order if the first ones, twice as many as there are frequent columns, hold this
/// share of the entries.
const IN_FRONT: f64 = 0.8;
/// The number of rows that one thread renumbers at a time.
const ROWS: usize = 1 << 14;

/// For each view, the columns that hold an entry, most frequent first; `None` if renumbering would not pay.
/// `counts` are the entries of each column. A view with every entry in every row has nothing to gain.
pub fn columns_to_keep(counts: [&[u64]; 2], rows: usize) -> [Option<Vec<u32>>; 2] {
    let kept = |count: &[u64]| {
        let dense = count.iter().all(|&count| count == rows as u64);
        if dense { None } else { kept_columns(count) }
    };
    rayon::join(|| kept(counts[0]), || kept(counts[1])).into()
}

/// The rows with equal ones merged, if that pays, and in terms of the kept columns; `None` if nothing would
/// change. If the share of different rows in a sample is small enough to think of merging, `merging_pays`
/// gets it and decides.
pub(in crate::data) fn reduced(
    rows: &PairedRows,
    columns: [Option<&[u32]>; 2],
    merging_pays: impl Fn(f64) -> bool,
) -> Result<Option<PairedRows>> {
    let Some(merged) = merge::merged(&rows.views, rows.weights.as_ref(), merging_pays)? else {
        return renumbered_rows(rows, columns);
    };
    let merged = PairedRows { views: merged.views, weights: Some(merged.weights.into()) };
    Ok(Some(renumbered_rows(&merged, columns)?.unwrap_or(merged)))
}

/// The rows in terms of the kept columns; `None` if all are kept as they are.
pub(in crate::data) fn renumbered_rows(
    rows: &PairedRows,
    columns: [Option<&[u32]>; 2],
) -> Result<Option<PairedRows>> {
    if columns.iter().all(Option::is_none) {
        return Ok(None);
    }
    let [x, y] = [0, 1].map(|side| renumbered(&rows.views[side], columns[side]));
    let smaller = PairedRows::new(x?, y?)?;
    Ok(Some(match &rows.weights {
        Some(weights) => smaller.weighted(weights.clone())?,
        None => smaller,
    }))
}

/// The columns that hold an entry, most frequent first; `None` if renumbering would not pay.
fn kept_columns(count: &[u64]) -> Option<Vec<u32>> {
    let empty = count.par_iter().filter(|&&count| count == 0).count();
    let many_empty = empty as f64 > EMPTY * count.len() as f64;
    if !many_empty && (count.len() <= MANY || !are_scattered(count)) {
        return None;
    }
    let mut kept: Vec<u32> = (0..count.len() as u32).filter(|&j| count[j as usize] > 0).collect();
    kept.par_sort_by_key(|&j| std::cmp::Reverse(count[j as usize]));
    Some(kept)
}

/// Whether the most frequent columns lie far from the front.
fn are_scattered(count: &[u64]) -> bool {
    let all: u64 = count.iter().sum();
    let mut descending = count.to_vec();
    descending.par_sort_unstable_by(|a, b| b.cmp(a));
    let mut entries = 0;
    let reaches_share = |&count: &u64| {
        entries += count;
        entries as f64 >= FREQUENT * all as f64
    };
    let frequent = 1 + descending.iter().position(reaches_share).unwrap_or(descending.len());
    let in_front: u64 = count.iter().take(2 * frequent).sum();
    (in_front as f64) < IN_FRONT * all as f64
}

/// The view in terms of the kept columns.
fn renumbered(view: &Matrix, kept: Option<&[u32]>) -> Result<Matrix> {
    let Some(kept) = kept else { return Ok(view.clone()) };
    let mut new = vec![u32::MAX; view.cols()];
    kept.iter().enumerate().for_each(|(number, &column)| new[column as usize] = number as u32);
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
    let reader = Reader::new(view);
    let renumber_rows = |start: usize| {
        let (mut rows, mut entries) = (RowsBuilder::default(), Vec::new());
        for row in start..(start + ROWS).min(view.rows()) {
            entries.clear();
            reader.for_each(row, |column, value| entries.push((new[column], value)));
            entries.sort_unstable_by_key(|&(column, _)| column);
            entries.iter().for_each(|&(column, value)| rows.push(column, value));
            rows.end_row();
        }
        rows
    };
    let starts: Vec<usize> = (0..view.rows()).step_by(ROWS).collect();
    RowsBuilder::join(starts.into_par_iter().map(renumber_rows).collect(), cols, view.is_all_ones())
}
