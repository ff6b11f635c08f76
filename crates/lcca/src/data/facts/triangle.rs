//! The triangular factor of [1 X Y], by QR over blocks of rows (TSQR).
//!
//! R with RᵀR = [1 X Y]ᵀ[1 X Y] is all that classical CCA needs of the rows, and unlike the Gram matrix it
//! does not square the condition number. The column of ones comes first, so the columns and rows after it are
//! the factor of the centered views.

use crate::error::{Error, Result};
use crate::matrix::{Buffer, Matrix, Panel};
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// The factor R of [1 X Y]; rows beyond the column count are not kept.
#[derive(Clone)]
pub struct Triangle {
    r: Mat<f64>,
    x_cols: usize,
    centered: bool,
    /// The number of columns, besides the first, that come before X and were taken out of both views.
    before: usize,
}

impl Triangle {
    /// Takes a factor of [1 X Y], which the caller computed from views that are not centered.
    pub fn new(r: Mat<f64>, x_cols: usize) -> Self {
        Triangle { r, x_cols, centered: false, before: 0 }
    }

    /// The factor of [1 X Y].
    pub fn factor(&self) -> MatRef<'_, f64> {
        self.r.as_ref()
    }

    /// Rx with RxᵀRx = XᵀX and RxᵀRy = XᵀY.
    pub fn x(&self) -> MatRef<'_, f64> {
        self.columns(1 + self.before, self.x_cols)
    }

    /// Ry with RyᵀRy = YᵀY and RxᵀRy = XᵀY.
    pub fn y(&self) -> MatRef<'_, f64> {
        let start = 1 + self.before + self.x_cols;
        self.columns(start, self.r.ncols() - start)
    }

    fn columns(&self, start: usize, count: usize) -> MatRef<'_, f64> {
        // With few rows the factor has fewer rows than columns.
        let skip = (usize::from(self.centered) + self.before).min(self.r.nrows());
        self.r.as_ref().subcols(start, count).subrows(skip, self.r.nrows() - skip)
    }

    pub(in crate::data) fn centered(self) -> Self {
        Triangle { centered: true, ..self }
    }

    /// The factor of these views with column j, X first, multiplied by `factors[j]`.
    pub(in crate::data) fn scaled(mut self, factors: &[f64]) -> Self {
        for (j, factor) in factors.iter().enumerate() {
            self.r.col_mut(1 + self.before + j).iter_mut().for_each(|value| *value *= factor);
        }
        self
    }

    /// The factor of both sets of rows together.
    pub fn stacked(&self, below: &Triangle) -> Self {
        Triangle { r: triangularize(stack(&self.r, &below.r)), ..*self }
    }
}

/// Columns (Z − 1·meanᵀ)·V that come before those of the views.
#[derive(Clone, Copy)]
pub(in crate::data) struct Projected<'a> {
    pub rows: &'a Matrix,
    pub panel: &'a Panel,
    pub mean: Option<&'a [f64]>,
}

impl Projected<'_> {
    /// Writes one row of these columns.
    fn write(&self, row: usize, mut put: impl FnMut(usize, f64)) {
        let mut sum = vec![0.0; self.panel.cols()];
        let mut add = |column: usize, value: f64| {
            sum.iter_mut().zip(self.panel.row(column)).for_each(|(sum, v)| *sum += value * v);
        };
        self.rows.for_each(row, &mut add);
        self.mean.iter().flat_map(|mean| mean.iter().enumerate()).for_each(|(j, mean)| add(j, -mean));
        sum.into_iter().enumerate().for_each(|(j, value)| put(j, value));
    }
}

/// The place of the first column of X. Covariates that are not centered take the place of the ones.
fn x_start(first: Option<Projected<'_>>) -> usize {
    first.map_or(1, |first| first.panel.cols() + usize::from(first.mean.is_some()))
}

/// The factor of both views' rows, weighted if `weights` are given. If columns come before those of the
/// views, the factor is that of the residuals on them, and on the ones if they have a mean.
pub(in crate::data) fn form(
    views: &[Matrix; 2],
    first: Option<Projected<'_>>,
    weights: Option<&Buffer<f64>>,
    limit: u64,
) -> Result<Triangle> {
    let first = first.filter(|first| first.panel.cols() > 0 || first.mean.is_some());
    let x_start = x_start(first);
    let width = x_start + views[0].cols() + views[1].cols();
    let threads = rayon::current_num_threads();
    // For each thread, a stack of R and a block of rows, and the copy that QR takes of it.
    let block = width.clamp(256, 1 << 16) * 2;
    let needed = [2, 8, threads as u64, width as u64, (width + block).min(views[0].rows() + width) as u64];
    let needed = needed.iter().fold(1u64, |product, &factor| product.saturating_mul(factor));
    if needed > limit {
        let advice = "allow more memory, or use a method for larger data";
        return Err(Error::Memory { what: "QR of both views".into(), needed, allowed: limit, advice });
    }
    let rows = views[0].rows();
    let parts = threads.min(rows.div_ceil(block)).max(1);
    let factorize_part = |part: usize| {
        let span = rows * part / parts..rows * (part + 1) / parts;
        let mut r = Mat::zeros(0, width);
        for start in span.clone().step_by(block) {
            let end = (start + block).min(span.end);
            r = triangularize(stack(&r, &dense_block(views, first, weights, start, end)));
        }
        r
    };
    let parts: Vec<Mat<f64>> = (0..parts).into_par_iter().with_max_len(1).map(factorize_part).collect();
    let r = parts.iter().skip(1).fold(parts[0].clone(), |r, part| triangularize(stack(&r, part)));
    Ok(Triangle { r, x_cols: views[0].cols(), centered: first.is_some(), before: x_start - 1 })
}

/// [above; below].
pub(in crate::data) fn stack(above: &Mat<f64>, below: &Mat<f64>) -> Mat<f64> {
    let split = above.nrows();
    Mat::from_fn(split + below.nrows(), below.ncols(), |i, j| {
        if i < split { above[(i, j)] } else { below[(i - split, j)] }
    })
}

/// R of a QR factorization of `rows`.
pub(in crate::data) fn triangularize(rows: Mat<f64>) -> Mat<f64> {
    rows.qr().thin_R().to_owned()
}

/// Rows `start..end` of [1 Q X Y], each times the root of its weight, with Q the columns that come first, if
/// any.
fn dense_block(
    views: &[Matrix; 2],
    first: Option<Projected<'_>>,
    weights: Option<&Buffer<f64>>,
    start: usize,
    end: usize,
) -> Mat<f64> {
    let [x, y] = views;
    let x_start = x_start(first);
    let mut block = Mat::zeros(end - start, x_start + x.cols() + y.cols());
    for row in start..end {
        let root = weights.map_or(1.0, |weights| weights.as_slice()[row].get().sqrt());
        block[(row - start, 0)] = root;
        if let Some(first) = &first {
            let place = usize::from(first.mean.is_some());
            first.write(row, |column, value| block[(row - start, place + column)] = root * value);
        }
        x.for_each(row, |column, value| block[(row - start, x_start + column)] = root * value);
        y.for_each(row, |column, value| block[(row - start, x_start + x.cols() + column)] = root * value);
    }
    block
}
