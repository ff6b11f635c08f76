//! CCA of two data sets with different rows and the same columns: Seurat's way of finding cells that are
//! alike in two samples.
//!
//! With the standardized rows of both as Z₁ (n₁×g) and Z₂ (n₂×g), the embeddings of the rows are the leading
//! singular vectors of Z₁Z₂ᵀ. That matrix of n₁×n₂ is never formed. From Kᵢ = ZᵢᵀZᵢ = LᵢLᵢᵀ and L₁ᵀL₂ =
//! U·diag(d)·Vᵀ follow
//!
//! ```text
//! Z₁Z₂ᵀ = (Z₁·L₂V·diag(d)⁻¹) · diag(d) · (Z₂·L₁U·diag(d)⁻¹)ᵀ
//! ```
//!
//! so one pass over each data set gives K (`RowSums`), and a second one multiplies its rows with g×k weights.
//! No matrix is inverted, so directions in which rows hardly vary do no harm. Memory is that of some g×g
//! matrices.
//!
//! Source: Butler et al., *Integrating single-cell transcriptomic data across different conditions,
//! technologies, and species* (Nature Biotechnology 2018); Seurat's function `RunCCA`.

use crate::data::{ColumnScale, RowSums};
use crate::error::{Error, Result};
use crate::kernel;
use crate::matrix::{Line, Matrix, Panel};
use bytemuck::Zeroable;
use faer::{Mat, Side};
use rayon::prelude::*;

/// The number of rows that one thread takes at a time.
const CHUNK: usize = 256;
/// Singular values below this share of the largest are rounding errors.
const NEGLIGIBLE: f64 = 1e-10;

/// The leading singular values of Z₁Z₂ᵀ, and weights that turn standardized rows into its singular vectors.
pub struct TwoSamples {
    /// The singular values, descending.
    pub values: Vec<f64>,
    /// g×k weights of the first and of the second data set.
    pub weights: [Panel; 2],
    /// How far the embeddings of each data set are from orthonormal: the largest entry of UᵀU − I, 0 if all
    /// is exact.
    pub departure: [f64; 2],
}

impl TwoSamples {
    /// The `k` leading components; fewer if the data have fewer.
    pub fn new(first: &RowSums, second: &RowSums, k: usize) -> Result<Self> {
        let (g, other) = (first.columns().cols(), second.columns().cols());
        if g != other {
            return Err(Error::Length { what: "columns of the second data set", expected: g, found: other });
        }
        if first.rows() == 0 || second.rows() == 0 {
            return Err(Error::NoRows);
        }
        if k == 0 {
            return Err(Error::Setting { name: "k", value: "0".into(), expected: "at least 1" });
        }
        let roots = [root(first)?, root(second)?];
        let svd = (roots[0].transpose() * &roots[1])
            .thin_svd()
            .map_err(|_| Error::Factorization("the product of both data sets"))?;
        let largest = if g == 0 { 0.0 } else { svd.S()[0] };
        let values: Vec<f64> =
            (0..g.min(k)).map(|i| svd.S()[i]).take_while(|&d| d > NEGLIGIBLE * largest).collect();
        let scaled = |vectors: faer::MatRef<'_, f64>| {
            Mat::from_fn(g, values.len(), |i, j| vectors[(i, j)] / values[j])
        };
        let weights = [&roots[1] * scaled(svd.V()), &roots[0] * scaled(svd.U())];
        let departure = [departure(&roots[0], &weights[0]), departure(&roots[1], &weights[1])];
        Ok(TwoSamples { values, weights: weights.map(|w| Panel::from_mat(w.as_ref())), departure })
    }

    /// Turns the signs of components so that `embedding`, that of one row of the first data set, is not
    /// negative. Seurat does this with the first row.
    pub fn turn(&mut self, embedding: &[f64]) {
        for weights in &mut self.weights {
            for row in 0..weights.rows() {
                let turned = weights.row_mut(row).iter_mut().zip(embedding);
                turned.filter(|(_, value)| **value < 0.0).for_each(|(weight, _)| *weight = -*weight);
            }
        }
    }
}

/// L with K = LLᵀ, from eigenvectors: K has no Cholesky factor, because standardized rows sum to zero.
fn root(sums: &RowSums) -> Result<Mat<f64>> {
    let eigen = sums
        .lower()
        .self_adjoint_eigen(Side::Lower)
        .map_err(|_| Error::Factorization("the product of a data set with itself"))?;
    let values = eigen.S().column_vector();
    let size = sums.lower().nrows();
    Ok(Mat::from_fn(size, size, |i, j| eigen.U()[(i, j)] * values[j].max(0.0).sqrt()))
}

/// The largest entry of WᵀLLᵀW − I.
fn departure(root: &Mat<f64>, weights: &Mat<f64>) -> f64 {
    let small = root.transpose() * weights;
    let gram = small.transpose() * &small;
    let identity = Mat::<f64>::identity(gram.nrows(), gram.ncols());
    (gram - identity).norm_max()
}

