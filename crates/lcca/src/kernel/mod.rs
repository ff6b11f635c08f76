//! The two loops a pass is made of, over a block of rows small enough for its z to stay in cache.
//!
//! ```text
//! gather:  z ← Wᵀx       for every row x of the block
//! scatter: P ← P + x·zᵀ  for every row x of the block
//! ```
//!
//! Panels are walked in tiles of up to four cache lines, whose sums stay in registers. Every lane does the same
//! multiplications and additions in the same order at any SIMD width, so results do not depend on the processor.
//! [`reference`] holds the slow twins.

mod dense;
#[cfg(test)]
mod reference;
mod rows;

use crate::matrix::{DenseValues, LANES, Line, Matrix, Values};
use rows::{OneHotEntries, Rows, SparseEntries};
use std::ops::Range;

/// The most cache lines of a panel's row that a tile covers: 32 columns.
const TILE: usize = 4;

/// z ← Wᵀx for `rows` of `view`. `w` has `stride` lines for each column, `z` for each row.
pub(crate) fn gather(view: &Matrix, rows: Range<usize>, w: &[Line], stride: usize, z: &mut [Line]) {
    match view {
        Matrix::OneHot(m) => gather_rows(OneHotEntries::new(m), rows, w, stride, z),
        Matrix::Sparse(m) => match m.values() {
            Values::Ones => gather_rows(SparseEntries::ones(m), rows, w, stride, z),
            Values::F32(values) => gather_rows(SparseEntries::new(m, values.as_slice()), rows, w, stride, z),
            Values::F64(values) => gather_rows(SparseEntries::new(m, values.as_slice()), rows, w, stride, z),
        },
        Matrix::Dense(m) => match m.values() {
            DenseValues::F32(values) => dense::gather(values.as_slice(), m.cols(), rows, w, stride, z),
            DenseValues::F64(values) => dense::gather(values.as_slice(), m.cols(), rows, w, stride, z),
        },
    }
}

/// P ← P + x·zᵀ for `rows` of `view`. `p` has `stride` lines for each column, `z` for each row.
pub(crate) fn scatter(view: &Matrix, rows: Range<usize>, z: &[Line], stride: usize, p: &mut [Line]) {
    match view {
        Matrix::OneHot(m) => scatter_rows(OneHotEntries::new(m), rows, z, stride, p),
        Matrix::Sparse(m) => match m.values() {
            Values::Ones => scatter_rows(SparseEntries::ones(m), rows, z, stride, p),
            Values::F32(values) => scatter_rows(SparseEntries::new(m, values.as_slice()), rows, z, stride, p),
            Values::F64(values) => scatter_rows(SparseEntries::new(m, values.as_slice()), rows, z, stride, p),
        },
        Matrix::Dense(m) => match m.values() {
            DenseValues::F32(values) => dense::scatter(values.as_slice(), m.cols(), rows, z, stride, p),
            DenseValues::F64(values) => dense::scatter(values.as_slice(), m.cols(), rows, z, stride, p),
        },
    }
}

/// z ← z − offset, then z ← weight·z, row by row.
pub(crate) fn adjust(
    z: &mut [Line],
    stride: usize,
    offset: Option<&[Line]>,
    weight: Option<impl Fn(usize) -> f64>,
) {
    for (i, row) in z.chunks_exact_mut(stride).enumerate() {
        if let Some(offset) = offset {
            row.iter_mut().zip(offset).for_each(|(z, o)| (0..LANES).for_each(|lane| z.0[lane] -= o.0[lane]));
        }
        if let Some(weight) = &weight {
            let weight = weight(i);
            row.iter_mut().for_each(|z| z.0.iter_mut().for_each(|z| *z *= weight));
        }
    }
}

/// to ← to + from.
pub(crate) fn add(to: &mut [Line], from: &[Line]) {
    pulp::Arch::new().dispatch(|| {
        to.iter_mut().zip(from).for_each(|(to, from)| add_scaled(to, 1.0, from));
    });
}

/// to ← to + factor·from, one cache line.
#[inline(always)]
fn add_scaled(to: &mut Line, factor: f64, from: &Line) {
    for lane in 0..LANES {
        to.0[lane] += factor * from.0[lane];
    }
}

fn gather_rows<R: Rows>(entries: R, rows: Range<usize>, w: &[Line], stride: usize, z: &mut [Line]) {
    pulp::Arch::new().dispatch(|| {
        for_tiles(stride, TILE, |at, width| match width {
            1 => gather_tile::<1, R>(entries, rows.clone(), w, stride, at, z),
            2 => gather_tile::<2, R>(entries, rows.clone(), w, stride, at, z),
            3 => gather_tile::<3, R>(entries, rows.clone(), w, stride, at, z),
            _ => gather_tile::<TILE, R>(entries, rows.clone(), w, stride, at, z),
        });
    });
}

fn scatter_rows<R: Rows>(entries: R, rows: Range<usize>, z: &[Line], stride: usize, p: &mut [Line]) {
    pulp::Arch::new().dispatch(|| {
        for_tiles(stride, TILE, |at, width| match width {
            1 => scatter_tile::<1, R>(entries, rows.clone(), z, stride, at, p),
            2 => scatter_tile::<2, R>(entries, rows.clone(), z, stride, at, p),
            3 => scatter_tile::<3, R>(entries, rows.clone(), z, stride, at, p),
            _ => scatter_tile::<TILE, R>(entries, rows.clone(), z, stride, at, p),
        });
    });
}

/// Calls `tile(first line, lines)`, `most` lines at a time, until all `stride` lines are covered.
#[inline(always)]
fn for_tiles(stride: usize, most: usize, mut tile: impl FnMut(usize, usize)) {
    let mut at = 0;
    while at < stride {
        let width = (stride - at).min(most);
        tile(at, width);
        at += width;
    }
}

#[inline(always)]
fn gather_tile<const L: usize, R: Rows>(
    entries: R,
    rows: Range<usize>,
    w: &[Line],
    stride: usize,
    at: usize,
    z: &mut [Line],
) {
    for (row, z) in rows.zip(z.chunks_exact_mut(stride)) {
        let mut sum = [Line([0.0; LANES]); L];
        entries.for_each(row, |column, value| {
            let w = &w[column * stride + at..][..L];
            (0..L).for_each(|l| add_scaled(&mut sum[l], value, &w[l]));
        });
        z[at..][..L].copy_from_slice(&sum);
    }
}

#[inline(always)]
fn scatter_tile<const L: usize, R: Rows>(
    entries: R,
    rows: Range<usize>,
    z: &[Line],
    stride: usize,
    at: usize,
    p: &mut [Line],
) {
    for (row, z) in rows.zip(z.chunks_exact(stride)) {
        let mut zs = [Line([0.0; LANES]); L];
        zs.copy_from_slice(&z[at..][..L]);
        entries.for_each(row, |column, value| {
            let p = &mut p[column * stride + at..][..L];
            (0..L).for_each(|l| add_scaled(&mut p[l], value, &zs[l]));
        });
    }
}
