//! Gather and scatter for rows of listed entries: sparse and one-hot.
//!
//! These loops wait for memory more than they compute, because the entries of a row name panel rows far
//! apart in memory. Hence the prefetches, and hence tiles as wide as registers allow: each visit of an
//! entry does all the work it can.

use super::lines::{add_scaled, add_scaled_single};
use super::prefetch::{prefetch, prefetch_single};
use super::rows::{Entry, Rows};
use crate::matrix::{LANES, Line};
use pulp::NullaryFnOnce;
use std::ops::Range;

/// The most cache lines of a panel's row that a tile covers: 32 columns. Their sums take 8 of the 16
/// registers that AVX has, which leaves registers for the entry and for loads under way. Wider panels walk
/// the rows once per tile.
const TILE: usize = 4;

pub(super) fn gather<R: Rows>(entries: R, rows: Range<usize>, w: &[Line], stride: usize, z: &mut [Line]) {
    pulp::Arch::new().dispatch(Gather { entries, rows, w, stride, z });
}

pub(super) fn gather_single<R: Rows>(
    entries: R,
    rows: Range<usize>,
    w: &[f32],
    stride: usize,
    z: &mut [Line],
) {
    pulp::Arch::new().dispatch(GatherSingle { entries, rows, w, stride, z });
}

pub(super) fn scatter<R: Rows>(entries: R, rows: Range<usize>, z: &[Line], stride: usize, p: &mut [Line]) {
    pulp::Arch::new().dispatch(Scatter { entries, rows, z, stride, p });
}

/// A loop over all rows for some lines of the panel.
trait Tiled {
    /// Computes lines `first..first + L` of every row.
    fn tile<const L: usize>(&mut self, first: usize);

    /// Computes all `stride` lines, tile after tile.
    #[inline(always)]
    fn all_tiles(&mut self, stride: usize) {
        let mut first = 0;
        while first < stride {
            // The number of lines is a constant in each call, because the compiler then unrolls them into
            // registers.
            match stride - first {
                1 => self.tile::<1>(first),
                2 => self.tile::<2>(first),
                3 => self.tile::<3>(first),
                _ => self.tile::<TILE>(first),
            }
            first += TILE;
        }
    }
}

// Each loop is a struct whose `call` must be inlined, because only code that is inlined into pulp's
// dispatch is compiled for the processor the program runs on. The compiler would not inline a closure of
// this size.

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
    fn tile<const L: usize>(&mut self, first: usize) {
        for (row, z) in self.rows.clone().zip(self.z.chunks_exact_mut(self.stride)) {
            let mut sum = [Line([0.0; LANES]); L];
            for Entry { column, value, ahead } in self.entries.row(row) {
                prefetch::<L>(self.w, ahead * self.stride + first);
                // Slices of constant length need one check of their bounds per entry, none per line.
                let w = &self.w[column * self.stride + first..][..L];
                for l in 0..L {
                    add_scaled(&mut sum[l], value, &w[l]);
                }
            }
            z[first..][..L].copy_from_slice(&sum);
        }
    }
}

struct GatherSingle<'a, R> {
    entries: R,
    rows: Range<usize>,
    w: &'a [f32],
    stride: usize,
    z: &'a mut [Line],
}

impl<R: Rows> NullaryFnOnce for GatherSingle<'_, R> {
    type Output = ();
    #[inline(always)]
    fn call(mut self) {
        self.all_tiles(self.stride);
    }
}

impl<R: Rows> Tiled for GatherSingle<'_, R> {
    #[inline(always)]
    fn tile<const L: usize>(&mut self, first: usize) {
        for (row, z) in self.rows.clone().zip(self.z.chunks_exact_mut(self.stride)) {
            let mut sum = [Line([0.0; LANES]); L];
            for Entry { column, value, ahead } in self.entries.row(row) {
                prefetch_single::<L>(self.w, (ahead * self.stride + first) * LANES);
                let w = &self.w[(column * self.stride + first) * LANES..][..L * LANES];
                for l in 0..L {
                    add_scaled_single(&mut sum[l], value, &w[l * LANES..][..LANES]);
                }
            }
            z[first..][..L].copy_from_slice(&sum);
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
    fn tile<const L: usize>(&mut self, first: usize) {
        for (row, z) in self.rows.clone().zip(self.z.chunks_exact(self.stride)) {
            // A copy stays in registers. A reference would be read again after every store to the panel,
            // because the compiler cannot always see that they do not overlap.
            let mut zs = [Line([0.0; LANES]); L];
            zs.copy_from_slice(&z[first..][..L]);
            for Entry { column, value, ahead } in self.entries.row(row) {
                prefetch::<L>(self.p, ahead * self.stride + first);
                let p = &mut self.p[column * self.stride + first..][..L];
                for l in 0..L {
                    add_scaled(&mut p[l], value, &zs[l]);
                }
            }
        }
    }
}
