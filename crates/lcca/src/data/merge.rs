//! Equal rows merged into one row with their weights' sum.
//!
//! A million tokens of text hold a few hundred thousand different pairs of words: a pass over those is as good.

use crate::error::Result;
use crate::matrix::{Buffer, Matrix, OneHotRows, RowsBuilder};
use rayon::prelude::*;

/// Rows that are sampled before deciding. Fewer rows than this are not worth merging.
const SAMPLE: usize = 1 << 16;
/// Merging pays if at most this share of the sampled rows are different.
const DIFFERENT: f64 = 0.9;

/// The rows that differ from each other, and the weight of each.
pub(super) struct Merged {
    pub views: [Matrix; 2],
    pub weights: Vec<f64>,
}

/// The merged views, if a sample says that merging pays.
pub(super) fn merged(views: &[Matrix; 2], weights: Option<&Buffer<f64>>) -> Result<Option<Merged>> {
    let rows = views[0].rows();
    let countable = (SAMPLE..u32::MAX as usize).contains(&rows);
    let dense = views.iter().any(|view| matches!(view, Matrix::Dense(_)));
    // The Gram matrix of two one-hot views is a list of their different rows, and is formed faster than rows are sorted.
    let one_hot = views.iter().all(|view| matches!(view, Matrix::OneHot(_)));
    if !countable || dense || one_hot || !pays(views) {
        return Ok(None);
    }
    let mut order: Vec<(u64, u32)> =
        (0..rows).into_par_iter().map(|row| (hash(views, row), row as u32)).collect();
    order.par_sort_unstable();
    let weight = |row: u32| weights.map_or(1.0, |weights| weights.as_slice()[row as usize].get());
    let mut kept: Vec<(u32, f64)> = Vec::new();
    for same_hash in order.chunk_by(|a, b| a.0 == b.0) {
        let first = kept.len();
        for &(_, row) in same_hash {
            // Different rows may share a hash, so each is compared with all rows of its hash.
            match kept[first..].iter_mut().find(|(other, _)| equal(views, *other as usize, row as usize)) {
                Some((_, sum)) => *sum += weight(row),
                None => kept.push((row, weight(row))),
            }
        }
    }
    kept.par_sort_unstable_by_key(|&(row, _)| row);
    let [x, y] = views.each_ref().map(|view| select(view, &kept));
    Ok(Some(Merged { views: [x?, y?], weights: kept.iter().map(|&(_, weight)| weight).collect() }))
}

/// Whether few enough of the sampled rows are different.
fn pays(views: &[Matrix; 2]) -> bool {
    let rows = views[0].rows();
    let mut sample: Vec<u64> =
        (0..rows).into_par_iter().step_by(rows.div_ceil(SAMPLE)).map(|row| hash(views, row)).collect();
    let sampled = sample.len() as f64;
    sample.par_sort_unstable();
    sample.dedup();
    sample.len() as f64 <= DIFFERENT * sampled
}

/// A hash of a row's columns and values, X before Y.
fn hash(views: &[Matrix; 2], row: usize) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15u64;
    for view in views {
        let mut mix = |word: u64| {
            hash = (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
            hash ^= hash >> 32;
        };
        view.for_each(row, |column, value| {
            mix(column as u64);
            mix(value.to_bits());
        });
        mix(u64::MAX);
    }
    hash
}

fn equal(views: &[Matrix; 2], a: usize, b: usize) -> bool {
    let entries = |view: &Matrix, row: usize| {
        let mut entries = Vec::new();
        view.for_each(row, |column, value| entries.push((column, value)));
        entries
    };
    views.iter().all(|view| entries(view, a) == entries(view, b))
}

/// The view's rows that are listed in `kept`.
fn select(view: &Matrix, kept: &[(u32, f64)]) -> Result<Matrix> {
    if let Matrix::OneHot(m) = view {
        let columns = m.columns().as_slice();
        let columns: Vec<u32> = kept.par_iter().map(|&(row, _)| columns[row as usize].get()).collect();
        return Ok(OneHotRows::new(m.cols(), columns.into())?.into());
    }
    let mut rows = RowsBuilder::default();
    for &(row, _) in kept {
        view.for_each(row as usize, |column, value| rows.push(column as u32, value));
        rows.end_row();
    }
    Ok(RowsBuilder::join(vec![rows], view.cols(), view.is_all_ones())?.into())
}
