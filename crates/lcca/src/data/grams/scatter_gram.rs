//! The dense Gram matrix of sparse rows: the outer product of each row is added straight into the lower
//! triangle.
//!
//! The work is Σᵢ rᵢ²/2 for rows of rᵢ entries, however wide the views are, and less if entries share cache
//! lines. Rows are read as they are stored and centered afterwards, Σ(z − μ)(z − μ)ᵀ = Σzzᵀ − sμᵀ − μsᵀ +
//! wμμᵀ with s = Σz and w the number of rows. That loses digits of a column whose mean is far above its
//! deviation. The mean of such a column can be subtracted while rows are read, at no cost that its entries
//! did not have already, because nearly every row stores it (a column with a share of zeros z has μ² ≤ σ²(1
//! − z)/z).

use super::product::Allowance;
use crate::data::facts::moments::Moments;
use crate::error::Result;
use crate::kernel::{self, RowLines};
use crate::matrix::{Buffer, LANES, Line, Matrix};
use bytemuck::Zeroable;
use faer::Mat;
use rayon::prelude::*;
use std::ops::Range;

/// The time of a scattered multiplication, relative to one of a matrix product, measured on images of
/// digits.
const SCATTERED: f64 = 12.0;
/// A column is shifted while it is read if its mean square is this many times its variance, because one
/// digit would be lost.
const FAR_FROM_ZERO: f64 = 9.0;
/// The number of rows of dense views that are sampled for zeros.
const SAMPLED_ROWS: usize = 128;
/// The number of multiplications that is worth another thread.
const WORTHWHILE: f64 = 5e7;
/// The number of entries that are sampled to see how the work is spread over the columns.
const SAMPLE: u64 = 1 << 20;

/// Whether adding outer products, which skips zeros of dense rows, is cheaper than multiplying dense rows.
pub(in crate::data) fn pays(views: &[Matrix]) -> bool {
    let (rows, width) = (views[0].rows(), width(views) as f64);
    SCATTERED * work(views) < rows as f64 * width * width / 2.0
}

/// The number of multiplications of all outer products: half of each, with the diagonal. Dense rows are
/// sampled.
fn work(views: &[Matrix]) -> f64 {
    let rows = views[0].rows();
    let in_row = |row: usize| {
        let r: u64 = views.iter().map(|view| nonzero(view, row)).sum();
        r * (r + 1) / 2
    };
    if views.iter().all(|view| !matches!(view, Matrix::Dense(_))) {
        return (0..rows).into_par_iter().with_min_len(1 << 16).map(in_row).sum::<u64>() as f64;
    }
    let sampled = (0..rows).step_by(rows.div_ceil(SAMPLED_ROWS));
    let count = sampled.len() as f64;
    sampled.map(in_row).sum::<u64>() as f64 * (rows as f64 / count)
}

/// The number of entries of a row: those that are not zero if it is dense, those that are stored otherwise.
fn nonzero(view: &Matrix, row: usize) -> u64 {
    if !matches!(view, Matrix::Dense(_)) {
        return view.row_entries(row);
    }
    let mut count = 0;
    view.for_each(row, |_, value| count += u64::from(value != 0.0));
    count
}

fn width(views: &[Matrix]) -> usize {
    views.iter().map(Matrix::cols).sum()
}

/// The lower triangle of Σ weight·(z − μ)(z − μ)ᵀ over the rows z of all views side by side, with μ the
/// means, or 0.
pub(in crate::data) fn form(
    views: &[Matrix],
    weights: Option<&Buffer<f64>>,
    centering: Option<Centering<'_>>,
    limit: u64,
) -> Result<Mat<f64>> {
    let rows = Rows::new(views, weights, centering);
    let each = 8 * (rows.width() as u64).pow(2);
    let allowance = Allowance::new("the Gram matrix", limit);
    // The sum, and its copy when columns go back to their places.
    allowance.take(2 * each)?;
    // Threads share the rows if the work is worth a sum of its own for each of them. Otherwise they share
    // the columns, and every thread reads all rows.
    let work = work(views);
    let threads = if work > WORTHWHILE { rayon::current_num_threads() } else { 1 };
    let by_rows = (threads * rows.width() * rows.width()) as f64 <= work / 4.0
        && allowance.take((threads as u64 - 1) * each).is_ok();
    let sum = if by_rows { rows.sum_by_rows(threads) } else { rows.sum_by_columns(threads) };
    Ok(rows.centered(&sum))
}

