//! Reads arrays as dense matrices.

use super::header::{Descr, Header};
use super::numbers::Numbers;
use crate::error::{Fault, Outcome};
use crate::matrix::assemble::{self, Assembled, check_shape};
use crate::matrix::missing::Filling;
use crate::safe::memory::append_at_most;
use lcca::matrix::{Buffer, DenseValues, Owner, Packed};
use rayon::prelude::*;
use std::io::Read;
use std::sync::Arc;

/// One array of numbers, still in its file's types.
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    pub(crate) fortran: bool,
    pub(crate) numbers: Numbers,
}

/// Opens the array in `bytes[start..end]`, without reading its numbers.
pub(crate) fn open(owner: &Owner, start: usize, end: usize) -> Outcome<Array> {
    let bytes = &(**owner).as_ref()[start..end];
    let (header, data) = Header::parse(bytes)?;
    let Descr::Number(kind) = header.descr else {
        return Err(Fault::new("holds text, expected numbers"));
    };
    let len = header.len()?;
    let expected = len.checked_mul(kind.width());
    let left = bytes.len() - data;
    if expected != Some(left) {
        return Err(size_fault(&header.shape, expected, left));
    }
    let numbers = Numbers::new(owner.clone(), start + data, len, kind);
    Ok(Array { shape: header.shape, fortran: header.fortran, numbers })
}

fn size_fault(shape: &[usize], expected: Option<usize>, left: usize) -> Fault {
    // The exact number is unknown, because a packed file is unpacked only up to one byte more than its
    // header says.
    let left = if expected.is_some_and(|expected| left > expected) {
        "more bytes".into()
    } else {
        format!("{left} bytes")
    };
    let expected = expected.map_or("more bytes than can be".to_string(), |bytes| format!("{bytes} bytes"));
    Fault::new(format!("the header says shape {shape:?}, that is {expected}, but {left} follow it"))
}

/// Unpacks the bytes of a packed array file: its header, and as many bytes as the header says, or one more
/// if there are more. A file that holds more than it says can thus be refused before all of it is unpacked.
pub(crate) fn unpack(mut from: impl Read) -> Outcome<Owner> {
    let mut bytes = Header::read(&mut from)?;
    let (header, _) = Header::parse(&bytes)?;
    let expected = header.data_bytes()?;
    let most = expected.ok_or_else(|| size_fault(&header.shape, None, 0))?;
    append_at_most(&mut bytes, from, (most as u64).saturating_add(1))?;
    Ok(Arc::new(bytes))
}

/// Reads a whole array file as a dense matrix.
pub(crate) fn read(owner: &Owner, filling: Filling<'_>) -> Outcome<Assembled> {
    let array = open(owner, 0, (**owner).as_ref().len())?;
    let (rows, cols) = match array.shape[..] {
        [rows] => (rows, 1),
        [rows, cols] => (rows, cols),
        _ => {
            let sides = array.shape.len();
            return Err(Fault::new(format!("the array has {sides} dimensions, expected 2 (or 1: a column)")));
        }
    };
    dense(rows, cols, array.fortran, &array.numbers, filling)
}

/// Makes a dense matrix of numbers that lie row after row, or column after column.
pub(crate) fn dense(
    rows: usize,
    cols: usize,
    fortran: bool,
    numbers: &Numbers,
    filling: Filling<'_>,
) -> Outcome<Assembled> {
    check_shape(rows, cols)?;
    let values = numbers.reals();
    let values = if fortran && cols > 1 { transposed(&values, rows, cols) } else { values };
    assemble::dense(rows, cols, values, filling)
}

/// Rearranges numbers that lie column after column into rows.
pub(crate) fn transposed(values: &DenseValues, rows: usize, cols: usize) -> DenseValues {
    match values {
        DenseValues::F32(values) => DenseValues::F32(transposed_numbers(values, rows, cols)),
        DenseValues::F64(values) => DenseValues::F64(transposed_numbers(values, rows, cols)),
    }
}

/// Rearranges blocks of rows at a time, so that a block's part of every column and its output both stay in
/// cache.
fn transposed_numbers<T>(values: &Buffer<T>, rows: usize, cols: usize) -> Buffer<T>
where
    T: bytemuck::Pod + Send + Sync,
    Packed<T>: Sync,
{
    const BLOCK: usize = 64;
    let columns = values.as_slice();
    let mut out = vec![T::zeroed(); rows * cols];
    out.par_chunks_mut(BLOCK * cols).enumerate().for_each(|(block, out)| {
        let first = block * BLOCK;
        for column in 0..cols {
            let part = &columns[column * rows + first..];
            out.iter_mut().skip(column).step_by(cols).zip(part).for_each(|(to, from)| *to = from.get());
        }
    });
    out.into()
}
