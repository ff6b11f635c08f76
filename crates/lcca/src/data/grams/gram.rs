//! The Gram matrix of one view.
//!
//! For sparse rows it is formed by `product`: the work is Σᵢ rᵢ² for rows of rᵢ entries, and the memory is
//! that of the transpose and the result.

use super::dense_gram::{self, mirrored};
use super::product::{Allowance, upper_triangle};
use super::transposed::Transposed;
use crate::error::Result;
use crate::matrix::{Buffer, Matrix};
use faer::Mat;
use rayon::prelude::*;

/// The rows and values of one column.
type Column = (Vec<usize>, Vec<f64>);

/// C = XᵀX, minus `weight`·μμᵀ if the view is centered.
pub struct GramMatrix {
    /// XᵀX of the stored rows.
    pub stored: StoredGram,
    /// (μ, sum of row weights) of a centered view.
    pub shift: Option<(Vec<f64>, f64)>,
}

/// XᵀX in the storage in which it was formed.
pub enum StoredGram {
    /// A matrix of few entries.
    Sparse(SparseGram),
    /// A matrix with all entries stored.
    Dense(Mat<f64>),
}

/// The lower triangle of a symmetric matrix, column by column, rows ascending. Every diagonal entry is
/// stored, zero or not, because a factorization needs its place.
pub struct SparseGram {
    /// Where each column begins, and where the last one ends.
    pub starts: Vec<usize>,
    /// The row of each entry.
    pub rows: Vec<usize>,
    /// The value of each entry.
    pub values: Vec<f64>,
}

impl GramMatrix {
    /// The Gram matrix of the centered view. A second centering changes nothing.
    pub(in crate::data) fn centered(self, mean: &[f64], weight: f64) -> Self {
        GramMatrix { shift: Some((mean.to_vec(), weight)), ..self }
    }

    /// The Gram matrix of the view with column j multiplied by `factors[j]`.
    pub(in crate::data) fn scaled(self, factors: &[f64]) -> Self {
        let stored = match self.stored {
            StoredGram::Sparse(mut gram) => {
                for j in 0..gram.size() {
                    for entry in gram.starts[j]..gram.starts[j + 1] {
                        gram.values[entry] *= factors[gram.rows[entry]] * factors[j];
                    }
                }
                StoredGram::Sparse(gram)
            }
            StoredGram::Dense(gram) => StoredGram::Dense(Mat::from_fn(gram.nrows(), gram.ncols(), |i, j| {
                factors[i] * gram[(i, j)] * factors[j]
            })),
        };
        let times = |mean: Vec<f64>| mean.iter().zip(factors).map(|(mean, factor)| mean * factor).collect();
        GramMatrix { stored, shift: self.shift.map(|(mean, weight)| (times(mean), weight)) }
    }

    /// The sum of two Gram matrices that are not centered.
    pub fn plus(self, other: GramMatrix) -> Self {
        let stored = match (self.stored, other.stored) {
            (StoredGram::Sparse(a), StoredGram::Sparse(b)) => StoredGram::Sparse(a.plus(&b)),
            (a, b) => StoredGram::Dense(a.dense() + b.dense()),
        };
        GramMatrix { stored, shift: None }
    }

    /// The whole matrix, centering included.
    pub fn dense(self) -> Mat<f64> {
        let mut dense = self.stored.dense();
        if let Some((mean, weight)) = self.shift {
            for j in 0..dense.ncols() {
                (0..dense.nrows()).for_each(|i| dense[(i, j)] -= weight * mean[i] * mean[j]);
            }
        }
        dense
    }
}

impl StoredGram {
    fn dense(self) -> Mat<f64> {
        match self {
            StoredGram::Dense(dense) => dense,
            StoredGram::Sparse(sparse) => sparse.dense(),
        }
    }
}

impl SparseGram {
    /// Rows and columns.
    pub fn size(&self) -> usize {
        self.starts.len() - 1
    }

