//! Gather and scatter for dense rows, four rows at a time.
//!
//! The loops are bound by loads, not by waiting, because dense rows visit every line of the panel in order
//! and the processor fetches the lines ahead by itself. Four rows share each load of a line.

use super::lines::add_scaled;
use super::rows::Stored;
use crate::matrix::{LANES, Line};
use pulp::NullaryFnOnce;
use std::array::from_fn;
use std::ops::Range;

/// The number of rows that share the loads of a panel.
const ROWS: usize = 4;
/// The number of lines in a tile. With four rows that makes eight sums of one line each, as many as 16 AVX
/// registers hold.
const TILE: usize = 2;

/// The number that is subtracted from the values of each column. It is a type parameter, so that rows
/// without an origin pay nothing.
pub(super) trait Origin: Copy {
    fn subtract(self, column: usize, value: f64) -> f64;
}

/// The origin zero, which subtracts nothing.
#[derive(Clone, Copy)]
pub(super) struct Zero;

impl Origin for Zero {
    #[inline(always)]
    fn subtract(self, _column: usize, value: f64) -> f64 {
        value
    }
}

impl Origin for &[f64] {
    #[inline(always)]
    fn subtract(self, column: usize, value: f64) -> f64 {
        value - self[column]
    }
}

pub(super) fn gather<V: Stored, O: Origin>(
    values: &[V],
    origin: O,
    cols: usize,
    rows: Range<usize>,
    w: &[Line],
    stride: usize,
    z: &mut [Line],
) {
    let block = &values[rows.start * cols..rows.end * cols];
    pulp::Arch::new().dispatch(Gather { block, origin, cols, w, stride, z });
}

pub(super) fn scatter<V: Stored, O: Origin>(
    values: &[V],
    origin: O,
    cols: usize,
    rows: Range<usize>,
    z: &[Line],
    stride: usize,
    p: &mut [Line],
) {
    let block = &values[rows.start * cols..rows.end * cols];
    pulp::Arch::new().dispatch(Scatter { block, origin, cols, z, stride, p });
}

/// A loop over all columns for some rows and some lines of the panel.
trait Tiled: Sized {
    /// Computes lines `first..first + L` of rows `row..row + R`.
    fn tile<const R: usize, const L: usize>(&mut self, row: usize, first: usize);

    /// Computes all rows in groups of [`ROWS`], and the remaining rows one by one.
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
        for first in (0..stride).step_by(TILE) {
            if stride - first == 1 {
                self.tile::<R, 1>(row, first);
            } else {
                self.tile::<R, TILE>(row, first);
            }
        }
    }
}

struct Gather<'a, V, O> {
    block: &'a [V],
    origin: O,
    cols: usize,
    w: &'a [Line],
    stride: usize,
    z: &'a mut [Line],
}

impl<V: Stored, O: Origin> NullaryFnOnce for Gather<'_, V, O> {
    type Output = ();
    #[inline(always)]
    fn call(mut self) {
        self.all_rows(self.z.len() / self.stride, self.stride);
    }
}

impl<V: Stored, O: Origin> Tiled for Gather<'_, V, O> {
    #[inline(always)]
    fn tile<const R: usize, const L: usize>(&mut self, row: usize, first: usize) {
        let x: [&[V]; R] = from_fn(|r| &self.block[(row + r) * self.cols..][..self.cols]);
        let mut sum = [[Line([0.0; LANES]); L]; R];
        for (column, w) in (0..self.cols).zip(self.w.chunks_exact(self.stride)) {
            let w = &w[first..][..L];
            for r in 0..R {
                let value = self.origin.subtract(column, x[r][column].wide());
                for l in 0..L {
                    add_scaled(&mut sum[r][l], value, &w[l]);
                }
            }
        }
        for (r, sum) in sum.iter().enumerate() {
            self.z[(row + r) * self.stride + first..][..L].copy_from_slice(sum);
        }
    }
}

struct Scatter<'a, V, O> {
    block: &'a [V],
    origin: O,
    cols: usize,
    z: &'a [Line],
    stride: usize,
    p: &'a mut [Line],
}

impl<V: Stored, O: Origin> NullaryFnOnce for Scatter<'_, V, O> {
    type Output = ();
    #[inline(always)]
    fn call(mut self) {
        self.all_rows(self.z.len() / self.stride, self.stride);
    }
}

impl<V: Stored, O: Origin> Tiled for Scatter<'_, V, O> {
    #[inline(always)]
    fn tile<const R: usize, const L: usize>(&mut self, row: usize, first: usize) {
        let x: [&[V]; R] = from_fn(|r| &self.block[(row + r) * self.cols..][..self.cols]);
        let z: [[Line; L]; R] = from_fn(|r| from_fn(|l| self.z[(row + r) * self.stride + first + l]));
        for (column, p) in (0..self.cols).zip(self.p.chunks_exact_mut(self.stride)) {
            let p = &mut p[first..][..L];
            for r in 0..R {
                let value = self.origin.subtract(column, x[r][column].wide());
                for l in 0..L {
                    add_scaled(&mut p[l], value, &z[r][l]);
                }
            }
        }
    }
}
