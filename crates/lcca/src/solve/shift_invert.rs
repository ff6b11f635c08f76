//! (B − A)⁻¹ for the whole problem at once, with
//!
//! ```text
//! B = [Cxx + λx   0      ]    A = [0    Cxy]
//!     [0          Cyy + λy]        [Cyx  0  ]
//! ```
//!
//! The pairs wanted are those with the largest d in A·w = d·B·w. B − A is positive semidefinite, because no
//! correlation exceeds 1, and its inverse magnifies exactly these pairs. Preparing it takes one sparse
//! Cholesky factorization of the joint Gram matrix; a solve costs four operations per entry of the factor
//! and column. As a preconditioner it may have a small δ on the diagonal, which changes the speed of an
//! iteration and not its answer.

use super::sparse_factor::{Plan, SparseFactor};
use crate::data::{JointGram, Side, SparseGram};
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use crate::whiten::inverse_root;
use faer::Mat;
use faer::linalg::solvers::Solve;

/// The δ if a ridge keeps B − A from being singular. It is added to the unit diagonal because rounding
/// alone needs a margin.
const DELTA: f64 = 1e-13;
/// The δ, added to the unit diagonal, if nothing keeps B − A from being singular.
const DELTA_WITHOUT_RIDGE: f64 = 1e-8;

/// A factorized B − A, centered if the views are.
pub struct ShiftInvert {
    factor: SparseFactor,
    /// The number of columns of X.
    split: usize,
    border: Option<Border>,
}

/// The rank-two part of centering: B − A loses n·M·K·Mᵀ with M = diag(μx, μy) and K = [1 −1; −1 1]
/// (Woodbury).
struct Border {
    /// M, (p₁ + p₂)×2.
    means: Panel,
    /// (B − A)⁻¹·M for the B − A that is not centered.
    solved: Panel,
    /// (I − nK·MᵀS)⁻¹·nK with S = `solved`.
    core: Mat<f64>,
}

/// The lower triangle of B − A, not centered.
pub fn shifted(joint: &JointGram, [x_ridge, y_ridge]: [f64; 2]) -> SparseGram {
    let split = joint.block(Side::X, Side::X).rows();
    let mut matrix = SparseGram { starts: vec![0], rows: Vec::new(), values: Vec::new() };
    let mut push = |i: usize, j: usize, value: f64| {
        if i >= j {
            matrix.rows.push(i);
            matrix.values.push(value);
        }
        matrix.rows.len()
    };
    let mut starts = vec![0];
    for j in 0..split {
        let mut end = 0;
        joint
            .block(Side::X, Side::X)
            .for_each(j, |i, v| end = push(i, j, if i == j { v + x_ridge } else { v }));
        joint.block(Side::X, Side::Y).for_each(j, |i, v| end = push(split + i, j, -v));
        starts.push(end);
    }
    let yy = joint.block(Side::Y, Side::Y);
    for j in 0..yy.rows() {
        let mut end = 0;
        yy.for_each(j, |i, v| end = push(split + i, split + j, if i == j { v + y_ridge } else { v }));
        starts.push(end);
    }
    matrix.starts = starts;
    matrix
}

impl ShiftInvert {
    /// Factorizes the matrix from [`shifted`]. `means` are the means of centered views and the sum of row
    /// weights.
    pub fn new(
        matrix: &SparseGram,
        plan: Plan,
        split: usize,
        ridge: [f64; 2],
        means: Option<(&[Vec<f64>; 2], f64)>,
    ) -> Result<Self> {
        let diagonal = |j: usize| matrix.column(j).1.first().copied().unwrap_or(0.0);
        let scale = (0..matrix.size()).map(diagonal).map(inverse_root).collect();
        let delta = if ridge.iter().all(|&r| r > 0.0) { DELTA } else { DELTA_WITHOUT_RIDGE };
        let factor = SparseFactor::new(matrix, scale, delta, plan)?;
        let mut inverse = ShiftInvert { factor, split, border: None };
        inverse.border = means.and_then(|(means, weight)| inverse.border(means, weight));
        Ok(inverse)
    }

