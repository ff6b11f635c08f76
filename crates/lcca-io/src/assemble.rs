//! From parsed parts to the storage that fits: ones without values, one-hot rows, summed duplicates.

use crate::error::{Fault, Outcome};
use crate::triplets::Triplets;
use lcca::matrix::search::first;
use lcca::matrix::{Buffer, DenseValues, Matrix, OneHotRows, Packed, SparseRows, Values};

/// A matrix and what its reader has to say about it.
pub(crate) struct Assembled {
    pub(crate) matrix: Matrix,
    pub(crate) notes: Vec<String>,
}

impl From<Matrix> for Assembled {
    fn from(matrix: Matrix) -> Self {
        Assembled { matrix, notes: Vec::new() }
    }
}

/// A matrix without rows or columns is always a mistake.
pub(crate) fn check_shape(rows: usize, cols: usize) -> Outcome<()> {
    match (rows, cols) {
        (0, _) => Err(Fault::new("the matrix has no rows")),
        (_, 0) => Err(Fault::new("the matrix has no columns")),
        _ => Ok(()),
    }
}

/// Sparse rows in any column order.
pub(crate) fn sparse(
    cols: usize,
    offsets: Buffer<u64>,
    columns: Buffer<u32>,
    values: Values,
) -> Outcome<Assembled> {
    check_shape(offsets.len().saturating_sub(1), cols)?;
    let canonical = SparseRows::canonical(cols, offsets, columns, values)?;
    let notes = match canonical.merged {
        0 => vec![],
        1 => vec!["1 duplicate entry was summed".into()],
        merged => vec![format!("{merged} duplicate entries were summed")],
    };
    Ok(Assembled { matrix: smallest(canonical.rows)?, notes })
}

/// Entries in any order.
pub(crate) fn triplets(rows: usize, cols: usize, entries: Triplets) -> Outcome<Assembled> {
    check_shape(rows, cols)?;
    let (offsets, columns, values) = entries.into_rows(rows)?;
    sparse(cols, offsets, columns, values)
}

/// Values without an array where all of them are one.
pub(crate) fn values(reals: DenseValues) -> Values {
    match reals {
        DenseValues::F32(reals) if first(reals.as_slice(), |real| real != 1.0).is_none() => Values::Ones,
        DenseValues::F64(reals) if first(reals.as_slice(), |real| real != 1.0).is_none() => Values::Ones,
        DenseValues::F32(reals) => Values::F32(reals),
        DenseValues::F64(reals) => Values::F64(reals),
    }
}

/// One-hot where every row holds at most one entry and that is 1.
pub(crate) fn smallest(rows: SparseRows) -> Outcome<Matrix> {
    let offsets = rows.offsets().as_slice();
    let single = offsets.windows(2).all(|pair| pair[1].get() - pair[0].get() <= 1);
    if !single || !matches!(rows.values(), Values::Ones) {
        return Ok(rows.into());
    }
    let columns = match rows.columns().len() == rows.rows() {
        true => rows.columns().clone(),
        false => one_or_empty(offsets, rows.columns().as_slice()).into(),
    };
    Ok(OneHotRows::new(rows.cols(), columns)?.into())
}

fn one_or_empty(offsets: &[Packed<u64>], columns: &[Packed<u32>]) -> Vec<u32> {
    let column = |pair: &[Packed<u64>]| match pair[0].get() == pair[1].get() {
        true => OneHotRows::EMPTY,
        false => columns[pair[0].get() as usize].get(),
    };
    offsets.windows(2).map(column).collect()
}