/// The means that are subtracted from the rows of each view, and the moments of these rows.
#[derive(Clone, Copy)]
pub(in crate::data) struct Centering<'a> {
    pub means: [&'a [f64]; 2],
    pub moments: [&'a Moments; 2],
}

/// All views side by side, in the order in which they are read: columns far from zero come last and are
/// shifted.
struct Rows<'a> {
    views: &'a [Matrix],
    weights: Option<&'a Buffer<f64>>,
    /// The place of each column.
    places: Vec<usize>,
    /// The number of columns that are not shifted.
    plain: usize,
    /// Minus the means of the shifted columns.
    shifts: Vec<f64>,
    /// Means and sums of the columns as they are read, by place; empty if nothing is centered.
    means: Vec<f64>,
    sums: Vec<f64>,
    weight: f64,
}

/// One row in the order of places.
struct Entries {
    /// The places and values of the row's entries, places ascending.
    entries: Vec<(usize, f64)>,
    /// The values of the shifted columns.
    shifted: Vec<f64>,
    /// The row with all its places, most of them zero, and the indices of the cache lines that are not
    /// zero.
    lines: Vec<Line>,
    used: Vec<usize>,
}

impl Entries {
    fn new(width: usize) -> Self {
        let lines = vec![Line::zeroed(); width.div_ceil(LANES)];
        Entries { entries: Vec::new(), shifted: Vec::new(), lines, used: Vec::new() }
    }

    /// Writes the entries into their cache lines, replacing those of the previous row.
    fn spread(&mut self) {
        self.used.drain(..).for_each(|line| self.lines[line] = Line::zeroed());
        for &(place, value) in &self.entries {
            let line = place / LANES;
            if self.used.last() != Some(&line) {
                self.used.push(line);
            }
            self.lines[line].0[place % LANES] = value;
        }
    }
}

impl<'a> Rows<'a> {
    fn new(views: &'a [Matrix], weights: Option<&'a Buffer<f64>>, centering: Option<Centering<'_>>) -> Self {
        let width = width(views);
        let mut rows = Rows {
            views,
            weights,
            places: (0..width).collect(),
            plain: width,
            shifts: Vec::new(),
            means: Vec::new(),
            sums: Vec::new(),
            weight: 0.0,
        };
        let Some(Centering { means, moments }) = centering else { return rows };
        rows.weight = moments[0].weight;
        let means = means.concat();
        let sums = moments.map(|moments| &moments.sum[..]).concat();
        let squares = moments.map(|moments| &moments.square[..]).concat();
        let is_far = |&j: &usize| {
            let about_mean = squares[j] - means[j] * (2.0 * sums[j] - rows.weight * means[j]);
            squares[j] > 0.0 && rows.weight * means[j] * means[j] > FAR_FROM_ZERO * about_mean
        };
        let (far, near): (Vec<usize>, Vec<usize>) = (0..width).partition(is_far);
        rows.plain = near.len();
        rows.shifts = far.iter().map(|&j| -means[j]).collect();
        near.iter().chain(&far).enumerate().for_each(|(place, &j)| rows.places[j] = place);
        rows.means = near.iter().map(|&j| means[j]).chain(far.iter().map(|_| 0.0)).collect();
        rows.sums = near.iter().map(|&j| sums[j]).chain(rows.shifted_sums()).collect();
        rows
    }

