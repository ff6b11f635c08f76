//! The dense Gram matrix ZᵀZ of narrow views, with Z = [X Y] or one view alone: half of n·p² multiplications,
//! at the speed of matrix products, or fewer if rows are sparse enough for their outer products
//! (`scatter_gram`).

use super::product::Allowance;
use super::scatter_gram::{self, Centering};
use crate::error::Result;
use crate::matrix::{Buffer, Matrix};
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, Par};
use rayon::prelude::*;

/// The number of rows multiplied at a time: enough for a fast matrix product, few enough for the cache.
const BLOCK: usize = 512;
/// The number of rows multiplied at a time for views of fewer than 256 columns, because the system would
/// have to fetch pages for a block of 512 rows.
const NARROW_BLOCK: usize = 128;
/// The number of multiplications that is worth another thread: one thread does fewer in about two
/// milliseconds.
const WORTHWHILE: usize = 50_000_000;

/// The lower triangle of Σ weight·(z − μ)(z − μ)ᵀ over the rows z of Z, with μ the means, or 0.
pub(in crate::data) fn form(
    views: &[Matrix],
    weights: Option<&Buffer<f64>>,
    centering: Option<Centering<'_>>,
    limit: u64,
) -> Result<Mat<f64>> {
    if scatter_gram::pays(views) {
        return scatter_gram::form(views, weights, centering, limit);
    }
    let means = centering.map(|centering| centering.means);
    let means = means.as_ref().map(|means| &means[..]);
    if let Some(weights) = weights {
        // Rows of weight 0 are not multiplied, because a resample leaves out a third of the rows.
        let counting: Vec<usize> = weights
            .as_slice()
            .iter()
            .enumerate()
            .filter(|(_, weight)| weight.get() > 0.0)
            .map(|(row, _)| row)
            .collect();
        return form_rows(views, Some(weights), means, (counting.len(), &|i| counting[i]), limit);
    }
    form_rows(views, weights, means, (views[0].rows(), &|row| row), limit)
}

/// The lower triangle that [`form`] computes, over `count` of the rows and always by matrix products: `row`
/// names each of them.
pub(in crate::data) fn form_rows(
    views: &[Matrix],
    weights: Option<&Buffer<f64>>,
    means: Option<&[&[f64]]>,
    (count, row): (usize, &(dyn Fn(usize) -> usize + Sync)),
    limit: u64,
) -> Result<Mat<f64>> {
    let (width, rows) = (views.iter().map(Matrix::cols).sum::<usize>(), count);
    let block_rows = if width < 256 { NARROW_BLOCK } else { BLOCK };
    // Each part holds a sum and a block of rows. Take as many parts as fit beside the sum of all, at least
    // one.
    let each = 8 * width as u64 * (width + block_rows) as u64;
    let fit = (limit / each.max(1)).saturating_sub(1).clamp(1, rayon::current_num_threads() as u64) as usize;
    let worthwhile = 1 + rows.saturating_mul(width * width / 2) / WORTHWHILE;
    let parts = fit.min(rows.div_ceil(block_rows)).min(worthwhile).max(1);
    Allowance::new("the Gram matrix", limit).take((parts as u64 + 1) * each)?;
    let sum_part = |part: usize| {
        let span = rows * part / parts..rows * (part + 1) / parts;
        let (mut sum, mut block) = (Mat::zeros(width, width), Mat::zeros(width, block_rows));
        for start in span.clone().step_by(block_rows) {
            let rows = start..(start + block_rows).min(span.end);
            fill(&mut block, views, weights, means, rows.clone().map(row));
            let block = block.subcols(0, rows.len());
            let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
            matmul(sum.as_mut(), lower, Accum::Add, block, full, block.transpose(), full, 1.0, Par::Seq);
        }
        sum
    };
    let parts: Vec<Mat<f64>> = (0..parts).into_par_iter().with_max_len(1).map(sum_part).collect();
    let mut parts = parts.into_iter();
    let first = parts.next().unwrap_or_else(|| Mat::zeros(width, width));
    Ok(parts.fold(first, |sum, part| sum + part))
}

/// Writes each row of the views into one column of the block.
fn fill(
    block: &mut Mat<f64>,
    views: &[Matrix],
    weights: Option<&Buffer<f64>>,
    means: Option<&[&[f64]]>,
    rows: impl Iterator<Item = usize>,
) {
    for (i, row) in rows.enumerate() {
        let column = block.col_as_slice_mut(i);
        match means {
            Some(means) => {
                column.iter_mut().zip(means.iter().copied().flatten()).for_each(|(z, mean)| *z = -mean)
            }
            None => column.fill(0.0),
        }
        let mut left = 0;
        for view in views {
            view.for_each(row, |j, value| column[left + j] += value);
            left += view.cols();
        }
        if let Some(weights) = weights {
            let root = weights.as_slice()[row].get().sqrt();
            column.iter_mut().for_each(|z| *z *= root);
        }
    }
}

/// All of a symmetric matrix from its lower triangle.
pub(in crate::data) fn mirrored(lower: &Mat<f64>) -> Mat<f64> {
    Mat::from_fn(lower.nrows(), lower.ncols(), |i, j| if i >= j { lower[(i, j)] } else { lower[(j, i)] })
}
