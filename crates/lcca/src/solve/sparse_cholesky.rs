//! Solving with a sparse Cholesky factor of C + λI.
//!
//! If the ridge does not keep C + λI away from singular, a tiny δ is added to its unit diagonal before it is
//! factorized, and iterative refinement removes the effect of δ from the solution: each round shrinks the
//! error along a direction of eigenvalue s by δ/(s + δ), and directions with s = 0 do not occur in right-hand
//! sides XᵀT. Centering is the rank-one term −nμμᵀ, solved by the Sherman-Morrison formula.

use super::sparse_factor::{Plan, SparseFactor};
use crate::data::SparseGram;
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use crate::whiten::inverse_root;

/// The δ that is added to the unit diagonal: large enough for the factorization not to break down by
/// rounding, which is about 1e-16 per operation, and small enough for refinement to remove it in a few
/// rounds.
const DELTA: f64 = 1e-10;
/// The number of refinement rounds if there is a δ. Each round shrinks the error along an eigenvalue of
/// 1e-8 a hundredfold.
const ROUNDS: usize = 3;
/// If the ridge is more than this share of every diagonal entry, no δ is needed.
const RIDGE_SUFFICES: f64 = 1e-8;
/// If 1 − nμᵀC⁻¹μ is below this, the column of ones lies in the span of the view, and centering removes it
/// from the span.
const ONES_IN_SPAN: f64 = 1e-12;

/// A factorized C + λI − nμμᵀ.
pub struct SparseCholesky {
    gram: SparseGram,
    ridge: f64,
    delta: f64,
    factor: SparseFactor,
    rank_one: Option<RankOne>,
}

struct RankOne {
    mean: Vec<f64>,
    weight: f64,
    /// (C + λI)⁻¹μ.
    solved: Vec<f64>,
    /// n/(1 − nμᵀ(C + λI)⁻¹μ), or 0 if the column of ones lies in the span.
    factor: f64,
}

impl SparseCholesky {
    /// Factorizes `gram` + `ridge`·I, less weight·μμᵀ if there is a `shift` of (μ, weight).
    pub fn new(gram: SparseGram, shift: Option<(Vec<f64>, f64)>, ridge: f64, plan: Plan) -> Result<Self> {
        let diagonal = |j: usize| gram.column(j).1.first().copied().unwrap_or(0.0) + ridge;
        let scale: Vec<f64> = (0..gram.size()).map(diagonal).map(inverse_root).collect();
        let least_share = scale.iter().map(|s| ridge * s * s).fold(f64::INFINITY, f64::min);
        let delta = if least_share > RIDGE_SUFFICES { 0.0 } else { DELTA };
        let factor = SparseFactor::new(&gram, scale, delta, plan)?;
        let mut solver = SparseCholesky { gram, ridge, delta, factor, rank_one: None };
        solver.rank_one = shift.map(|(mean, weight)| solver.rank_one(mean, weight));
        Ok(solver)
    }

    fn rank_one(&self, mean: Vec<f64>, weight: f64) -> RankOne {
        let panel = Panel::from_fn(mean.len(), 1, |i, _| mean[i]);
        let solved = self.solve_uncentered(&panel);
        let left = 1.0 - weight * panels::column_dots(&panel, &solved)[0];
        let factor = if left > ONES_IN_SPAN { weight / left } else { 0.0 };
        let solved = (0..mean.len()).map(|i| solved.row(i)[0]).collect();
        RankOne { mean, weight, solved, factor }
    }

    /// (C + λI − nμμᵀ)⁻¹R, or one solution if the matrix is singular and R lies in its range.
    pub fn solve(&self, rhs: &Panel) -> Panel {
        let mut weights = self.solve_centered(rhs);
        if self.rank_one.is_some() {
            // One round of refinement restores the digits that are lost because the Sherman-Morrison
            // formula subtracts nearly equal numbers if ones almost lie in the span.
            let mut residual = rhs.clone();
            panels::subtract(&mut residual, &self.apply(&weights));
            panels::add_scaled(&mut weights, 1.0, &self.solve_centered(&residual));
        }
        weights
    }

    fn solve_centered(&self, rhs: &Panel) -> Panel {
        let mut weights = self.solve_uncentered(rhs);
        if let Some(RankOne { mean, solved, factor, .. }) = &self.rank_one {
            let overlap = weighted_sums(&weights, mean);
            for (i, s) in solved.iter().enumerate() {
                weights.row_mut(i).iter_mut().zip(&overlap).for_each(|(w, o)| *w += factor * s * o);
            }
        }
        weights
    }

    fn solve_uncentered(&self, rhs: &Panel) -> Panel {
        let mut weights = self.factor.solve(rhs);
        let rounds = if self.delta > 0.0 { ROUNDS } else { 0 };
        for _ in 0..rounds {
            let mut residual = rhs.clone();
            panels::subtract(&mut residual, &self.apply_uncentered(&weights));
            panels::add_scaled(&mut weights, 1.0, &self.factor.solve(&residual));
        }
        weights
    }

