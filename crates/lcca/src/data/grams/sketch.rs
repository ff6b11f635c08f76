//! CountSketch: the triangular factor of random sums of rows instead of all rows.
//!
//! Every row of [1 X Y] is added to one of m sums, drawn at random, with a random sign. Inner products of
//! columns are right on average, because both views and the ones share the draw. S with one ±1 per column
//! is never formed: rows are grouped by their sum, and groups are summed and factorized a block at a time,
//! independently of the number of threads. Cost: the rows are read once, and QR takes 2·m·p² operations
//! instead of 2·n·p².

use crate::data::facts::triangle::{self, Triangle, stack, triangularize};
use crate::error::{Error, Result};
use crate::matrix::{Buffer, Matrix};
use crate::random;
use faer::Mat;
use rand::Rng;
use rayon::prelude::*;
use std::ops::Range;

/// The sum and the sign that the draw assigns to each row.
struct Draw {
    /// Where the rows of each sum begin in `rows`, and where the last ones end.
    starts: Vec<usize>,
    /// The rows, grouped by sum.
    rows: Vec<usize>,
    /// The sign of each row.
    signs: Vec<f64>,
}

impl Draw {
    fn new(rows: usize, size: usize, seed: u64) -> Self {
        let mut random = random::generator(seed, random::Purpose::Sketch, 0);
        let mut draw = || {
            let bits = random.next_u64();
            let sum = ((bits >> 32) * size as u64) >> 32;
            (sum as usize, if bits & 1 == 0 { 1.0 } else { -1.0 })
        };
        let (sums, signs): (Vec<usize>, Vec<f64>) = (0..rows).map(|_| draw()).unzip();
        let mut starts = vec![0; size + 1];
        sums.iter().for_each(|&sum| starts[sum + 1] += 1);
        (0..size).for_each(|sum| starts[sum + 1] += starts[sum]);
        let (mut next, mut grouped) = (starts.clone(), vec![0; rows]);
        for (row, &sum) in sums.iter().enumerate() {
            grouped[next[sum]] = row;
            next[sum] += 1;
        }
        Draw { starts, rows: grouped, signs }
    }

    /// Some of the sums of the rows of [1 X Y], each row times the root of its weight.
    fn sums(&self, views: &[Matrix; 2], weights: Option<&Buffer<f64>>, wanted: Range<usize>) -> Mat<f64> {
        let [x, y] = views;
        let mut sums = Mat::zeros(wanted.len(), 1 + x.cols() + y.cols());
        for (i, sum) in wanted.enumerate() {
            for &row in &self.rows[self.starts[sum]..self.starts[sum + 1]] {
                let root = weights.map_or(1.0, |weights| weights.as_slice()[row].get().sqrt());
                let factor = self.signs[row] * root;
                sums[(i, 0)] += factor;
                x.for_each(row, |column, value| sums[(i, 1 + column)] += factor * value);
                y.for_each(row, |column, value| sums[(i, 1 + x.cols() + column)] += factor * value);
            }
        }
        sums
    }
}

/// The factor of `size` sums of the rows, or of the rows themselves if there are no more of them.
pub(in crate::data) fn form(
    views: &[Matrix; 2],
    weights: Option<&Buffer<f64>>,
    size: usize,
    seed: u64,
    limit: u64,
) -> Result<Triangle> {
    let (rows, width) = (views[0].rows(), 1 + views[0].cols() + views[1].cols());
    if rows <= size {
        return triangle::form(views, None, weights, limit);
    }
    let block = 2 * width.max(128);
    let blocks = size.div_ceil(block);
    // The factor of each block, the draw, and for each thread a block and the copy that QR takes of it.
    let dense = 8 * width as u64 * (blocks * width + 2 * rayon::current_num_threads() * block) as u64;
    let needed = dense.saturating_add(32 * rows as u64);
    if needed > limit {
        let advice = "allow more memory, or use a method for larger data";
        return Err(Error::Memory { what: "a sketch of both views".into(), needed, allowed: limit, advice });
    }
    let draw = Draw::new(rows, size, seed);
    let factorize = |block_index: usize| {
        let first = block_index * block;
        triangularize(draw.sums(views, weights, first..(first + block).min(size)))
    };
    let factors: Vec<Mat<f64>> = (0..blocks).into_par_iter().with_max_len(1).map(factorize).collect();
    let r = factors.iter().skip(1).fold(factors[0].clone(), |r, below| triangularize(stack(&r, below)));
    Ok(Triangle::new(r, views[0].cols()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_mat, sparse_from_dense};

    /// The slow twin: S as a matrix.
    fn explicit(draw: &Draw, size: usize) -> Mat<f64> {
        let mut s = Mat::zeros(size, draw.rows.len());
        for sum in 0..size {
            for &row in &draw.rows[draw.starts[sum]..draw.starts[sum + 1]] {
                s[(sum, row)] = draw.signs[row];
            }
        }
        s
    }

    #[test]
    fn a_sketch_is_linear_with_one_sign_for_each_row() {
        let (rows, size) = (200, 30);
        let draw = Draw::new(rows, size, 5);
        let s = explicit(&draw, size);
        for row in 0..rows {
            assert_eq!((0..size).filter(|&sum| s[(sum, row)] != 0.0).count(), 1);
        }
        let (x, y) = (random_mat(rows, 4, 1), random_mat(rows, 3, 2));
        let sums = draw.sums(&[&x, &y].map(|view| sparse_from_dense(view.as_ref())), None, 0..size);
        let all = Mat::from_fn(rows, 8, |i, j| match j {
            0 => 1.0,
            _ if j < 5 => x[(i, j - 1)],
            _ => y[(i, j - 5)],
        });
        assert!((sums - s * all).norm_max() < 1e-13);
    }

    #[test]
    fn inner_products_of_a_sketch_are_right_on_average() {
        let (rows, size, draws) = (60, 20, 4000);
        let z = random_mat(rows, 2, 3);
        let views = [0, 1].map(|j| sparse_from_dense(z.as_ref().subcols(j, 1)));
        let truth: f64 = (0..rows).map(|i| z[(i, 0)] * z[(i, 1)]).sum();
        let mean = (0..draws).map(|seed| {
            let sums = Draw::new(rows, size, seed).sums(&views, None, 0..size);
            (0..size).map(|i| sums[(i, 1)] * sums[(i, 2)]).sum::<f64>()
        });
        let (mean, lengths) = (mean.sum::<f64>() / draws as f64, z.col(0).norm_l2() * z.col(1).norm_l2());
        // The deviation of one draw is at most √(2/size) of the lengths.
        assert!(
            (mean - truth).abs() < 4.0 * (2.0 / size as f64 / draws as f64).sqrt() * lengths,
            "{mean} {truth}"
        );
    }
}
