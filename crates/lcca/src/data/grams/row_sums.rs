//! ZᵀZ of standardized rows, in one pass and in memory for columns², however many rows there are.
//!
//! With z = w(Dx − c − m·1) and c = Dμ,
//!
//! ```text
//! Σzzᵀ = D(Σw²xxᵀ)D − (pcᵀ + cpᵀ) − (q1ᵀ + 1qᵀ) + (Σw²)ccᵀ + (Σw²m)(c1ᵀ + 1cᵀ) + (Σw²m²)11ᵀ,   p = Σw²Dx,
//! q = Σw²mDx
//! ```
//!
//! so sparse rows cost a weighted sparse Gram matrix and sums over their entries. Dense rows are
//! standardized in blocks, because that costs nothing beside their product and loses no digits if means are
//! far above deviations.

use super::dense_gram;
use crate::data::facts::standardize::{ColumnScale, RowScale};
use crate::error::{Error, Result};
use crate::matrix::{DenseRows, DenseValues, Matrix, Reader};
use faer::Mat;
use rayon::prelude::*;

/// The number of entries of dense rows that are standardized at a time: 32 MB.
const BLOCK: usize = 1 << 22;
/// The most matrices of columns × columns that sums and their singular vectors take at a time.
const MATRICES: u64 = 10;
/// The number of parts of the rows that have sums of their own. It is the same on any machine, so that
/// results are the same too.
const PARTS: usize = 32;

/// The sum of zzᵀ over standardized rows, of which more can be added.
#[derive(Clone)]
pub struct RowSums {
    columns: ColumnScale,
    rows: u64,
    constant: u64,
    /// The lower triangle of the sum.
    lower: Mat<f64>,
}

impl RowSums {
    /// A sum over no rows yet.
    pub fn new(columns: ColumnScale) -> Self {
        let lower = Mat::zeros(columns.cols(), columns.cols());
        RowSums { columns, rows: 0, constant: 0, lower }
    }

    /// How columns are centered and scaled before rows are standardized.
    pub fn columns(&self) -> &ColumnScale {
        &self.columns
    }

    /// The number of rows so far.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// The number of rows so far whose entries are all the same. They count as zero, because they cannot be
    /// standardized.
    pub fn constant(&self) -> u64 {
        self.constant
    }

    /// The lower triangle of ZᵀZ.
    pub(crate) fn lower(&self) -> &Mat<f64> {
        &self.lower
    }

    /// Adds rows. Their Gram matrices may take `limit` bytes.
    pub fn add(&mut self, rows: &Matrix, limit: u64) -> Result<()> {
        let (expected, found) = (self.columns.cols(), rows.cols());
        if expected != found {
            return Err(Error::Length { what: "columns", expected, found });
        }
        let needed = MATRICES * 8 * (found as u64).pow(2);
        if needed > limit {
            let advice = "allow more memory, or use fewer columns, such as the most variable ones";
            return Err(Error::Memory {
                what: "matrices of columns × columns".into(),
                needed,
                allowed: limit,
                advice,
            });
        }
        if rows.rows() == 0 || found == 0 {
            self.rows += rows.rows() as u64;
            return Ok(());
        }
        if matches!(rows, Matrix::Dense(_)) {
            self.add_dense(rows, limit)
        } else {
            self.add_sparse(rows, limit)
        }
    }

    fn add_dense(&mut self, rows: &Matrix, limit: u64) -> Result<()> {
        let width = rows.cols();
        let block_rows = (BLOCK / width).max(1);
        for start in (0..rows.rows()).step_by(block_rows) {
            let count = block_rows.min(rows.rows() - start);
            let mut block = vec![0.0; count * width];
            let standardized = block.par_chunks_mut(width).enumerate();
            let varying = standardized.map(|(i, row)| self.columns.standardize(rows, start + i, row));
            let constant = varying.filter(|varies| !varies).count();
            let block = DenseRows::new(count, width, DenseValues::F64(block.into()))?;
            self.lower += dense_gram::form(&[block.into()], None, None, limit)?;
            self.rows += count as u64;
            self.constant += constant as u64;
        }
        Ok(())
    }

    fn add_sparse(&mut self, rows: &Matrix, limit: u64) -> Result<()> {
        let scales = self.columns.row_scales(rows);
        let weights: Vec<f64> = scales.iter().map(|scale| scale.factor * scale.factor).collect();
        let [p, q] = self.weighted_sums(rows, &scales);
        let sum = |power: i32| -> f64 {
            scales.iter().zip(&weights).map(|(scale, weight)| weight * scale.mean.powi(power)).sum()
        };
        let (s0, s1, s2) = (sum(0), sum(1), sum(2));
        let gram = dense_gram::form(std::slice::from_ref(rows), Some(&weights.into()), None, limit)?;
        let (d, c) = (self.columns.factors(), self.columns.shifts());
        let width = d.len();
        for j in 0..width {
            let (from, to) = (&gram.col_as_slice(j)[j..], &mut self.lower.col_as_slice_mut(j)[j..]);
            for ((i, from), to) in (j..width).zip(from).zip(to) {
                let shifts = p[i] * c[j] + c[i] * p[j] - s0 * c[i] * c[j];
                let means = q[i] + q[j] - s1 * (c[i] + c[j]) - s2;
                *to += d[i] * d[j] * from - shifts - means;
            }
        }
        self.rows += rows.rows() as u64;
        self.constant += scales.iter().filter(|scale| scale.factor == 0.0).count() as u64;
        Ok(())
    }