    /// The centering part; `None` if its small system is singular, and the inverse without centering has to
    /// do.
    fn border(&self, [x_mean, y_mean]: &[Vec<f64>; 2], weight: f64) -> Option<Border> {
        let size = x_mean.len() + y_mean.len();
        let means = Panel::from_fn(size, 2, |i, j| match (i < self.split, j) {
            (true, 0) => x_mean[i],
            (false, 1) => y_mean[i - self.split],
            _ => 0.0,
        });
        let solved = self.factor.solve(&means);
        let nk = Mat::from_fn(2, 2, |i, j| if i == j { weight } else { -weight });
        let small = Mat::<f64>::identity(2, 2) - &nk * panels::cross(&means, &solved);
        let core = small.partial_piv_lu().solve(&nk);
        let finite = (0..2).all(|i| (0..2).all(|j| core[(i, j)].is_finite()));
        finite.then_some(Border { means, solved, core })
    }

    /// (B − A)⁻¹·[Rx; Ry].
    pub fn solve(&self, [rx, ry]: [&Panel; 2]) -> [Panel; 2] {
        let mut solved = self.factor.solve(&panels::above(rx, ry));
        if let Some(Border { means, solved: directions, core }) = &self.border {
            let along = core * panels::cross(means, &solved);
            panels::add_scaled(&mut solved, 1.0, &panels::times(directions, along.as_ref()));
        }
        [panels::rows(&solved, 0..self.split), panels::rows(&solved, self.split..solved.rows())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Centered, InMemory, JointGrams};
    use crate::testing::{random_panel, relative_error, to_dense, zipf_rows};
    use faer::Mat;

    /// B − A of explicitly centered views.
    fn dense(views: [Mat<f64>; 2], ridge: [f64; 2], means: Option<&[Vec<f64>; 2]>) -> Mat<f64> {
        let mean = |side: usize, j: usize| means.map_or(0.0, |means| means[side][j]);
        let [x, y] = [0, 1]
            .map(|s| Mat::from_fn(views[s].nrows(), views[s].ncols(), |i, j| views[s][(i, j)] - mean(s, j)));
        let (p, q) = (x.ncols(), y.ncols());
        let (xx, xy, yy) = (x.transpose() * &x, x.transpose() * &y, y.transpose() * &y);
        Mat::from_fn(p + q, p + q, |i, j| match (i < p, j < p) {
            (true, true) => xx[(i, j)] + if i == j { ridge[0] } else { 0.0 },
            (false, false) => yy[(i - p, j - p)] + if i == j { ridge[1] } else { 0.0 },
            (true, false) => -xy[(i, j - p)],
            (false, true) => -xy[(j, i - p)],
        })
    }

    #[test]
    fn the_inverse_undoes_the_matrix_centered_or_not() {
        let views = [zipf_rows(400, 30, 5, 1), zipf_rows(400, 20, 4, 2)];
        let pair = InMemory::new(views[0].clone(), views[1].clone()).unwrap();
        let centered = Centered::new(&pair).unwrap();
        let means = Side::BOTH.map(|side| centered.mean(side).to_vec());
        let joint = pair.joint_gram(u64::MAX).unwrap();
        let ridge = [0.5, 2.0];
        for means in [None, Some(&means)] {
            let matrix = shifted(&joint, ridge);
            let plan = Plan::new(&matrix).unwrap();
            let inverse = ShiftInvert::new(&matrix, plan, 30, ridge, means.map(|m| (m, 400.0))).unwrap();
            let [rx, ry] = [random_panel(30, 3, 3), random_panel(20, 3, 4)];
            let [tx, ty] = inverse.solve([&rx, &ry]);
            let back = dense([to_dense(&views[0]), to_dense(&views[1])], ridge, means)
                * panels::above(&tx, &ty).as_mat();
            assert!(relative_error(back.as_ref(), panels::above(&rx, &ry).as_mat()) < 1e-9);
        }
    }
}
