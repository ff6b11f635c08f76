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

/// A loop over all columns for some rows and some lines of the panel.
trait Tiled: Sized {
    /// Lines `at..at + L` of rows `row..row + R`.
    fn tile<const R: usize, const L: usize>(&mut self, row: usize, at: usize);

    /// All rows, group after group.
    #[inline(always)]
    fn all_rows(&mut self, rows: usize, stride: usize) {
        let whole = rows / ROWS * ROWS;
        for row in (0..whole).step_by(ROWS) {
            self.all_lines::<ROWS>(row, stride);
        }
        for row in whole..rows {
            self.all_lines::<1>(row, stride);
        }
    }

    #[inline(always)]
    fn all_lines<const R: usize>(&mut self, row: usize, stride: usize) {
        for at in (0..stride).step_by(TILE) {
            match stride - at {
                1 => self.tile::<R, 1>(row, at),
                _ => self.tile::<R, TILE>(row, at),
            }
        }
    }
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
        self.all_rows(self.z.len() / self.stride, self.stride);
    }
}

impl<V: Stored> Tiled for Gather<'_, V> {
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
        self.all_rows(self.z.len() / self.stride, self.stride);
    }
}

impl<V: Stored> Tiled for Scatter<'_, V> {
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