/// The embeddings zᵀW of rows, k numbers per row, once these are standardized. Rows whose entries are all the
/// same get zeros.
pub fn embed(rows: &Matrix, columns: &ColumnScale, weights: &Panel) -> Result<Vec<f64>> {
    let (g, k, stride) = (columns.cols(), weights.cols(), weights.lines_per_row());
    for (what, found) in [("columns", rows.cols()), ("rows of the weights", weights.rows())] {
        if found != g {
            return Err(Error::Length { what, expected: g, found });
        }
    }
    if k == 0 {
        return Ok(Vec::new());
    }
    let scaled = Panel::from_fn(g, k, |i, j| columns.factors()[i] * weights.row(i)[j]);
    let total = |of: &dyn Fn(usize) -> f64| -> Vec<f64> {
        (0..k).map(|j| (0..g).map(|i| of(i) * weights.row(i)[j]).sum()).collect()
    };
    let (shift, ones) = (total(&|i| columns.shifts()[i]), total(&|_| 1.0));
    let scales = columns.row_scales(rows);
    let mut embedding = vec![0.0; rows.rows() * k];
    embedding.par_chunks_mut(CHUNK * k).enumerate().for_each(|(chunk, out)| {
        let (from, count) = (chunk * CHUNK, out.len() / k);
        let mut z = vec![Line::zeroed(); count * stride];
        kernel::gather(rows, from..from + count, scaled.lines(), stride, &mut z);
        let scales = &scales[from..from + count];
        for ((out, z), scale) in out.chunks_exact_mut(k).zip(z.chunks_exact(stride)).zip(scales) {
            let z: &[f64] = bytemuck::cast_slice(z);
            for (j, out) in out.iter_mut().enumerate() {
                *out = scale.factor * (z[j] - shift[j] - scale.mean * ones[j]);
            }
        }
    });
    Ok(embedding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_mat, relative_error, sparse_from_dense, to_dense};

    fn sample(rows: usize, seed: u64) -> Matrix {
        let (types, noise) = (random_mat(4, 40, 9), random_mat(rows, 40, seed));
        let value = |i: usize, j: usize| (2.0 * types[((i + seed as usize) % 4, j)] + noise[(i, j)]).max(0.0);
        sparse_from_dense(Mat::from_fn(rows, 40, value).as_ref())
    }

    fn standardized(rows: &Matrix) -> Mat<f64> {
        let dense = to_dense(rows);
        let mut row = vec![0.0; dense.ncols()];
        let mut z = Mat::zeros(dense.nrows(), dense.ncols());
        for i in 0..dense.nrows() {
            let mean = (0..row.len()).map(|j| dense[(i, j)]).sum::<f64>() / row.len() as f64;
            row.iter_mut().enumerate().for_each(|(j, value)| *value = dense[(i, j)] - mean);
            let deviation = (row.iter().map(|v| v * v).sum::<f64>() / (row.len() - 1) as f64).sqrt();
            (0..row.len()).for_each(|j| z[(i, j)] = row[j] / deviation);
        }
        z
    }

    #[test]
    fn embeddings_are_the_singular_vectors_of_the_product_of_all_cells() {
        let samples = [sample(70, 1), sample(90, 2)];
        let sums = samples.each_ref().map(|rows| {
            let mut sums = RowSums::new(ColumnScale::none(40));
            sums.add(rows, u64::MAX).unwrap();
            sums
        });
        let k = 5;
        let mut found = TwoSamples::new(&sums[0], &sums[1], k).unwrap();
        let first = embed(&samples[0].slice(0..1), sums[0].columns(), &found.weights[0]).unwrap();
        found.turn(&first);
        let product = standardized(&samples[0]) * standardized(&samples[1]).transpose();
        let svd = product.thin_svd().unwrap();
        for (side, vectors) in [svd.U(), svd.V()].into_iter().enumerate() {
            let rows = &samples[side];
            let embedding = embed(rows, sums[side].columns(), &found.weights[side]).unwrap();
            let sign = |j: usize| svd.U()[(0, j)].signum();
            let truth = Mat::from_fn(rows.rows(), k, |i, j| sign(j) * vectors[(i, j)]);
            let embedding = Mat::from_fn(rows.rows(), k, |i, j| embedding[i * k + j]);
            assert!(relative_error(embedding.as_ref(), truth.as_ref()) < 1e-10);
            assert!(found.departure[side] < 1e-10);
        }
        (0..k).for_each(|i| assert!((found.values[i] / svd.S()[i] - 1.0).abs() < 1e-12));
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let mut sums = RowSums::new(ColumnScale::none(40));
        assert!(matches!(TwoSamples::new(&sums, &sums, 2), Err(Error::NoRows)));
        assert!(sums.add(&sample(5, 1), 10).is_err());
        sums.add(&sample(5, 1), u64::MAX).unwrap();
        assert!(TwoSamples::new(&sums, &RowSums::new(ColumnScale::none(3)), 2).is_err());
        assert!(embed(&sample(5, 1), &ColumnScale::none(3), &Panel::zeros(3, 1)).is_err());
        // Five rows of rank five at most, so there are no twenty components.
        assert!(TwoSamples::new(&sums, &sums, 20).unwrap().values.len() <= 5);
    }
}
