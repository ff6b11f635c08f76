//! Writes the arrays of sparse and one-hot rows as streams of bytes, without a second copy of the matrix.

use lcca::matrix::{Buffer, Matrix, OneHotRows, Packed, SparseRows, Values};
use std::io::{self, Write};
use std::ops::Range;

/// One of the three arrays of compressed rows.
#[derive(Clone, Copy)]
pub(crate) enum Part {
    /// u64: the offset of each row's first entry, from 0.
    Offsets,
    /// u32: the column of each entry.
    Columns,
    /// The value of each entry, in [`value_type`].
    Values,
}

/// The number of values that are converted at a time.
const BLOCK: usize = 1 << 16;

/// The number of entries that the rows hold.
pub(crate) fn entries(matrix: &Matrix) -> usize {
    matrix.entries() as usize
}

/// Whether the rows carry no values because every one is 1.
pub(crate) fn is_all_ones(matrix: &Matrix) -> bool {
    match matrix {
        Matrix::Sparse(rows) => matches!(rows.values(), Values::Ones),
        Matrix::OneHot(_) => true,
        Matrix::Dense(_) => false,
    }
}

/// NumPy's name of the values' type. Ones are written in single precision, because products of bytes would
/// overflow in SciPy.
pub(crate) fn value_type(matrix: &Matrix) -> &'static str {
    match matrix {
        Matrix::Sparse(rows) => match rows.values() {
            Values::Ones => "<f4",
            Values::F32(_) => "<f4",
            Values::F64(_) => "<f8",
        },
        _ => "<f4",
    }
}

/// Writes one array of sparse or one-hot rows. A dense matrix has no such array.
pub(crate) fn write(out: &mut dyn Write, matrix: &Matrix, part: Part) -> io::Result<()> {
    match (matrix, part) {
        (Matrix::Sparse(rows), Part::Offsets) => write_offsets(out, rows),
        (Matrix::Sparse(rows), Part::Columns) => out.write_all(part_bytes(rows.columns(), span(rows))),
        (Matrix::Sparse(rows), Part::Values) => write_values(out, rows),
        (Matrix::OneHot(rows), Part::Offsets) => write_one_hot_offsets(out, rows),
        (Matrix::OneHot(rows), Part::Columns) => write_one_hot_columns(out, rows),
        (Matrix::OneHot(rows), Part::Values) => write_ones(out, rows.entries() as usize),
        (Matrix::Dense(_), _) => Ok(()),
    }
}

/// The range of the entries of these rows. It need not begin at 0, because a slice of rows shares the
/// arrays of all of them.
fn span(rows: &SparseRows) -> Range<usize> {
    let offsets = rows.offsets().as_slice();
    offsets[0].get() as usize..offsets[offsets.len() - 1].get() as usize
}

fn part_bytes<T: bytemuck::Pod>(buffer: &Buffer<T>, span: Range<usize>) -> &[u8] {
    bytemuck::cast_slice(&buffer.as_slice()[span])
}

fn write_offsets(out: &mut dyn Write, rows: &SparseRows) -> io::Result<()> {
    let offsets = rows.offsets().as_slice();
    let first = offsets[0].get();
    if first == 0 {
        return out.write_all(bytemuck::cast_slice(offsets));
    }
    blocks(out, offsets.iter().map(|offset| offset.get() - first))
}

fn write_values(out: &mut dyn Write, rows: &SparseRows) -> io::Result<()> {
    match rows.values() {
        Values::Ones => write_ones(out, span(rows).len()),
        Values::F32(values) => out.write_all(part_bytes(values, span(rows))),
        Values::F64(values) => out.write_all(part_bytes(values, span(rows))),
    }
}

fn write_one_hot_offsets(out: &mut dyn Write, rows: &OneHotRows) -> io::Result<()> {
    let mut sum = 0u64;
    let ends = rows.columns().iter().map(|column| {
        sum += u64::from(column != OneHotRows::EMPTY);
        sum
    });
    blocks(out, std::iter::once(0).chain(ends))
}

fn write_one_hot_columns(out: &mut dyn Write, rows: &OneHotRows) -> io::Result<()> {
    blocks(out, rows.columns().iter().filter(|&column| column != OneHotRows::EMPTY))
}

fn write_ones(out: &mut dyn Write, mut count: usize) -> io::Result<()> {
    let ones = vec![1f32; BLOCK];
    while count > 0 {
        let written = count.min(BLOCK);
        out.write_all(bytemuck::cast_slice(&ones[..written]))?;
        count -= written;
    }
    Ok(())
}

fn blocks<T: bytemuck::Pod>(out: &mut dyn Write, numbers: impl Iterator<Item = T>) -> io::Result<()> {
    let mut block = Vec::with_capacity(BLOCK);
    for number in numbers {
        block.push(number);
        if block.len() == BLOCK {
            out.write_all(bytemuck::cast_slice(&block))?;
            block.clear();
        }
    }
    out.write_all(bytemuck::cast_slice(&block))
}

/// The bytes of a buffer's numbers, as they lie.
pub(crate) fn bytes<T: bytemuck::Pod>(buffer: &Buffer<T>) -> &[u8] {
    bytemuck::cast_slice::<Packed<T>, u8>(buffer.as_slice())
}
