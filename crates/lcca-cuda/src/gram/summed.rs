//! Forms moments and the Gram matrix of dense rows of the host from a single copy of them.
//!
//! The Gram matrix is that of centered columns, but their means are known only when all rows have been
//! read. Estimates μ₀ of the means, from some of the rows, are therefore subtracted, and the difference is
//! made up for afterwards. With the means μ and the sum W of the weights,
//!
//! ```text
//! Σ w·(z − m)(z − m)ᵀ = Σ w·(z − μ₀)(z − μ₀)ᵀ + W·((μ − m)(μ − m)ᵀ − (μ − μ₀)(μ − μ₀)ᵀ)
//! ```
//!
//! for any m. If no estimate is far from its mean, nothing is lost, because both terms are then small
//! beside the variances. Otherwise, rows are read again.

use super::dense_gram::{self, GramSum};
use crate::dense::array::DeviceArray;
use crate::dense::column_sums::PartialSums;
use crate::runtime::device::Device;
use crate::scattered::home::are_same_rows;
use crate::scattered::rows::{ViewOnDevice, stream};
use faer::Mat;
use lcca::data::{Composition, InMemory, Moments, Pair, Side};
use lcca::matrix::{Buffer, Matrix};
use std::sync::Arc;

/// The most columns of both views that may be solved with a Gram matrix. Forming it takes less time than
/// the copy.
const MOST_COLS: usize = 4500;
/// The number of rows from which means are estimated.
const SAMPLED: usize = 512;
/// An estimate is near if its squared distance from the mean is at most `NEAR` times the variance. This
/// costs four bits at most.
const NEAR: f64 = 16.0;
/// The share of the size of a column below which distances are rounding.
const ROUNDING: f64 = 1e-14;

/// The Gram matrix of rows less estimates of their means, on a device.
pub(crate) struct Summed {
    /// Keeps the host's numbers and weights alive, so that no others get their address.
    source: [Matrix; 2],
    weights: Option<Buffer<f64>>,
    gram: GramSum,
    /// W.
    weight: f64,
    /// μ of both views.
    means: Vec<f64>,
    /// μ − μ₀.
    distances: Vec<f64>,
}

impl Summed {
    /// Whether rows are to be summed up on the device. Rows that already lie there need not be copied, so
    /// their Gram matrix can wait for the means.
    pub fn pays(device: &Device, pair: &InMemory) -> bool {
        let lies_there = |side: &Side| DeviceArray::of_view(pair.view(*side)).is_some();
        pair.shape().x_cols + pair.shape().y_cols <= MOST_COLS
            && dense_gram::is_possible(device, pair)
            && !Side::BOTH.iter().all(lies_there)
    }

    /// Forms the moments of both views, and their Gram matrix unless an estimate was far from its mean.
    pub fn new(device: &Arc<Device>, pair: &InMemory) -> lcca::Result<([Moments; 2], Option<Self>)> {
        let (shape, step) = (pair.shape(), dense_gram::step(device, pair));
        let estimates = [estimate(pair.view(Side::X))?, estimate(pair.view(Side::Y))?].concat();
        let there = device.copy(&estimates)?;
        let mut gram = GramSum::new(device, pair)?;
        let parts = |side: Side| PartialSums::new(device, shape.rows, step, shape.cols(side));
        let mut sums = [parts(Side::X)?, parts(Side::Y)?];
        stream(device, pair, step, &mut |chunk| {
            for (sums, view) in sums.iter_mut().zip(&chunk.views) {
                if let ViewOnDevice::Dense(view) = &**view {
                    sums.add(device, chunk.rows, view.at(), chunk.weights())?;
                }
            }
            Ok(gram.add(device, chunk, there.address())?)
        })?;
        let moments = |sums: &PartialSums| -> lcca::Result<Moments> {
            Ok(Moments::of_dense(shape.rows, sums.sums()?, pair.weights()))
        };
        let moments = [moments(&sums[0])?, moments(&sums[1])?];
        let means = [moments[0].mean(), moments[1].mean()].concat();
        let distances: Vec<f64> = means.iter().zip(&estimates).map(|(mean, near)| mean - near).collect();
        let summed = are_near(&moments, &distances).then(|| Summed {
            source: Side::BOTH.map(|side| pair.view(side).clone()),
            weights: pair.weights().cloned(),
            gram,
            weight: moments[0].weight,
            means,
            distances,
        });
        Ok((moments, summed))
    }

