//! The two loops of a pass, over a block of rows small enough for its z to stay in cache.
//!
//! ```text
//! gather:  z ← Wᵀx       for every row x of the block
//! scatter: P ← P + x·zᵀ  for every row x of the block
//! ```
//!
//! Panels are walked in tiles of a few cache lines, whose sums stay in registers. Results do not depend on
//! the processor, because every lane does the same multiplications and additions in the same order at any
//! SIMD width. The tests compare these loops with slow twins in `reference.rs`.

mod dense;
mod entries;
mod lines;
mod outer;
mod prefetch;
#[cfg(test)]
mod reference;
mod rows;

pub(crate) use lines::{add, adjust};
pub(crate) use outer::{RowLines, outer};

use crate::matrix::{DenseValues, LANES, Line, Matrix, Values};
use dense::Zero;
use rows::{OneHotEntries, Renumbered, Rows, SparseEntries};
use std::ops::Range;

/// z ← Wᵀx for `rows` of `view`. `w` has `stride` lines per column of the view, `z` has `stride` lines per
/// row.
pub(crate) fn gather(view: &Matrix, rows: Range<usize>, w: &[Line], stride: usize, z: &mut [Line]) {
    match view {
        Matrix::OneHot(m) => entries::gather(OneHotEntries::new(m), rows, w, stride, z),
        Matrix::Sparse(m) => match m.values() {
            Values::Ones => entries::gather(SparseEntries::ones(m), rows, w, stride, z),
            Values::F32(values) => {
                entries::gather(SparseEntries::new(m, values.as_slice()), rows, w, stride, z)
            }
            Values::F64(values) => {
                entries::gather(SparseEntries::new(m, values.as_slice()), rows, w, stride, z)
            }
        },
        Matrix::Dense(m) => {
            let cols = m.cols();
            match (m.values(), m.origin()) {
                (DenseValues::F32(v), None) => dense::gather(v.as_slice(), Zero, cols, rows, w, stride, z),
                (DenseValues::F64(v), None) => dense::gather(v.as_slice(), Zero, cols, rows, w, stride, z),
                (DenseValues::F32(v), Some(o)) => dense::gather(v.as_slice(), o, cols, rows, w, stride, z),
                (DenseValues::F64(v), Some(o)) => dense::gather(v.as_slice(), o, cols, rows, w, stride, z),
            }
        }
    }
}

/// z ← Wᵀx for `rows` of `view` and W in single precision: `w` has `LANES·stride` numbers per column of the
/// view, `z` has `stride` lines per row. Sums are in double precision.
pub(crate) fn gather_single(view: &Matrix, rows: Range<usize>, w: &[f32], stride: usize, z: &mut [Line]) {
    match view {
        Matrix::OneHot(m) => entries::gather_single(OneHotEntries::new(m), rows, w, stride, z),
        Matrix::Sparse(m) => match m.values() {
            Values::Ones => entries::gather_single(SparseEntries::ones(m), rows, w, stride, z),
            Values::F32(values) => {
                entries::gather_single(SparseEntries::new(m, values.as_slice()), rows, w, stride, z)
            }
            Values::F64(values) => {
                entries::gather_single(SparseEntries::new(m, values.as_slice()), rows, w, stride, z)
            }
        },
        Matrix::Dense(m) => {
            for (row, z) in rows.zip(z.chunks_exact_mut(stride)) {
                z.fill(Line([0.0; LANES]));
                m.for_each(row, |column, value| {
                    let w = w[column * stride * LANES..][..stride * LANES].chunks_exact(LANES);
                    z.iter_mut().zip(w).for_each(|(z, w)| lines::add_scaled_single(z, value, w));
                });
            }
        }
    }
}

/// P ← P + x·zᵀ for `rows` of `view`. `p` has `stride` lines per column of the view, `z` has `stride` lines
/// per row. If `numbers` are given, one per column, column j of a sparse view has row `numbers[j]` of the
/// panel.
pub(crate) fn scatter(
    view: &Matrix,
    rows: Range<usize>,
    z: &[Line],
    stride: usize,
    p: &mut [Line],
    numbers: Option<&[u32]>,
) {
    match view {
        Matrix::OneHot(m) => scatter_entries(OneHotEntries::new(m), rows, z, stride, p, numbers),
        Matrix::Sparse(m) => match m.values() {
            Values::Ones => scatter_entries(SparseEntries::ones(m), rows, z, stride, p, numbers),
            Values::F32(values) => {
                scatter_entries(SparseEntries::new(m, values.as_slice()), rows, z, stride, p, numbers)
            }
            Values::F64(values) => {
                scatter_entries(SparseEntries::new(m, values.as_slice()), rows, z, stride, p, numbers)
            }
        },
        Matrix::Dense(m) => {
            let cols = m.cols();
            match (m.values(), m.origin()) {
                (DenseValues::F32(v), None) => dense::scatter(v.as_slice(), Zero, cols, rows, z, stride, p),
                (DenseValues::F64(v), None) => dense::scatter(v.as_slice(), Zero, cols, rows, z, stride, p),
                (DenseValues::F32(v), Some(o)) => dense::scatter(v.as_slice(), o, cols, rows, z, stride, p),
                (DenseValues::F64(v), Some(o)) => dense::scatter(v.as_slice(), o, cols, rows, z, stride, p),
            }
        }
    }
}

fn scatter_entries<R: Rows>(
    entries: R,
    rows: Range<usize>,
    z: &[Line],
    stride: usize,
    p: &mut [Line],
    numbers: Option<&[u32]>,
) {
    match numbers {
        None => entries::scatter(entries, rows, z, stride, p),
        Some(numbers) => entries::scatter(Renumbered { rows: entries, numbers }, rows, z, stride, p),
    }
}
