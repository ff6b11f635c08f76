//! From parsed parts to the storage that fits: ones without values, one-hot rows, summed duplicates.

use crate::error::{Fault, Outcome};
use crate::triplets::Triplets;
use crate::values::Growing;
use lcca::matrix::search::first;
use lcca::matrix::{Buffer, DenseRows, DenseValues, Matrix, OneHotRows, Packed, SparseRows, Values};

/// The share of zeros from which on sparse rows take less memory than dense ones.
const SPARSE_SHARE: f64 = 0.75;

/// A matrix, with its reader's notes about it.
pub(crate) struct Assembled {
    pub(crate) matrix: Matrix,
    pub(crate) notes: Vec<String>,
}

impl From<Matrix> for Assembled {
    fn from(matrix: Matrix) -> Self {
        Assembled { matrix, notes: Vec::new() }
    }
}

/// Refuses a matrix without rows or columns: that is always a mistake.
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

/// A matrix of entries in any order.
pub(crate) fn triplets(rows: usize, cols: usize, entries: Triplets) -> Outcome<Assembled> {
    check_shape(rows, cols)?;
    let (offsets, columns, values) = entries.into_rows(rows)?;
    sparse(cols, offsets, columns, values)
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

/// One-hot rows if every row holds at most one entry and all entries are 1, and the same rows otherwise.
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

/// Rows of all values, zeros included, in the storage that takes less memory.
pub(crate) fn dense_or_sparse(values: Growing, rows: usize, cols: usize) -> Outcome<Assembled> {
    check_shape(rows, cols)?;
    let cells = values.len() as f64;
    let zeros = values.zeros() as f64;
    let dense = DenseRows::new(rows, cols, values.into_dense())?;
    let matrix = if zeros >= SPARSE_SHARE * cells { without_zeros(&dense)? } else { dense.into() };
    Ok(matrix.into())
}

/// The same numbers as sparse rows.
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
