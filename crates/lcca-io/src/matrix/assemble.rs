//! Turns parsed parts into the storage that fits: no array for values that are all one, one-hot rows,
//! duplicates summed.

use super::missing::{Filling, Gaps, Parts, settle_dense, settle_sparse};
use super::triplets::Triplets;
use super::values::Growing;
use crate::error::{Fault, Outcome};
use crate::words::numbers::grouped;
use lcca::matrix::search::first;
use lcca::matrix::{Buffer, DenseRows, DenseValues, Matrix, OneHotRows, Packed, SparseRows, Values};

/// The share of zeros from which on sparse rows take less memory than dense ones.
pub(crate) const SPARSE_SHARE: f64 = 0.75;

/// A matrix, with its reader's notes about it.
pub(crate) struct Assembled {
    pub(crate) matrix: Matrix,
    pub(crate) notes: Vec<String>,
    /// How missing values were settled.
    pub(crate) gaps: Gaps,
}

impl From<Matrix> for Assembled {
    fn from(matrix: Matrix) -> Self {
        Assembled { matrix, notes: Vec::new(), gaps: Gaps::default() }
    }
}

/// Refuses a matrix without rows or columns, because that is always a mistake.
pub(crate) fn check_shape(rows: usize, cols: usize) -> Outcome<()> {
    match (rows, cols) {
        (0, _) => Err(Fault::new("the matrix has no rows")),
        (_, 0) => Err(Fault::new("the matrix has no columns")),
        _ => Ok(()),
    }
}

/// A matrix of sparse rows whose columns may be in any order.
pub(crate) fn sparse(
    cols: usize,
    offsets: Buffer<u64>,
    columns: Buffer<u32>,
    values: Values,
    filling: Filling<'_>,
) -> Outcome<Assembled> {
    check_shape(offsets.len().saturating_sub(1), cols)?;
    let canonical = SparseRows::canonical(cols, offsets.clone(), columns.clone(), values.clone());
    if filling.allows() && canonical.as_ref().err().is_some_and(is_missing) {
        let (parts, gaps) = settle_sparse(in_order(Parts { cols, offsets, columns, values })?, filling)?;
        let rows = SparseRows::new(parts.cols, parts.offsets, parts.columns, parts.values)?;
        return Ok(Assembled { matrix: smallest(rows)?, notes: Vec::new(), gaps });
    }
    let canonical = canonical?;
    let notes = match canonical.merged {
        0 => vec![],
        1 => vec!["1 duplicate entry was summed".into()],
        merged => vec![format!("{} duplicate entries were summed", grouped(merged))],
    };
    Ok(Assembled { matrix: smallest(canonical.rows)?, notes, gaps: Gaps::default() })
}

/// Whether the engine refused a value because it is missing.
fn is_missing(error: &lcca::Error) -> bool {
    matches!(error, lcca::Error::NotFinite { value, .. } if value.is_nan())
}

/// Sorts the columns of each row, and refuses duplicate entries.
fn in_order(parts: Parts) -> Outcome<Parts> {
    let Parts { cols, offsets, columns, values } = parts;
    // The engine sorts finite values only, so each value is replaced by its place until the entries are in
    // order.
    let places: Vec<f64> = (0..columns.len()).map(|entry| entry as f64).collect();
    let ordered = SparseRows::canonical(cols, offsets.clone(), columns.clone(), Values::F64(places.into()))?;
    if ordered.merged > 0 {
        return Err(Fault::new("holds duplicate entries and missing values, expected one or the other"));
    }
    let Values::F64(places) = ordered.rows.values() else {
        return Ok(Parts { cols, offsets, columns, values });
    };
    let mut sorted = Growing::new();
    places.iter().for_each(|place| sorted.push(values.get(place as usize)));
    let (offsets, columns) = (ordered.rows.offsets().clone(), ordered.rows.columns().clone());
    Ok(Parts { cols, offsets, columns, values: sorted.into_values() })
}

