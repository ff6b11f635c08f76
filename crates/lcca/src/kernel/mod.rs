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
mod prefetch;
#[cfg(test)]
mod reference;
mod rows;

use crate::matrix::{DenseValues, LANES, Line, Matrix, Values};
use prefetch::prefetch;
use pulp::NullaryFnOnce;
use rows::{Entry, OneHotEntries, Rows, SparseEntries};
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

fn gather_rows<R: Rows>(entries: R, rows: Range<usize>, w: &[Line], stride: usize, z: &mut [Line]) {
    pulp::Arch::new().dispatch(Gather { entries, rows, w, stride, z });
}

fn scatter_rows<R: Rows>(entries: R, rows: Range<usize>, z: &[Line], stride: usize, p: &mut [Line]) {
    pulp::Arch::new().dispatch(Scatter { entries, rows, z, stride, p });
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
    pulp::Arch::new().dispatch(Add { to, from });
}

// Each loop is a struct whose `call` must be inlined: only what is inlined into pulp's dispatch is compiled for the
// processor at hand, which a closure of this size would not be.

struct Add<'a> {
    to: &'a mut [Line],
    from: &'a [Line],
}

impl NullaryFnOnce for Add<'_> {
    type Output = ();
    #[inline(always)]
    fn call(self) {
        for (to, from) in self.to.iter_mut().zip(self.from) {
            add_scaled(to, 1.0, from);
        }
    }
}

/// to ← to + factor·from, one cache line.
#[inline(always)]
fn add_scaled(to: &mut Line, factor: f64, from: &Line) {
    for lane in 0..LANES {
        to.0[lane] += factor * from.0[lane];
    }
}

/// A loop over all rows for some lines of the panel.
trait Tiled {
    /// Lines `at..at + L` of every row.
    fn tile<const L: usize>(&mut self, at: usize);

    /// All `stride` lines, tile after tile.
    #[inline(always)]
    fn all_tiles(&mut self, stride: usize) {
        let mut at = 0;
        while at < stride {
            match stride - at {
                1 => self.tile::<1>(at),
                2 => self.tile::<2>(at),
                3 => self.tile::<3>(at),
                _ => self.tile::<TILE>(at),
            }
            at += TILE;
        }
    }
}

struct Gather<'a, R> {
    entries: R,
    rows: Range<usize>,
    w: &'a [Line],
    stride: usize,
    z: &'a mut [Line],
}

impl<R: Rows> NullaryFnOnce for Gather<'_, R> {
    type Output = ();
    #[inline(always)]
    fn call(mut self) {
        self.all_tiles(self.stride);
    }
}

impl<R: Rows> Tiled for Gather<'_, R> {
    #[inline(always)]
    fn tile<const L: usize>(&mut self, at: usize) {
        for (row, z) in self.rows.clone().zip(self.z.chunks_exact_mut(self.stride)) {
            let mut sum = [Line([0.0; LANES]); L];
            for Entry { column, value, ahead } in self.entries.row(row) {
                prefetch::<L>(self.w, ahead * self.stride + at);
                let w = &self.w[column * self.stride + at..][..L];
                for l in 0..L {
                    add_scaled(&mut sum[l], value, &w[l]);
                }
            }
            z[at..][..L].copy_from_slice(&sum);
        }
    }
}

struct Scatter<'a, R> {
    entries: R,
    rows: Range<usize>,
    z: &'a [Line],
    stride: usize,
    p: &'a mut [Line],
}

impl<R: Rows> NullaryFnOnce for Scatter<'_, R> {
    type Output = ();
    #[inline(always)]
    fn call(mut self) {
        self.all_tiles(self.stride);
    }
}

impl<R: Rows> Tiled for Scatter<'_, R> {
    #[inline(always)]
    fn tile<const L: usize>(&mut self, at: usize) {
        for (row, z) in self.rows.clone().zip(self.z.chunks_exact(self.stride)) {
            let mut zs = [Line([0.0; LANES]); L];
            zs.copy_from_slice(&z[at..][..L]);
            for Entry { column, value, ahead } in self.entries.row(row) {
                prefetch::<L>(self.p, ahead * self.stride + at);
                let p = &mut self.p[column * self.stride + at..][..L];
                for l in 0..L {
                    add_scaled(&mut p[l], value, &zs[l]);
                }
            }
        }
    }
}
