//! Gather and scatter for dense rows: four rows at a time, so that a panel's line is loaded once for all four.

use super::rows::Stored;
use super::{LANES, Line, add_scaled, for_tiles};
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
    pulp::Arch::new().dispatch(|| {
        let mut row = 0;
        while row < rows.len() {
            let z = &mut z[row * stride..];
            if row + ROWS <= rows.len() {
                gather_group::<ROWS, V>(from_fn(|r| &block[(row + r) * cols..][..cols]), w, stride, z);
                row += ROWS;
            } else {
                gather_group::<1, V>([&block[row * cols..][..cols]], w, stride, z);
                row += 1;
            }
        }
    });
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
    pulp::Arch::new().dispatch(|| {
        let mut row = 0;
        while row < rows.len() {
            let z = &z[row * stride..];
            if row + ROWS <= rows.len() {
                scatter_group::<ROWS, V>(from_fn(|r| &block[(row + r) * cols..][..cols]), z, stride, p);
                row += ROWS;
            } else {
                scatter_group::<1, V>([&block[row * cols..][..cols]], z, stride, p);
                row += 1;
            }
        }
    });
}

#[inline(always)]
fn gather_group<const R: usize, V: Stored>(x: [&[V]; R], w: &[Line], stride: usize, z: &mut [Line]) {
    for_tiles(stride, TILE, |at, width| match width {
        1 => gather_tile::<R, 1, V>(x, w, stride, at, z),
        _ => gather_tile::<R, TILE, V>(x, w, stride, at, z),
    });
}

#[inline(always)]
fn scatter_group<const R: usize, V: Stored>(x: [&[V]; R], z: &[Line], stride: usize, p: &mut [Line]) {
    for_tiles(stride, TILE, |at, width| match width {
        1 => scatter_tile::<R, 1, V>(x, z, stride, at, p),
        _ => scatter_tile::<R, TILE, V>(x, z, stride, at, p),
    });
}

#[inline(always)]
fn gather_tile<const R: usize, const L: usize, V: Stored>(
    x: [&[V]; R],
    w: &[Line],
    stride: usize,
    at: usize,
    z: &mut [Line],
) {
    let mut sum = [[Line([0.0; LANES]); L]; R];
    for (column, w) in (0..x[0].len()).zip(w.chunks_exact(stride)) {
        let w = &w[at..][..L];
        for r in 0..R {
            let value = x[r][column].wide();
            (0..L).for_each(|l| add_scaled(&mut sum[r][l], value, &w[l]));
        }
    }
    (0..R).for_each(|r| z[r * stride + at..][..L].copy_from_slice(&sum[r]));
}

#[inline(always)]
fn scatter_tile<const R: usize, const L: usize, V: Stored>(
    x: [&[V]; R],
    z: &[Line],
    stride: usize,
    at: usize,
    p: &mut [Line],
) {
    let z: [[Line; L]; R] = from_fn(|r| from_fn(|l| z[r * stride + at + l]));
    for (column, p) in (0..x[0].len()).zip(p.chunks_exact_mut(stride)) {
        let p = &mut p[at..][..L];
        for r in 0..R {
            let value = x[r][column].wide();
            (0..L).for_each(|l| add_scaled(&mut p[l], value, &z[r][l]));
        }
    }
}
