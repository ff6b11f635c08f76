//! Settles missing values, which NaN marks until a matrix is made: they are refused, filled in, or left out
//! with their rows.
//!
//! A mean is that of the values a column has, with the zeros that sparse rows do not store. Sparse rows
//! stay sparse, because filling adds one entry per missing value.

use super::options::Missing;
use super::values::Growing;
use crate::error::{Fault, Outcome};
use crate::words::numbers::grouped;
use lcca::matrix::{Buffer, Values};
use std::collections::{BTreeMap, HashSet};

/// How missing values are settled.
#[derive(Clone, Copy)]
pub(crate) struct Filling<'a> {
    pub(crate) missing: Missing,
    /// The means to fill in, one per column. If absent, they are computed from the rows at hand.
    pub(crate) means: Option<&'a [f64]>,
}

/// Counts of the missing values, and the rows that were left out for them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Gaps {
    /// The number of missing values.
    pub(crate) cells: u64,
    /// The number of rows that miss values.
    pub(crate) rows: u64,
    /// The rows that were left out, as they were numbered before.
    pub(crate) dropped: Vec<usize>,
}

/// Sparse rows that may hold NaN.
pub(crate) struct Parts {
    pub(crate) cols: usize,
    pub(crate) offsets: Buffer<u64>,
    pub(crate) columns: Buffer<u32>,
    pub(crate) values: Values,
}

impl Filling<'_> {
    /// Refuses any missing value.
    pub(crate) const REFUSED: Filling<'static> = Filling { missing: Missing::Error, means: None };

    /// Whether missing values are permitted.
    pub(crate) fn allows(self) -> bool {
        self.missing != Missing::Error
    }

    /// The value to fill into each column that misses some, given the sums and numbers of its present
    /// values.
    fn means_of(self, columns: BTreeMap<usize, (f64, u64)>) -> Outcome<BTreeMap<usize, f64>> {
        let mean = |(column, (sum, count)): (usize, (f64, u64))| match self.means {
            Some(means) => Ok((column, means.get(column).copied().unwrap_or(0.0))),
            None if count == 0 => {
                let message = format!("column {} has no value at all, so it has no mean", column + 1);
                Err(Fault::new(message))
            }
            None => Ok((column, sum / count as f64)),
        };
        columns.into_iter().map(mean).collect()
    }
}

/// Settles the missing values of dense rows. Returns the values and the number of the rows that are kept.
pub(crate) fn settle_dense(
    values: Growing,
    rows: usize,
    cols: usize,
    filling: Filling<'_>,
) -> Outcome<(Growing, usize, Gaps)> {
    let places = values.missing();
    if places.is_empty() {
        return Ok((values, rows, Gaps::default()));
    }
    let mut incomplete: Vec<usize> = places.iter().map(|place| place / cols).collect();
    incomplete.dedup();
    let mut gaps = Gaps { cells: places.len() as u64, rows: incomplete.len() as u64, dropped: Vec::new() };
    if filling.missing == Missing::Drop {
        let rest = rows - incomplete.len();
        check_rest(rest, rows)?;
        let values = values.without_rows(&incomplete, cols);
        gaps.dropped = incomplete;
        return Ok((values, rest, gaps));
    }
    let mut columns: BTreeMap<usize, (f64, u64)> =
        places.iter().map(|place| (place % cols, (0.0, 0))).collect();
    if filling.means.is_none() {
        for (&column, (sum, count)) in &mut columns {
            let present =
                (0..rows).map(|row| values.get(row * cols + column)).filter(|value| !value.is_nan());
            (*sum, *count) = present.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
        }
    }
    let means = filling.means_of(columns)?;
    Ok((values.filled(&places, |place| means[&(place % cols)]), rows, gaps))
}

/// Settles the missing values of sparse rows whose columns ascend.
pub(crate) fn settle_sparse(parts: Parts, filling: Filling<'_>) -> Outcome<(Parts, Gaps)> {
    let offsets: Vec<usize> = parts.offsets.iter().map(|offset| offset as usize).collect();
    let rows = offsets.len() - 1;
    let missing = |entry: usize| parts.values.get(entry).is_nan();
    let mut gaps = Gaps::default();
    let mut incomplete = HashSet::new();
    let mut columns: BTreeMap<usize, (f64, u64)> = BTreeMap::new();
    for row in 0..rows {
        for entry in (offsets[row]..offsets[row + 1]).filter(|&entry| missing(entry)) {
            gaps.cells += 1;
            incomplete.insert(row);
            // Each row counts as a value, stored or zero, unless it is missing.
            columns.entry(entry_column(&parts, entry)).or_insert((0.0, rows as u64)).1 -= 1;
        }
    }
    gaps.rows = incomplete.len() as u64;
    let means = if filling.missing == Missing::Drop {
        check_rest(rows - incomplete.len(), rows)?;
        gaps.dropped = (0..rows).filter(|row| incomplete.contains(row)).collect();
        BTreeMap::new()
    } else {
        for entry in (0..parts.columns.len()).filter(|&entry| !missing(entry)) {
            if let Some((sum, _)) = columns.get_mut(&entry_column(&parts, entry)) {
                *sum += parts.values.get(entry);
            }
        }
        filling.means_of(columns)?
    };
    let (mut ends, mut kept, mut values) = (vec![0u64], Vec::new(), Growing::new());
    for row in (0..rows).filter(|row| filling.missing != Missing::Drop || !incomplete.contains(row)) {
        for entry in offsets[row]..offsets[row + 1] {
            let column = entry_column(&parts, entry);
            kept.push(column as u32);
            values.push(if missing(entry) { means[&column] } else { parts.values.get(entry) });
        }
        ends.push(kept.len() as u64);
    }
    let values = values.into_values();
    Ok((Parts { cols: parts.cols, offsets: ends.into(), columns: kept.into(), values }, gaps))
}

fn entry_column(parts: &Parts, entry: usize) -> usize {
    parts.columns.as_slice()[entry].get() as usize
}

fn check_rest(rest: usize, rows: usize) -> Outcome<()> {
    if rest == 0 {
        let rows = grouped(rows as u64);
        return Err(Fault::new(format!("each of the {rows} rows misses a value, so no row is left")));
    }
    Ok(())
}
