//! Equal rows merged into one row whose weight is the sum of their weights.
//!
//! For example, a million tokens of text hold a few hundred thousand different pairs of words, and a pass
//! over those is as good.

use crate::error::Result;
use crate::matrix::{Buffer, Matrix, OneHotRows, Reader, RowsBuilder};
use rayon::prelude::*;

/// The number of rows that are sampled before deciding. Fewer rows than this are not worth merging.
const SAMPLE: usize = 1 << 16;
/// Merging pays if at most this share of the sampled rows are different.
const DIFFERENT: f64 = 0.9;
/// The number of parts of the rows, in the order of their hashes. One thread compares or copies a part at a
/// time.
const PARTS: usize = 64;

/// The rows that differ from each other, and the weight of each.
pub(in crate::data) struct Merged {
    pub views: [Matrix; 2],
    pub weights: Vec<f64>,
}

/// The merged views, if a sample has many equal rows and `pays` agrees, given the share of different rows.
pub(in crate::data) fn merged(
    views: &[Matrix; 2],
    weights: Option<&Buffer<f64>>,
    pays: impl Fn(f64) -> bool,
) -> Result<Option<Merged>> {
    let rows = views[0].rows();
    let countable = (SAMPLE..u32::MAX as usize).contains(&rows);
    let dense = views.iter().any(|view| matches!(view, Matrix::Dense(_)));
    // Two one-hot views are not merged: their Gram matrix is a list of their different rows, and is formed
    // faster than rows are sorted.
    let one_hot = views.iter().all(|view| matches!(view, Matrix::OneHot(_)));
    if !countable || dense || one_hot {
        return Ok(None);
    }
    let readers = views.each_ref().map(Reader::new);
    let share = different_share(&readers, rows);
    if share > DIFFERENT || !pays(share) {
        return Ok(None);
    }
    let mut order: Vec<(u64, u32)> =
        (0..rows).into_par_iter().map(|row| (hash(&readers, row), row as u32)).collect();
    order.par_sort_unstable();
    let weights = weights.map(|weights| weights.as_slice());
    let weight = |row: u32| weights.map_or(1.0, |weights| weights[row as usize].get());
    let kept = (0..PARTS).into_par_iter().with_max_len(1).map(|part| {
        // A part begins with the first row of a hash.
        let cut = |part: usize| {
            let start = rows * part / PARTS;
            if part == PARTS { rows } else { order.partition_point(|&(hash, _)| hash < order[start].0) }
        };
        different_rows(&readers, &order[cut(part)..cut(part + 1)], weight)
    });
    let mut kept = kept.collect::<Vec<_>>().concat();
    kept.par_sort_unstable_by_key(|&(row, _)| row);
    let [x, y] = views.each_ref().map(|view| select(view, &kept));
    Ok(Some(Merged { views: [x?, y?], weights: kept.iter().map(|&(_, weight)| weight).collect() }))
}

/// The share of a sample of the rows that are different.
fn different_share(readers: &[Reader<'_>; 2], rows: usize) -> f64 {
    let mut sample: Vec<u64> =
        (0..rows).into_par_iter().step_by(rows.div_ceil(SAMPLE)).map(|row| hash(readers, row)).collect();
    let sampled = sample.len() as f64;
    sample.par_sort_unstable();
    sample.dedup();
    sample.len() as f64 / sampled
}

/// A hash of a row's columns and values, X before Y.
fn hash(readers: &[Reader<'_>; 2], row: usize) -> u64 {
    let mut hash = 0x9e37_79b9_7f4a_7c15u64;
    for reader in readers {
        let mut mix = |word: u64| {
            hash = (hash ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
            hash ^= hash >> 32;
        };
        reader.for_each(row, |column, value| {
            mix(column as u64);
            mix(value.to_bits());
        });
        mix(u64::MAX);
    }
    hash
}

/// The first of each group of equal rows, with the weight of the group. Rows are given in the order of their
/// hashes.
fn different_rows(
    readers: &[Reader<'_>; 2],
    order: &[(u64, u32)],
    weight: impl Fn(u32) -> f64,
) -> Vec<(u32, f64)> {
    let mut kept: Vec<(u32, f64)> = Vec::new();
    let mut entries = Vec::new();
    for same_hash in order.chunk_by(|a, b| a.0 == b.0) {
        let first = kept.len();
        for &(_, row) in same_hash {
            // Each row is compared with all rows of its hash, because different rows may share one.
            match kept[first..].iter_mut().find(|(other, _)| equal(readers, *other, row, &mut entries)) {
                Some((_, sum)) => *sum += weight(row),
                None => kept.push((row, weight(row))),
            }
        }
    }
    kept
}

/// Whether two rows have the same entries. `entries` is scratch memory.
fn equal(readers: &[Reader<'_>; 2], a: u32, b: u32, entries: &mut Vec<(usize, f64)>) -> bool {
    readers.iter().all(|reader| {
        entries.clear();
        reader.for_each(a as usize, |column, value| entries.push((column, value)));
        let (mut count, mut same) = (0, true);
        reader.for_each(b as usize, |column, value| {
            same = same && entries.get(count) == Some(&(column, value));
            count += 1;
        });
        same && count == entries.len()
    })
}

/// The view's rows that are listed in `kept`.
fn select(view: &Matrix, kept: &[(u32, f64)]) -> Result<Matrix> {
    if let Matrix::OneHot(m) = view {
        let columns = m.columns().as_slice();
        let columns: Vec<u32> = kept.par_iter().map(|&(row, _)| columns[row as usize].get()).collect();
        return Ok(OneHotRows::new(m.cols(), columns.into())?.into());
    }
    let reader = Reader::new(view);
    let copy = |part: &[(u32, f64)]| {
        let mut rows = RowsBuilder::default();
        for &(row, _) in part {
            reader.for_each(row as usize, |column, value| rows.push(column as u32, value));
            rows.end_row();
        }
        rows
    };
    let parts = kept.par_chunks(kept.len().div_ceil(PARTS).max(1)).map(copy).collect();
    Ok(RowsBuilder::join(parts, view.cols(), view.is_all_ones())?.into())
}