    /// The sums of the shifted columns. They are added up after shifting, because a difference of large
    /// sums would bring back the error that shifting avoids.
    fn shifted_sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.shifts.len()];
        if sums.is_empty() {
            return sums;
        }
        let mut row_entries = Entries::new(self.width());
        for row in 0..self.count() {
            self.read(row, &mut row_entries);
            sums.iter_mut()
                .zip(&row_entries.shifted)
                .for_each(|(sum, value)| *sum += self.weight_of(row) * value);
        }
        sums
    }

    fn width(&self) -> usize {
        self.places.len()
    }

    fn count(&self) -> usize {
        self.views[0].rows()
    }

    fn weight_of(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights.as_slice()[row].get())
    }

    /// The number of cache lines of a column of the sum.
    fn stride(&self) -> usize {
        self.width().div_ceil(LANES)
    }

    /// Reads a row, with places ascending. Shifted columns are always included, other zeros are not.
    fn read(&self, row: usize, into: &mut Entries) {
        let Entries { entries, shifted, .. } = into;
        entries.clear();
        shifted.clear();
        shifted.extend_from_slice(&self.shifts);
        let mut left = 0;
        for view in self.views {
            view.for_each(row, |j, value| {
                let place = self.places[left + j];
                if place >= self.plain {
                    shifted[place - self.plain] += value;
                } else if value != 0.0 {
                    entries.push((place, value));
                }
            });
            left += view.cols();
        }
        entries.extend((self.plain..).zip(shifted.iter().copied()));
    }

    /// Adds columns `columns` of the outer products of `rows` into `sum`, which holds only those columns.
    fn add(&self, rows: Range<usize>, columns: Range<usize>, sum: &mut [Line]) {
        let mut row_entries = Entries::new(self.width());
        let mut factors = Vec::new();
        for row in rows {
            self.read(row, &mut row_entries);
            row_entries.spread();
            let Entries { entries, lines, used, .. } = &row_entries;
            let start = entries.partition_point(|&(place, _)| place < columns.start);
            let end = entries.partition_point(|&(place, _)| place < columns.end);
            let weight = self.weight_of(row);
            factors.clear();
            factors.extend(entries[start..end].iter().map(|&(place, value)| (place, weight * value)));
            kernel::outer(RowLines { lines, used }, &factors, columns.start, sum);
        }
    }

    /// The sum over all rows. Each part of them has its own sum, and these are added up in order.
    fn sum_by_rows(&self, parts: usize) -> Vec<Line> {
        let (rows, width) = (self.count(), self.width());
        let sum_part = |part: usize| {
            let mut sum = vec![Line::zeroed(); width * self.stride()];
            self.add(rows * part / parts..rows * (part + 1) / parts, 0..width, &mut sum);
            sum
        };
        let sums: Vec<Vec<Line>> = (0..parts).into_par_iter().with_max_len(1).map(sum_part).collect();
        let mut sums = sums.into_iter();
        let first = sums.next().unwrap_or_default();
        sums.fold(first, |mut sum, part| {
            kernel::add(&mut sum, &part);
            sum
        })
    }

    /// The sum over all rows, in which each thread forms some of the columns.
    fn sum_by_columns(&self, parts: usize) -> Vec<Line> {
        let mut sum = vec![Line::zeroed(); self.width() * self.stride()];
        let mut rest = &mut sum[..];
        let mut tasks = Vec::new();
        let mut start = 0;
        for end in self.ends_of_equal_work(parts) {
            let (own, others) = rest.split_at_mut((end - start) * self.stride());
            tasks.push((start..end, own));
            (rest, start) = (others, end);
        }
        let add = |(columns, own): (Range<usize>, &mut [Line])| self.add(0..self.count(), columns, own);
        tasks.into_par_iter().with_max_len(1).for_each(add);
        sum
    }

    /// The ends of ranges of columns with about the same work, estimated from a sample of the rows.
    fn ends_of_equal_work(&self, parts: usize) -> Vec<usize> {
        let stored: u64 = self.views.iter().map(Matrix::entries).sum();
        let step = (stored / SAMPLE).max(1) as usize;
        let mut work = vec![1u64; self.width()];
        let mut row_entries = Entries::new(self.width());
        for row in (0..self.count()).step_by(step) {
            self.read(row, &mut row_entries);
            let entries = row_entries.entries.iter().rev();
            entries.zip(1..).for_each(|(&(place, _), products)| work[place] += products);
        }
        let all: u64 = work.iter().sum();
        let mut done = 0;
        let mut ends = Vec::with_capacity(parts);
        for (place, work) in work.iter().enumerate() {
            done += work;
            if done * parts as u64 >= all * (ends.len() as u64 + 1) {
                ends.push(place + 1);
            }
        }
        ends
    }

    /// The lower triangle about the means, after moving the columns back to their places.
    fn centered(&self, sum: &[Line]) -> Mat<f64> {
        let (stride, is_centered) = (self.stride(), !self.means.is_empty());
        let entry = |i: usize, j: usize| {
            let value = sum[j * stride + i / LANES].0[i % LANES];
            if !is_centered {
                return value;
            }
            let products = self.sums[i] * self.means[j] + self.means[i] * self.sums[j];
            value - (products - self.weight * self.means[i] * self.means[j])
        };
        Mat::from_fn(self.width(), self.width(), |i, j| {
            let (a, b) = (self.places[i], self.places[j]);
            if i >= j { entry(a.max(b), a.min(b)) } else { 0.0 }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_mat, relative_error, sparse_from_dense, to_dense, zipf_rows};

    /// The slow twin of `form`, from dense rows.
    fn twin(views: &[Matrix], weights: &[f64], means: Option<&[f64]>) -> Mat<f64> {
        let dense: Vec<Mat<f64>> = views.iter().map(to_dense).collect();
        let (split, width) = (views[0].cols(), width(views));
        let entry = |i: usize, j: usize| {
            let value = if j < split { dense[0][(i, j)] } else { dense[1][(i, j - split)] };
            value - means.map_or(0.0, |means| means[j])
        };
        Mat::from_fn(width, width, |a, b| {
            let products = weights.iter().enumerate().map(|(i, w)| w * entry(i, a) * entry(i, b));
            if a >= b { products.sum() } else { 0.0 }
        })
    }

    #[test]
    fn outer_products_add_up_to_the_dense_product_however_the_work_is_shared() {
        let far = random_mat(400, 30, 1);
        let far = Mat::from_fn(400, 30, |i, j| match (j, (i + j) % 9) {
            (10 | 20, _) => 1000.0 + far[(i, j)],
            (_, 0) => far[(i, j)],
            _ => 0.0,
        });
        let views = [zipf_rows(400, 60, 4, 1), sparse_from_dense(far.as_ref())];
        let weights: Vec<f64> = (0..400).map(|i| f64::from(i % 3)).collect();
        let buffer: Buffer<f64> = weights.clone().into();
        let means: Vec<f64> = (0..90).map(|j| if j == 70 || j == 80 { 1000.0 } else { 0.1 }).collect();
        let moments = views.each_ref().map(|view| Moments::new(view, 0..400, |row| weights[row]));
        for means in [None, Some(&means[..])] {
            let centering = means
                .map(|means| Centering { means: [&means[..60], &means[60..]], moments: moments.each_ref() });
            let truth = twin(&views, &weights, means);
            let rows = Rows::new(&views, Some(&buffer), centering);
            assert_eq!(rows.shifts.len(), if means.is_some() { 2 } else { 0 });
            for parts in [1, 3] {
                for sum in [rows.sum_by_rows(parts), rows.sum_by_columns(parts)] {
                    let formed = rows.centered(&sum);
                    assert!(relative_error(formed.as_ref(), truth.as_ref()) < 1e-13);
                }
            }
        }
    }
}