    fn apply(&self, w: &Panel) -> Panel {
        let mut product = self.apply_uncentered(w);
        if let Some(RankOne { mean, weight, .. }) = &self.rank_one {
            let overlap = weighted_sums(w, mean);
            for (i, mu) in mean.iter().enumerate() {
                product.row_mut(i).iter_mut().zip(&overlap).for_each(|(p, o)| *p -= weight * mu * o);
            }
        }
        product
    }

    /// (C + λI)·W from the lower triangle.
    fn apply_uncentered(&self, w: &Panel) -> Panel {
        let mut product = w.clone();
        panels::scale_rows(&mut product, &vec![self.ridge; w.rows()]);
        for j in 0..self.gram.size() {
            let (rows, values) = self.gram.column(j);
            for (&i, &value) in rows.iter().zip(values) {
                add_row(&mut product, i, value, w.row(j));
                if i != j {
                    add_row(&mut product, j, value, w.row(i));
                }
            }
        }
        product
    }
}

fn add_row(to: &mut Panel, row: usize, factor: f64, from: &[f64]) {
    to.row_mut(row).iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

/// Wᵀμ.
fn weighted_sums(w: &Panel, mean: &[f64]) -> Vec<f64> {
    let mut sums = vec![0.0; w.cols()];
    for (i, mu) in mean.iter().enumerate() {
        sums.iter_mut().zip(w.row(i)).for_each(|(sum, w)| *sum += mu * w);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Centered, InMemory, Pair, StoredGram};
    use crate::testing::{random_mat, relative_error, sparse_from_dense, to_dense};
    use faer::Mat;

    /// Sparse columns. The last two are a copy of one column and a sum of others.
    fn view() -> Mat<f64> {
        let noise = random_mat(90, 12, 1);
        let sparse =
            |i: usize, j: usize| if (3 * i + 5 * j).is_multiple_of(4) { noise[(i, j)] + 0.5 } else { 0.0 };
        Mat::from_fn(90, 14, |i, j| match j {
            12 => sparse(i, 3),
            13 => sparse(i, 5) + sparse(i, 7),
            _ => sparse(i, j),
        })
    }

    fn factor(pair: &dyn Pair, ridge: f64) -> SparseCholesky {
        let gram = pair.capabilities().grams.unwrap().gram(crate::data::Side::X, u64::MAX).unwrap();
        let StoredGram::Sparse(stored) = gram.stored else { panic!("the view is sparse") };
        let plan = Plan::new(&stored).unwrap();
        SparseCholesky::new(stored, gram.shift, ridge, plan).unwrap()
    }

    /// The relative residual of (C + λI)·W = R for an R in the range.
    fn residual(dense: &Mat<f64>, pair: &dyn Pair, ridge: f64) -> f64 {
        let c = dense.transpose() * dense;
        let c = Mat::from_fn(14, 14, |i, j| c[(i, j)] + if i == j { ridge } else { 0.0 });
        let rhs = Panel::from_mat((dense.transpose() * random_mat(90, 3, 2)).as_ref());
        let solved = factor(pair, ridge).solve(&rhs);
        relative_error((c * solved.as_mat()).as_ref(), rhs.as_mat())
    }

    #[test]
    fn singular_centered_and_ridged_systems_are_solved() {
        let sparse = sparse_from_dense(view().as_ref());
        let pair = InMemory::new(sparse.clone(), sparse).unwrap();
        let centered_pair = Centered::new(&pair).unwrap();
        let mean: Vec<f64> = centered_pair.mean(crate::data::Side::X).to_vec();
        let centered = Mat::from_fn(90, 14, |i, j| view()[(i, j)] - mean[j]);
        for ridge in [0.0, 1e-3, 10.0] {
            assert!(residual(&view(), &pair, ridge) < 1e-10);
            assert!(residual(&centered, &centered_pair, ridge) < 1e-9);
        }
    }

    #[test]
    fn centered_one_hot_columns_whose_sum_is_one_are_solved() {
        let columns: Vec<u32> = (0..60).map(|i| (i * i % 7) as u32).collect();
        let one_hot: crate::matrix::Matrix =
            crate::matrix::OneHotRows::new(7, columns.into()).unwrap().into();
        let dense = to_dense(&one_hot);
        let pair = InMemory::new(one_hot.clone(), one_hot).unwrap();
        let centered_pair = Centered::new(&pair).unwrap();
        let mean: Vec<f64> = centered_pair.mean(crate::data::Side::X).to_vec();
        let centered = Mat::from_fn(60, 7, |i, j| dense[(i, j)] - mean[j]);
        let rhs = Panel::from_mat((centered.transpose() * random_mat(60, 2, 3)).as_ref());
        let solved = factor(&centered_pair, 0.0).solve(&rhs);
        let product = centered.transpose() * (&centered * solved.as_mat());
        assert!(relative_error(product.as_ref(), rhs.as_mat()) < 1e-10);
    }
}
