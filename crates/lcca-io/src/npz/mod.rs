//! SciPy's sparse matrix file (`scipy.sparse.save_npz`): a zip archive of NumPy arrays.
//!
//! `format` names the layout (`csr`, `csc` or `coo`), `shape` the size, then come the layout's arrays. Rows of an
//! archive that is not compressed are mapped as they lie; columns and coordinates are brought into rows.

mod archive;
mod write;

pub(crate) use write::write;

use crate::assemble::{self, Assembled, check_shape};
use crate::error::{Fault, Outcome};
use crate::npy::Numbers;
use crate::triplets::{Columns, Triplets};
use archive::Archive;
use lcca::matrix::{Buffer, Owner, Values};

pub(crate) fn read(owner: Owner) -> Outcome<Assembled> {
    let mut archive = Archive::open(owner)?;
    let layout = archive.text("format")?;
    let (rows, cols) = shape(&mut archive)?;
    match layout.as_str() {
        "csr" => read_rows(&mut archive, rows, cols),
        "csc" => read_columns(&mut archive, rows, cols),
        "coo" => read_coordinates(&mut archive, rows, cols),
        other => {
            let message = format!("is in SciPy's layout {other:?}, expected csr, csc or coo: save it as csr");
            Err(Fault::new(message).within("format"))
        }
    }
}

fn shape(archive: &mut Archive) -> Outcome<(usize, usize)> {
    let sizes = archive.numbers("shape")?.sizes().map_err(|fault| fault.within("shape"))?;
    let [rows, cols] = sizes[..] else {
        return Err(Fault::new(format!("has {} sizes, expected 2", sizes.len())).within("shape"));
    };
    check_shape(rows, cols)?;
    match cols < u32::MAX as usize {
        true => Ok((rows, cols)),
        false => Err(lcca::Error::TooManyColumns { cols }.into()),
    }
}

fn read_rows(archive: &mut Archive, rows: usize, cols: usize) -> Outcome<Assembled> {
    let (offsets, columns, values) = compressed(archive, rows, cols, "a column")?;
    assemble::sparse(cols, offsets, columns, values)
}

fn read_columns(archive: &mut Archive, rows: usize, cols: usize) -> Outcome<Assembled> {
    check_row_count(rows)?;
    let (offsets, rows_of, values) = compressed(archive, cols, rows, "a row")?;
    if let Some(column) = first_decrease(&offsets) {
        return Err(Fault::new(format!("column {column}: offsets decrease")).within("indptr"));
    }
    assemble::triplets(rows, cols, Triplets { rows: rows_of, columns: Columns::Grouped(offsets), values })
}

fn read_coordinates(archive: &mut Archive, rows: usize, cols: usize) -> Outcome<Assembled> {
    check_row_count(rows)?;
    let data = archive.numbers("data")?;
    let rows_of = indices(archive, "row", data.len(), rows, "a row")?;
    let columns = indices(archive, "col", data.len(), cols, "a column")?;
    let values = assemble::values(data.reals());
    assemble::triplets(rows, cols, Triplets { rows: rows_of, columns: Columns::Listed(columns), values })
}

/// The three arrays of compressed rows, or of compressed columns.
fn compressed(
    archive: &mut Archive,
    outer: usize,
    inner: usize,
    what: &str,
) -> Outcome<(Buffer<u64>, Buffer<u32>, Values)> {
    let data = archive.numbers("data")?;
    let indptr = archive.numbers("indptr")?;
    check_len(&indptr, outer.saturating_add(1)).map_err(|fault| fault.within("indptr"))?;
    let offsets = indptr.offsets(data.len()).map_err(|fault| fault.within("indptr"))?;
    check_ends(&offsets, data.len()).map_err(|fault| fault.within("indptr"))?;
    let indices = indices(archive, "indices", data.len(), inner, what)?;
    Ok((offsets, indices, assemble::values(data.reals())))
}

fn indices(archive: &mut Archive, name: &str, len: usize, limit: usize, what: &str) -> Outcome<Buffer<u32>> {
    let numbers = archive.numbers(name)?;
    let checked = check_len(&numbers, len).and_then(|()| numbers.indices(limit, what));
    checked.map_err(|fault| fault.within(name))
}

fn check_len(numbers: &Numbers, expected: usize) -> Outcome<()> {
    match numbers.len() {
        found if found == expected => Ok(()),
        found => Err(Fault::new(format!("holds {found} numbers, expected {expected}"))),
    }
}

/// SciPy tolerates entries behind the last row; a matrix here has none.
fn check_ends(offsets: &Buffer<u64>, entries: usize) -> Outcome<()> {
    let numbers = offsets.as_slice();
    let (first, last) = (numbers[0].get(), numbers[numbers.len() - 1].get());
    match (first, last) {
        (0, last) if last == entries as u64 => Ok(()),
        _ => {
            Err(Fault::new(format!("runs from {first} to {last}, expected from 0 to the {entries} entries")))
        }
    }
}

fn first_decrease(offsets: &Buffer<u64>) -> Option<usize> {
    offsets.as_slice().windows(2).position(|pair| pair[0].get() > pair[1].get())
}

fn check_row_count(rows: usize) -> Outcome<()> {
    match rows <= u32::MAX as usize {
        true => Ok(()),
        false => Err(Fault::new(format!("has {rows} rows in column or coordinate layout: save it as csr"))),
    }
}