    /// The lower triangle of a symmetric matrix that is given in full or by its upper triangle.
    pub(in crate::data) fn lower(full: &Matrix) -> SparseGram {
        let mut gram = SparseGram { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for j in 0..full.rows() {
            // Row j from the diagonal on is column j from the diagonal down.
            full.for_each(j, |i, value| {
                if i >= j {
                    gram.rows.push(i);
                    gram.values.push(value);
                }
            });
            gram.starts.push(gram.rows.len());
        }
        gram
    }

    /// The entries of column j: rows and values.
    pub fn column(&self, j: usize) -> (&[usize], &[f64]) {
        let span = self.starts[j]..self.starts[j + 1];
        (&self.rows[span.clone()], &self.values[span])
    }

    /// The symmetric matrix times X.
    pub fn times(&self, x: &Mat<f64>) -> Mat<f64> {
        let mut product = Mat::zeros(x.nrows(), x.ncols());
        product.par_col_iter_mut().zip(x.par_col_iter()).for_each(|(mut out, x)| {
            for j in 0..self.size() {
                let (rows, values) = self.column(j);
                let mut own = 0.0;
                for (&i, &value) in rows.iter().zip(values) {
                    own += value * x[i];
                    if i != j {
                        out[i] += value * x[j];
                    }
                }
                out[j] += own;
            }
        });
        product
    }

    fn dense(&self) -> Mat<f64> {
        let mut dense = Mat::zeros(self.size(), self.size());
        for j in 0..self.size() {
            let (rows, values) = self.column(j);
            for (&i, &value) in rows.iter().zip(values) {
                (dense[(i, j)], dense[(j, i)]) = (value, value);
            }
        }
        dense
    }

    fn plus(&self, other: &SparseGram) -> SparseGram {
        let columns = (0..self.size()).map(|j| merge(self.column(j), other.column(j)));
        SparseGram::from_columns(columns.collect())
    }

    fn from_columns(columns: Vec<Column>) -> SparseGram {
        let mut gram = SparseGram { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for (rows, values) in columns {
            gram.rows.extend(rows);
            gram.values.extend(values);
            gram.starts.push(gram.rows.len());
        }
        gram
    }
}

/// The sum of two sparse columns.
fn merge(a: (&[usize], &[f64]), b: (&[usize], &[f64])) -> Column {
    let (mut rows, mut values) = (Vec::new(), Vec::new());
    let (mut i, mut j) = (0, 0);
    while i < a.0.len() || j < b.0.len() {
        let (left, right) =
            (a.0.get(i).copied().unwrap_or(usize::MAX), b.0.get(j).copied().unwrap_or(usize::MAX));
        let row = left.min(right);
        let mut value = 0.0;
        if left == row {
            value += a.1[i];
            i += 1;
        }
        if right == row {
            value += b.1[j];
            j += 1;
        }
        rows.push(row);
        values.push(value);
    }
    (rows, values)
}

/// XᵀX of `view`, its rows weighted if `weights` are given.
pub(in crate::data) fn form(view: &Matrix, weights: Option<&Buffer<f64>>, limit: u64) -> Result<GramMatrix> {
    let numbers = weights.map(|weights| weights.as_slice());
    let weight = |row: usize| numbers.map_or(1.0, |weights| weights[row].get());
    let allowance = Allowance::new("the Gram matrix", limit);
    let stored = match view {
        Matrix::Dense(_) => {
            StoredGram::Dense(mirrored(&dense_gram::form(std::slice::from_ref(view), weights, None, limit)?))
        }
        Matrix::OneHot(m) => {
            let mut diagonal = vec![0.0; m.cols()];
            (0..m.rows()).for_each(|row| m.column(row).into_iter().for_each(|c| diagonal[c] += weight(row)));
            StoredGram::Sparse(SparseGram {
                starts: (0..=m.cols()).collect(),
                rows: (0..m.cols()).collect(),
                values: diagonal,
            })
        }
        Matrix::Sparse(_) => {
            allowance.take(Transposed::bytes(view))?;
            let upper = upper_triangle(&Transposed::new(view), view, &weight, &allowance)?;
            StoredGram::Sparse(SparseGram::lower(&upper.into()))
        }
    };
    Ok(GramMatrix { stored, shift: None })
}
