//! Panels in single precision, which take half the memory and half the time to read.
//!
//! As in a [`Panel`], rows are contiguous and padded with zeros to a multiple of [`LANES`] numbers.

use super::line::{LANES, Line};
use super::pages::zeroed;
use super::panel::Panel;
use faer::MatRef;
use rayon::prelude::*;

/// The number of rows that one thread converts at a time.
const CHUNK: usize = 4096;

/// A thin dense matrix of single-precision numbers.
#[derive(Debug)]
pub(crate) struct SinglePanel {
    rows: usize,
    cols: usize,
    /// The floats as cache lines, because these have the alignment and the pages that panels need.
    lines: Vec<Line>,
}

impl SinglePanel {
    /// A panel of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        let bytes = size_of::<f32>() * rows * cols.next_multiple_of(LANES);
        SinglePanel { rows, cols, lines: zeroed(bytes.div_ceil(size_of::<Line>())) }
    }

    /// A panel rounded to single precision.
    pub fn rounded(panel: &Panel) -> Self {
        let mut single = SinglePanel::zeros(panel.rows(), panel.cols());
        single.fill(|i, row| {
            row.iter_mut().zip(panel.row(i)).for_each(|(single, &number)| *single = number as f32);
        });
        single
    }

    /// A copy in double precision.
    pub fn widened(&self) -> Panel {
        let mut panel = Panel::zeros(self.rows, self.cols);
        let stride = panel.lines_per_row().max(1);
        let rows = panel.lines_mut().par_chunks_mut(stride).zip(self.par_rows()).with_min_len(CHUNK);
        rows.for_each(|(wide, single)| {
            let wide: &mut [f64] = bytemuck::cast_slice_mut(wide);
            wide.iter_mut().zip(single).for_each(|(wide, &single)| *wide = f64::from(single));
        });
        panel
    }

    pub fn rows(&self) -> usize {
        self.rows
    }

    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The number of floats from the beginning of one row to that of the next.
    pub fn stride(&self) -> usize {
        self.cols.next_multiple_of(LANES)
    }

    /// All numbers, including the padding.
    pub fn numbers(&self) -> &[f32] {
        &bytemuck::cast_slice(&self.lines)[..self.rows * self.stride()]
    }

    /// All numbers, including the padding, which the caller must keep zero.
    pub fn numbers_mut(&mut self) -> &mut [f32] {
        let count = self.rows * self.stride();
        &mut bytemuck::cast_slice_mut(&mut self.lines)[..count]
    }

    /// Row i.
    pub fn row(&self, i: usize) -> &[f32] {
        &self.numbers()[i * self.stride()..][..self.cols]
    }

    /// Row i, to be written.
    pub fn row_mut(&mut self, i: usize) -> &mut [f32] {
        let (stride, cols) = (self.stride(), self.cols);
        &mut self.numbers_mut()[i * stride..][..cols]
    }

    /// All rows with their padding, in parallel.
    pub fn par_rows(&self) -> impl IndexedParallelIterator<Item = &[f32]> {
        self.numbers().par_chunks(self.stride().max(1))
    }

    /// All rows with their padding, to be written in parallel.
    pub fn par_rows_mut(&mut self) -> impl IndexedParallelIterator<Item = &mut [f32]> {
        let stride = self.stride().max(1);
        self.numbers_mut().par_chunks_mut(stride)
    }

    /// Calls `fill(i, row)` for all rows, without their padding, in parallel.
    pub fn fill(&mut self, fill: impl Fn(usize, &mut [f32]) + Sync) {
        let cols = self.cols;
        self.par_rows_mut().enumerate().with_min_len(CHUNK).for_each(|(i, row)| fill(i, &mut row[..cols]));
    }

    /// The panel as a faer matrix, without copying.
    pub fn as_mat(&self) -> MatRef<'_, f32> {
        MatRef::from_row_major_slice_with_stride(self.numbers(), self.rows, self.cols, self.stride())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_and_come_back() {
        for cols in [1, 7, 8, 9, 30] {
            let panel = Panel::from_fn(5, cols, |i, j| 1.0 + 100.0 * i as f64 + j as f64 + 1e-12);
            let single = SinglePanel::rounded(&panel);
            let expected = Panel::from_fn(5, cols, |i, j| 1.0 + 100.0 * i as f64 + j as f64);
            assert_eq!(single.widened(), expected);
            assert_eq!((single.as_mat().nrows(), single.as_mat().ncols()), (5, cols));
            assert!((0..5).all(|i| (0..cols).all(|j| single.as_mat()[(i, j)] == (1 + 100 * i + j) as f32)));
            assert_eq!(single.row(3)[cols - 1], (300 + cols) as f32);
        }
        assert_eq!(SinglePanel::zeros(0, 3).widened().rows(), 0);
    }
}
