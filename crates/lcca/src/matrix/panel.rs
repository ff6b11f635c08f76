//! Panels: the thin dense p×k matrices that every algorithm here works on.
//!
//! A panel is stored row after row, and each row is padded to whole cache lines of eight doubles. One
//! column of the data is one row of the panel, so an entry of the data touches a few aligned lines and no
//! part of any other.

use super::line::{LANES, Line};
use super::pages::{written, zeroed};
use bytemuck::Zeroable;
use faer::{MatMut, MatRef};
use rayon::prelude::*;
use std::mem::MaybeUninit;

/// The number of lines that one thread writes at a time: a quarter of a megabyte.
const CHUNK: usize = 1 << 12;

/// A thin dense matrix of doubles with contiguous rows. The padding after the last column is always zero.
#[derive(Debug, PartialEq)]
pub struct Panel {
    rows: usize,
    cols: usize,
    lines: Vec<Line>,
}

impl Panel {
    /// A panel of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Panel { rows, cols, lines: zeroed(rows * cols.div_ceil(LANES)) }
    }

    /// A panel that `write` fills, given its bytes: row after row, each padded with zeros to whole cache
    /// lines.
    ///
    /// # Safety
    /// If `write` succeeds, it must have written every byte, those of the padding with zeros.
    pub unsafe fn written<E>(
        rows: usize,
        cols: usize,
        write: impl FnOnce(&mut [MaybeUninit<u8>]) -> Result<(), E>,
    ) -> Result<Self, E> {
        // SAFETY: the caller promises that every byte is written.
        let lines = unsafe { written(rows * cols.div_ceil(LANES), write) }?;
        Ok(Panel { rows, cols, lines })
    }

    /// A panel with `entry(i, j)` at row i, column j.
    pub fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> f64) -> Self {
        let mut panel = Panel::zeros(rows, cols);
        for i in 0..rows {
            panel.row_mut(i).iter_mut().enumerate().for_each(|(j, out)| *out = entry(i, j));
        }
        panel
    }

    /// A copy of any faer matrix.
    pub fn from_mat(mat: MatRef<'_, f64>) -> Self {
        Panel::from_fn(mat.nrows(), mat.ncols(), |i, j| mat[(i, j)])
    }

    /// The number of rows, which is the number of columns of the data.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of columns, k.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The number of cache lines per row.
    pub fn lines_per_row(&self) -> usize {
        self.cols.div_ceil(LANES)
    }

    /// The storage, line by line.
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The storage, line by line. The caller must keep the padding zero.
    pub fn lines_mut(&mut self) -> &mut [Line] {
        &mut self.lines
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[f64] {
        let stride = self.lines_per_row();
        &bytemuck::cast_slice(&self.lines[i * stride..(i + 1) * stride])[..self.cols]
    }

    /// Row i, to be written.
    pub fn row_mut(&mut self, i: usize) -> &mut [f64] {
        let stride = self.lines_per_row();
        &mut bytemuck::cast_slice_mut(&mut self.lines[i * stride..(i + 1) * stride])[..self.cols]
    }

    /// Sets every number to zero.
    pub fn clear(&mut self) {
        if self.lines.len() < CHUNK {
            return self.lines.fill(Line::zeroed());
        }
        self.lines.par_chunks_mut(CHUNK).for_each(|lines| lines.fill(Line::zeroed()));
    }

    /// The panel as a faer matrix, without copying.
    pub fn as_mat(&self) -> MatRef<'_, f64> {
        let stride = self.lines_per_row() * LANES;
        MatRef::from_row_major_slice_with_stride(
            bytemuck::cast_slice(&self.lines),
            self.rows,
            self.cols,
            stride,
        )
    }

    /// The panel as a faer matrix to be written, without copying.
    pub fn as_mat_mut(&mut self) -> MatMut<'_, f64> {
        let stride = self.lines_per_row() * LANES;
        let (rows, cols) = (self.rows, self.cols);
        row_major_mut(bytemuck::cast_slice_mut(&mut self.lines), rows, cols, stride)
    }
}

impl Clone for Panel {
    /// All threads copy, because each of them also places the pages that it writes.
    fn clone(&self) -> Self {
        if self.lines.len() < CHUNK {
            return Panel { lines: self.lines.clone(), ..*self };
        }
        let mut copy = Panel::zeros(self.rows, self.cols);
        let chunks = copy.lines.par_chunks_mut(CHUNK).zip(self.lines.par_chunks(CHUNK));
        chunks.for_each(|(to, from)| to.copy_from_slice(from));
        copy
    }
}

/// Row-major numbers as a faer matrix. It transposes a column-major matrix, because faer 0.24's constructor
/// for row-major numbers takes its strides in the wrong order.
pub(crate) fn row_major_mut<T>(numbers: &mut [T], rows: usize, cols: usize, stride: usize) -> MatMut<'_, T> {
    MatMut::from_column_major_slice_with_stride_mut(numbers, cols, rows, stride).transpose_mut()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faer_sees_the_same_numbers() {
        for cols in [1, 7, 8, 9, 30] {
            let panel = Panel::from_fn(5, cols, |i, j| (100 * i + j) as f64);
            let mat = panel.as_mat();
            assert_eq!((mat.nrows(), mat.ncols()), (5, cols));
            assert!((0..5).all(|i| (0..cols).all(|j| mat[(i, j)] == (100 * i + j) as f64)));
            assert_eq!(Panel::from_mat(mat), panel);
            let mut copy = Panel::zeros(5, cols);
            copy.as_mat_mut().copy_from(mat);
            assert_eq!(copy, panel);
            assert!(bytemuck::cast_slice::<Line, u8>(panel.lines()).as_ptr().addr().is_multiple_of(64));
        }
    }
}
