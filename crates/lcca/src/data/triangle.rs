//! The triangular factor of [1 X Y], by QR over blocks of rows (TSQR).
//!
//! R with RᵀR = [1 X Y]ᵀ[1 X Y] is all that classical CCA needs of the rows, and unlike the Gram matrix it does not
//! square the condition number. The column of ones comes first, so the columns and rows after it are the factor of the
//! centered views.

use crate::error::{Error, Result};
use crate::matrix::{Buffer, Matrix};
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// R of [1 X Y]; rows beyond the column count are not kept.
#[derive(Clone)]
pub struct Triangle {
    r: Mat<f64>,
    x_cols: usize,
    centered: bool,
}

impl Triangle {
    /// From a factor of [1 X Y] that somebody else formed of views that are not centered.
    pub fn new(r: Mat<f64>, x_cols: usize) -> Self {
        Triangle { r, x_cols, centered: false }
    }

    /// The factor of [1 X Y].
    pub fn factor(&self) -> MatRef<'_, f64> {
        self.r.as_ref()
    }

    /// Rx with RxᵀRx = XᵀX and RxᵀRy = XᵀY.
    pub fn x(&self) -> MatRef<'_, f64> {
        self.columns(1, self.x_cols)
    }

    /// Ry with RyᵀRy = YᵀY and RxᵀRy = XᵀY.
    pub fn y(&self) -> MatRef<'_, f64> {
        self.columns(1 + self.x_cols, self.r.ncols() - 1 - self.x_cols)
    }

    fn columns(&self, start: usize, count: usize) -> MatRef<'_, f64> {
        let skip = usize::from(self.centered);
        self.r.as_ref().subcols(start, count).subrows(skip, self.r.nrows() - skip)
    }

    pub(super) fn centered(self) -> Self {
        Triangle { centered: true, ..self }
    }

    /// The factor of the same views with column j, X first, multiplied by `factors[j]`.
    pub(super) fn scaled(mut self, factors: &[f64]) -> Self {
        for (j, factor) in factors.iter().enumerate() {
            self.r.col_mut(1 + j).iter_mut().for_each(|value| *value *= factor);
        }
        self
    }

    /// The factor of both sets of rows together.
    pub fn stacked(&self, below: &Triangle) -> Self {
        Triangle { r: triangularize(stack(&self.r, &below.r)), ..*self }
    }
}

/// The factor of both views' rows, weighted if `weights` are given.
pub(super) fn form(views: &[Matrix; 2], weights: Option<&Buffer<f64>>, limit: u64) -> Result<Triangle> {
    let width = 1 + views[0].cols() + views[1].cols();
    let threads = rayon::current_num_threads();
    // A stack of R and a block of rows, and the copy that QR takes of it, for each thread.
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
            r = triangularize(stack(&r, &dense_block(views, weights, start, end)));
        }
        r
    };
    let parts: Vec<Mat<f64>> = (0..parts).into_par_iter().with_max_len(1).map(factorize_part).collect();
    let r = parts.iter().skip(1).fold(parts[0].clone(), |r, part| triangularize(stack(&r, part)));
    Ok(Triangle::new(r, views[0].cols()))
}

/// [above; below].
pub(super) fn stack(above: &Mat<f64>, below: &Mat<f64>) -> Mat<f64> {
    let split = above.nrows();
    Mat::from_fn(split + below.nrows(), below.ncols(), |i, j| {
        if i < split { above[(i, j)] } else { below[(i - split, j)] }
    })
}

/// R of a QR factorization of `rows`.
pub(super) fn triangularize(rows: Mat<f64>) -> Mat<f64> {
    rows.qr().thin_R().to_owned()
}

/// Rows `start..end` of [1 X Y], each times the root of its weight.
fn dense_block(views: &[Matrix; 2], weights: Option<&Buffer<f64>>, start: usize, end: usize) -> Mat<f64> {
    let [x, y] = views;
    let mut block = Mat::zeros(end - start, 1 + x.cols() + y.cols());
    for row in start..end {
        let root = weights.map_or(1.0, |weights| weights.as_slice()[row].get().sqrt());
        block[(row - start, 0)] = root;
        x.for_each(row, |column, value| block[(row - start, 1 + column)] = root * value);
        y.for_each(row, |column, value| block[(row - start, 1 + x.cols() + column)] = root * value);
    }
    block
}