    /// Whether these are the rows of a pair.
    pub fn is_of(&self, pair: &InMemory) -> bool {
        are_same_rows(pair, &self.source, self.weights.as_ref())
    }

    /// The lower triangle of F·Σ weight·(z − m)(z − m)ᵀ·F with the means m and the factors F of a
    /// composition.
    pub fn gram(&self, composition: &Composition<'_>) -> lcca::Result<Mat<f64>> {
        let subtracted =
            composition.means.map_or_else(|| vec![0.0; self.means.len()], |means| means.concat());
        let left: Vec<f64> = self.means.iter().zip(&subtracted).map(|(mean, m)| mean - m).collect();
        let away = &self.distances;
        let change = |i: usize, j: usize| self.weight * (left[i] * left[j] - away[i] * away[j]);
        Ok(self.gram.scaled(composition.factors, self.source[0].cols(), change)?)
    }
}

/// Returns the means of a sample of the rows that is spread over all of them.
fn estimate(view: &Matrix) -> lcca::Result<Vec<f64>> {
    let mut means = vec![0.0; view.cols()];
    let Matrix::Dense(rows) = view else { return Ok(means) };
    let count = rows.rows().min(SAMPLED);
    // One row of each of `count` equal parts, at a place that follows no period of the rows.
    let chosen = |part: usize| {
        let (first, last) = (rows.rows() * part / count, rows.rows() * (part + 1) / count);
        let place = (part as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        first + place as usize % (last - first)
    };
    let sample = rows.taken(&(0..count).map(chosen).collect::<Vec<usize>>())?;
    (0..count).for_each(|row| sample.for_each(row, |j, value| means[j] += value / count as f64));
    Ok(means)
}

/// Whether no estimate is far from its mean.
fn are_near([x, y]: &[Moments; 2], distances: &[f64]) -> bool {
    let of_view = |moments: &Moments, distances: &[f64]| {
        let variances = moments.centered().square;
        let columns = distances.iter().zip(&variances).zip(&moments.square);
        // A distance that is not a number is not near.
        columns.into_iter().all(|((distance, variance), square)| {
            moments.weight * distance * distance <= NEAR * variance + ROUNDING * ROUNDING * square
        })
    };
    let (first, second) = distances.split_at(x.sum.len());
    of_view(x, first) && of_view(y, second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lcca::matrix::{DenseRows, DenseValues};

    fn moments(rows: &[[f64; 2]]) -> Moments {
        let of_column = |j: usize, power: i32| rows.iter().map(|row| row[j].powi(power)).sum();
        Moments {
            weight: rows.len() as f64,
            sum: vec![of_column(0, 1), of_column(1, 1)],
            square: vec![of_column(0, 2), of_column(1, 2)],
            ..Moments::zero(2)
        }
    }

    #[test]
    fn estimates_are_means_of_rows_from_everywhere() {
        // Blocks of rows have means of their own, and numbers have the period of the sample's step.
        for rows in [1, 7, SAMPLED, 100 * SAMPLED, 100 * SAMPLED + 311] {
            let number =
                |row: usize| 1000.0 + (10 * row / rows) as f64 + f64::from(u8::from(row.is_multiple_of(100)));
            let numbers: Vec<f64> = (0..rows).flat_map(|row| [number(row), 5.0]).collect();
            let mean = (0..rows).map(number).sum::<f64>() / rows as f64;
            let view = DenseRows::new(rows, 2, DenseValues::F64(numbers.into())).unwrap();
            let found = estimate(&view.into()).unwrap();
            assert!((found[0] - mean).abs() < 0.2, "{rows} rows: {found:?}, {mean}");
            assert!((found[1] - 5.0).abs() < 1e-12);
        }
    }

    #[test]
    fn estimates_that_would_cost_digits_are_far() {
        let rows: Vec<[f64; 2]> = (0..100).map(|i| [3.0 + f64::from(i % 2), 0.1]).collect();
        let both = [moments(&rows), moments(&rows)];
        // The variance of the first column is 1/4, and the second is constant.
        for (distances, is_near) in [
            ([0.0, 0.0, 0.0, 0.0], true),
            ([0.1, 1e-17, -1.9, 0.0], true),
            ([0.0, 0.0, 2.1, 0.0], false),
            ([0.0, 1e-14, 0.0, 0.0], false),
            ([f64::NAN, 0.0, 0.0, 0.0], false),
        ] {
            assert_eq!(are_near(&both, &distances), is_near, "{distances:?}");
        }
    }
}
