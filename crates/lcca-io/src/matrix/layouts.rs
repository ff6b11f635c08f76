//! Turns SciPy's sparse layouts into rows: compressed rows, compressed columns, coordinates.
//!
//! Compressed rows are used as they lie if their types allow; columns and coordinates are brought into
//! rows.

use super::assemble::{self, Assembled};
use super::missing::Filling;
use super::npy::Numbers;
use super::triplets::{Columns, Triplets};
use crate::error::{Fault, Outcome};
use lcca::matrix::{Buffer, Values};

/// The three arrays of compressed rows, or of compressed columns.
pub(crate) struct Compressed {
    pub(crate) indptr: Numbers,
    pub(crate) indices: Numbers,
    pub(crate) data: Numbers,
}

/// The three arrays of a list of entries.
pub(crate) struct Coordinates {
    pub(crate) row: Numbers,
    pub(crate) col: Numbers,
    pub(crate) data: Numbers,
}

/// Refuses a matrix without rows or columns, or with more columns than can be numbered.
pub(crate) fn check_shape(rows: usize, cols: usize) -> Outcome<()> {
    assemble::check_shape(rows, cols)?;
    if cols >= u32::MAX as usize {
        return Err(lcca::Error::TooManyColumns { cols }.into());
    }
    Ok(())
}

pub(crate) fn csr(rows: usize, cols: usize, arrays: &Compressed, filling: Filling<'_>) -> Outcome<Assembled> {
    let (offsets, columns, values) = compressed(arrays, rows, cols, "a column")?;
    assemble::sparse(cols, offsets, columns, values, filling)
}

pub(crate) fn csc(rows: usize, cols: usize, arrays: &Compressed, filling: Filling<'_>) -> Outcome<Assembled> {
    check_row_count(rows)?;
    let (offsets, rows_of, values) = compressed(arrays, cols, rows, "a row")?;
    if let Some(column) = first_decrease(&offsets) {
        return Err(Fault::new(format!("column {column}: offsets decrease")).within("indptr"));
    }
    assemble::triplets(
        rows,
        cols,
        Triplets { rows: rows_of, columns: Columns::Grouped(offsets), values },
        filling,
    )
}

pub(crate) fn coo(
    rows: usize,
    cols: usize,
    arrays: &Coordinates,
    filling: Filling<'_>,
) -> Outcome<Assembled> {
    check_row_count(rows)?;
    let entries = arrays.data.len();
    let rows_of = indices(&arrays.row, "row", entries, rows, "a row")?;
    let columns = indices(&arrays.col, "col", entries, cols, "a column")?;
    let values = assemble::values(arrays.data.reals());
    assemble::triplets(
        rows,
        cols,
        Triplets { rows: rows_of, columns: Columns::Listed(columns), values },
        filling,
    )
}

fn compressed(
    arrays: &Compressed,
    outer: usize,
    inner: usize,
    what: &str,
) -> Outcome<(Buffer<u64>, Buffer<u32>, Values)> {
    let entries = arrays.data.len();
    let offsets = offsets(&arrays.indptr, outer, entries).map_err(|fault| fault.within("indptr"))?;
    let indices = indices(&arrays.indices, "indices", entries, inner, what)?;
    Ok((offsets, indices, assemble::values(arrays.data.reals())))
}

fn offsets(indptr: &Numbers, outer: usize, entries: usize) -> Outcome<Buffer<u64>> {
    check_len(indptr, outer.saturating_add(1))?;
    let offsets = indptr.offsets(entries)?;
    check_ends(&offsets, entries)?;
    Ok(offsets)
}

fn indices(numbers: &Numbers, name: &str, len: usize, limit: usize, what: &str) -> Outcome<Buffer<u32>> {
    let checked = check_len(numbers, len).and_then(|()| numbers.indices(limit, what));
    checked.map_err(|fault| fault.within(name))
}

fn check_len(numbers: &Numbers, expected: usize) -> Outcome<()> {
    let len = numbers.len();
    if len != expected {
        return Err(Fault::new(format!("holds {len} numbers, expected {expected}")));
    }
    Ok(())
}

/// Refuses entries behind the last row, which SciPy tolerates.
fn check_ends(offsets: &Buffer<u64>, entries: usize) -> Outcome<()> {
    let numbers = offsets.as_slice();
    let (first, last) = (numbers[0].get(), numbers[numbers.len() - 1].get());
    if first != 0 || last != entries as u64 {
        let message = format!("runs from {first} to {last}, expected from 0 to the {entries} entries");
        return Err(Fault::new(message));
    }
    Ok(())
}

fn first_decrease(offsets: &Buffer<u64>) -> Option<usize> {
    offsets.as_slice().windows(2).position(|pair| pair[0].get() > pair[1].get())
}

fn check_row_count(rows: usize) -> Outcome<()> {
    if rows > u32::MAX as usize {
        return Err(Fault::new(format!("has {rows} rows in column or coordinate layout: save it as csr")));
    }
    Ok(())
}
