//! Gather and scatter for dense rows: four rows at a time, so that a panel's line is loaded once for all four.

use super::rows::Stored;
use super::{LANES, Line, add_scaled};
use pulp::NullaryFnOnce;
use std::array::from_fn;
use std::ops::Range;

/// Rows that share the loads of a panel.
const ROWS: usize = 4;
/// Lines of a tile: with four rows, eight sums stay in registers.
const TILE: usize = 2;

pub(super) fn gather<V: Stored>(
    values: &[V],
    cols: usize,
    rows: Range<usize>,
    w: &[Line],
    stride: usize,
    z: &mut [Line],
) {
    let block = &values[rows.start * cols..rows.end * cols];
    pulp::Arch::new().dispatch(Gather { block, cols, w, stride, z });
}

pub(super) fn scatter<V: Stored>(
    values: &[V],
    cols: usize,
    rows: Range<usize>,
    z: &[Line],
    stride: usize,
    p: &mut [Line],
) {
    let block = &values[rows.start * cols..rows.end * cols];
    pulp::Arch::new().dispatch(Scatter { block, cols, z, stride, p });
}

struct Gather<'a, V> {
    block: &'a [V],
    cols: usize,
    w: &'a [Line],
    stride: usize,
    z: &'a mut [Line],
}

impl<V: Stored> NullaryFnOnce for Gather<'_, V> {
    type Output = ();
    #[inline(always)]
    fn call(mut self) {
        let rows = self.z.len() / self.stride;
        let whole = rows / ROWS * ROWS;
        for row in (0..whole).step_by(ROWS) {
            self.group::<ROWS>(row);
        }
        for row in whole..rows {
            self.group::<1>(row);
        }
    }
}

impl<V: Stored> Gather<'_, V> {
    #[inline(always)]
    fn group<const R: usize>(&mut self, row: usize) {
        let mut at = 0;
        while at < self.stride {
            match self.stride - at {
                1 => self.tile::<R, 1>(row, at),
                _ => self.tile::<R, TILE>(row, at),
            }
            at += TILE;
        }
    }

    #[inline(always)]
    fn tile<const R: usize, const L: usize>(&mut self, row: usize, at: usize) {
        let x: [&[V]; R] = from_fn(|r| &self.block[(row + r) * self.cols..][..self.cols]);
        let mut sum = [[Line([0.0; LANES]); L]; R];
        for (column, w) in (0..self.cols).zip(self.w.chunks_exact(self.stride)) {
            let w = &w[at..][..L];
            for r in 0..R {
                let value = x[r][column].wide();
                for l in 0..L {
                    add_scaled(&mut sum[r][l], value, &w[l]);
                }
            }
        }
        for (r, sum) in sum.iter().enumerate() {
            self.z[(row + r) * self.stride + at..][..L].copy_from_slice(sum);
        }
    }
}

struct Scatter<'a, V> {
    block: &'a [V],
    cols: usize,
    z: &'a [Line],
    stride: usize,
    p: &'a mut [Line],
}

impl<V: Stored> NullaryFnOnce for Scatter<'_, V> {
    type Output = ();
    #[inline(always)]
    fn call(mut self) {
        let rows = self.z.len() / self.stride;
        let whole = rows / ROWS * ROWS;
        for row in (0..whole).step_by(ROWS) {
            self.group::<ROWS>(row);
        }
        for row in whole..rows {
            self.group::<1>(row);
        }
    }
}

impl<V: Stored> Scatter<'_, V> {
    #[inline(always)]
    fn group<const R: usize>(&mut self, row: usize) {
        let mut at = 0;
        while at < self.stride {
            match self.stride - at {
                1 => self.tile::<R, 1>(row, at),
                _ => self.tile::<R, TILE>(row, at),
            }
            at += TILE;
        }
    }

    #[inline(always)]
    fn tile<const R: usize, const L: usize>(&mut self, row: usize, at: usize) {
        let x: [&[V]; R] = from_fn(|r| &self.block[(row + r) * self.cols..][..self.cols]);
        let z: [[Line; L]; R] = from_fn(|r| from_fn(|l| self.z[(row + r) * self.stride + at + l]));
        for (column, p) in (0..self.cols).zip(self.p.chunks_exact_mut(self.stride)) {
            let p = &mut p[at..][..L];
            for r in 0..R {
                let value = x[r][column].wide();
                for l in 0..L {
                    add_scaled(&mut p[l], value, &z[r][l]);
                }
            }
        }
    }
}