/// Makes a matrix of entries in any order.
pub(crate) fn triplets(
    rows: usize,
    cols: usize,
    entries: Triplets,
    filling: Filling<'_>,
) -> Outcome<Assembled> {
    check_shape(rows, cols)?;
    let (offsets, columns, values) = entries.into_rows(rows)?;
    sparse(cols, offsets, columns, values, filling)
}

/// Makes a matrix of dense rows, without copying unless values are missing.
pub(crate) fn dense(
    rows: usize,
    cols: usize,
    values: DenseValues,
    filling: Filling<'_>,
) -> Outcome<Assembled> {
    check_shape(rows, cols)?;
    match DenseRows::new(rows, cols, values.clone()) {
        Err(error) if filling.allows() && is_missing(&error) => {
            let (values, rows, gaps) = settle_dense(Growing::from(&values), rows, cols, filling)?;
            let matrix = DenseRows::new(rows, cols, values.into_dense())?.into();
            Ok(Assembled { matrix, notes: Vec::new(), gaps })
        }
        matrix => Ok(Matrix::from(matrix?).into()),
    }
}

/// Values as a matrix keeps them: without an array if all of them are one.
pub(crate) fn values(reals: DenseValues) -> Values {
    match reals {
        DenseValues::F32(reals) if first(reals.as_slice(), |real| real != 1.0).is_none() => Values::Ones,
        DenseValues::F64(reals) if first(reals.as_slice(), |real| real != 1.0).is_none() => Values::Ones,
        DenseValues::F32(reals) => Values::F32(reals),
        DenseValues::F64(reals) => Values::F64(reals),
    }
}

/// Makes one-hot rows if every row holds at most one entry and all entries are 1, and otherwise keeps the
/// rows.
pub(crate) fn smallest(rows: SparseRows) -> Outcome<Matrix> {
    let offsets = rows.offsets().as_slice();
    let single = offsets.windows(2).all(|pair| pair[1].get() - pair[0].get() <= 1);
    if !single || !matches!(rows.values(), Values::Ones) {
        return Ok(rows.into());
    }
    let columns = if rows.columns().len() == rows.rows() {
        rows.columns().clone()
    } else {
        one_or_empty(offsets, rows.columns().as_slice()).into()
    };
    Ok(OneHotRows::new(rows.cols(), columns)?.into())
}

fn one_or_empty(offsets: &[Packed<u64>], columns: &[Packed<u32>]) -> Vec<u32> {
    let rows = offsets.windows(2).map(|pair| (pair[0].get(), pair[1].get()));
    rows.map(|(start, end)| if start == end { OneHotRows::EMPTY } else { columns[start as usize].get() })
        .collect()
}

/// Makes a matrix of all values, zeros included, in the storage that takes less memory.
pub(crate) fn dense_or_sparse(
    values: Growing,
    rows: usize,
    cols: usize,
    filling: Filling<'_>,
) -> Outcome<Assembled> {
    check_shape(rows, cols)?;
    let (values, rows, gaps) = settle_dense(values, rows, cols, filling)?;
    let cells = values.len() as f64;
    let zeros = values.zeros() as f64;
    let dense = DenseRows::new(rows, cols, values.into_dense())?;
    let matrix = if zeros >= SPARSE_SHARE * cells { without_zeros(&dense)? } else { dense.into() };
    Ok(Assembled { matrix, notes: Vec::new(), gaps })
}

/// Copies dense rows into sparse ones, without the zeros.
fn without_zeros(dense: &DenseRows) -> Outcome<Matrix> {
    let (mut ends, mut columns, mut values) = (vec![0u64], Vec::new(), Growing::new());
    for row in 0..dense.rows() {
        dense.for_each(row, |column, value| {
            if value != 0.0 {
                columns.push(column as u32);
                values.push(value);
            }
        });
        ends.push(columns.len() as u64);
    }
    smallest(SparseRows::new(dense.cols(), ends.into(), columns.into(), values.into_values())?)
}