    /// Σw²Dx and Σw²mDx.
    fn weighted_sums(&self, rows: &Matrix, scales: &[RowScale]) -> [Vec<f64>; 2] {
        let (reader, width) = (Reader::new(rows), rows.cols());
        let sum_part = |part: usize| {
            let mut sums = [vec![0.0; width], vec![0.0; width]];
            let span = rows.rows() * part / PARTS..rows.rows() * (part + 1) / PARTS;
            for row in span {
                let RowScale { mean, factor } = scales[row];
                let weight = factor * factor;
                reader.for_each(row, |column, value| {
                    sums[0][column] += weight * value;
                    sums[1][column] += weight * mean * value;
                });
            }
            sums
        };
        let parts: Vec<[Vec<f64>; 2]> = (0..PARTS).into_par_iter().with_max_len(1).map(sum_part).collect();
        let total = |which: usize| {
            let sum = |column: usize| parts.iter().map(|part| part[which][column]).sum::<f64>();
            self.columns.factors().iter().enumerate().map(|(column, factor)| factor * sum(column)).collect()
        };
        [total(0), total(1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{InMemory, Pair, Side};
    use crate::testing::{random_mat, relative_error, sparse_from_dense, to_dense, zipf_rows};

    /// The slow twin: ZᵀZ by its definition.
    fn twin(rows: &Matrix, columns: &ColumnScale) -> Mat<f64> {
        let dense = to_dense(rows);
        let g = dense.ncols();
        let mut z = Mat::zeros(dense.nrows(), g);
        for i in 0..dense.nrows() {
            let y: Vec<f64> =
                (0..g).map(|j| columns.factors()[j] * dense[(i, j)] - columns.shifts()[j]).collect();
            let mean = y.iter().sum::<f64>() / g as f64;
            let deviation = (y.iter().map(|y| (y - mean).powi(2)).sum::<f64>() / (g - 1) as f64).sqrt();
            (0..g).for_each(|j| z[(i, j)] = if deviation > 1e-9 { (y[j] - mean) / deviation } else { 0.0 });
        }
        z.transpose() * &z
    }

    fn views() -> Vec<Matrix> {
        let noise = random_mat(90, 24, 3);
        let some = Mat::from_fn(90, 24, |i, j| match (i, (i * 7 + j * 5) % 4) {
            (17, _) => 2.5,
            (_, 0) => 1.0 + noise[(i, j)],
            _ => 0.0,
        });
        let all = Mat::from_fn(90, 24, |i, j| 1e6 + noise[(i, j)]);
        vec![
            sparse_from_dense(some.as_ref()),
            crate::testing::from_dense(all.as_ref()),
            zipf_rows(90, 24, 5, 1),
        ]
    }

    #[test]
    fn sums_of_standardized_rows_are_those_of_the_definition_for_any_storage_and_any_parts() {
        for rows in views() {
            let pair = InMemory::new(rows.clone(), rows.clone()).unwrap();
            let standard = ColumnScale::standard(pair.moments(Side::X).unwrap());
            for columns in [ColumnScale::none(24), standard] {
                let truth = twin(&rows, &columns);
                for cuts in [vec![0, 90], vec![0, 1, 40, 40, 90]] {
                    let mut sums = RowSums::new(columns.clone());
                    for cut in cuts.windows(2) {
                        sums.add(&rows.slice(cut[0]..cut[1]), u64::MAX).unwrap();
                    }
                    let whole = dense_gram::mirrored(sums.lower());
                    // The tolerance is wide because a view whose mean is 1e6 times its deviation loses six
                    // digits in the twin too.
                    assert!(relative_error(whole.as_ref(), truth.as_ref()) < 1e-9, "{}", rows.kind());
                    assert_eq!(sums.rows(), 90);
                }
            }
        }
    }

    #[test]
    fn rows_that_do_not_vary_are_counted_and_add_nothing() {
        let rows = &views()[0];
        let mut sums = RowSums::new(ColumnScale::none(24));
        sums.add(&rows.slice(17..18), u64::MAX).unwrap();
        assert_eq!((sums.rows(), sums.constant()), (1, 1));
        assert_eq!(sums.lower().norm_max(), 0.0);
    }
}
