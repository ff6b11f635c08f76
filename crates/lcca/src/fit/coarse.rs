//! The coarse block: (B − A)⁻¹ on a few thousand chosen columns.
//!
//! ```text
//! M = [ (B − A)cc + ε·diag   0  ]
//!     [          0          Dff ]
//! ```
//!
//! with c the chosen columns of both views, f the others and D the diagonal of B. M is symmetric and positive definite, so it
//! can precondition LOBPCG. (B − A)cc is scaled to a unit diagonal and factorized densely; ε is there because columns may
//! depend on each other and correlations may be 1, and both make it singular.

use super::problem::Problem;
use crate::data::Pair;
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::space::{Space, Tall};
use crate::whiten::inverse_root;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltParams, cholesky_in_place, cholesky_in_place_scratch};
use faer::linalg::triangular_solve;
use faer::{Mat, Par, Spec};
use rayon::prelude::*;

/// Added to the unit diagonal. From 1e-3 to 1e-8 the number of iterations is the same on sentences and on paths; a small
/// one sees correlations in directions of little variance.
const EPSILON: f64 = 1e-8;

/// (B − A)⁻¹ on chosen columns.
pub(super) struct Coarse {
    /// The chosen columns of each view, ascending.
    pub columns: [Vec<u32>; 2],
    /// 1/√ of the diagonal of B on the chosen columns, X first.
    scale: Vec<f64>,
    /// The Cholesky factor of the scaled block.
    factor: Mat<f64>,
}

impl Coarse {
    /// The bytes of a block of this many columns while it is factorized.
    pub fn bytes(size: usize) -> u64 {
        (size as u64).saturating_mul(size as u64).saturating_mul(16)
    }

    /// Reads the block off the rows or their Gram matrices and factorizes it; `None` if it does not fit the
    /// memory or is singular in spite of ε.
    pub fn new(problem: &Problem<'_>, columns: [Vec<u32>; 2]) -> Result<Option<Self>> {
        let Some(blocks) = problem.pair.capabilities().blocks else { return Ok(None) };
        let both = columns.each_ref().map(Vec::as_slice);
        let mut block = match blocks.block_gram(both, None, problem.settings.memory) {
            Err(Error::Memory { .. }) => return Ok(None),
            formed => formed?,
        };
        let (split, ridges) = (columns[0].len(), problem.ridges());
        let size = block.nrows();
        let scale: Vec<f64> =
            (0..size).map(|i| inverse_root(block[(i, i)] + ridges[usize::from(i >= split)])).collect();
        block.par_col_partition_mut(size.max(1)).enumerate().for_each(|(j, mut column)| {
            for i in j..size {
                // What lies below the diagonal between the two views is −Cyx.
                let sign = if i >= split && j < split { -1.0 } else { 1.0 };
                column[(i, 0)] *= sign * scale[i] * scale[j];
            }
            column[(j, 0)] = 1.0 + EPSILON;
        });
        Ok(factorize(&mut block)?.then_some(Coarse { columns, scale, factor: block }))
    }

    /// Columns in the block.
    pub fn size(&self) -> usize {
        self.scale.len()
    }

    /// The chosen rows of the residuals.
    pub fn rows(&self, space: &dyn Space, [x, y]: [&Tall; 2]) -> Result<[Panel; 2]> {
        Ok([space.rows(x, &self.columns[0])?, space.rows(y, &self.columns[1])?])
    }

    /// Writes M⁻¹R of the chosen rows R into these rows of T, and returns rᵀM⁻¹r over them for each pair.
    pub fn solve(&self, space: &dyn Space, r: [Panel; 2], t: [&mut Tall; 2]) -> Result<Vec<f64>> {
        let (split, pairs) = (self.columns[0].len(), r[0].cols());
        let row = |i: usize| if i < split { r[0].row(i) } else { r[1].row(i - split) };
        let mut solved = Mat::from_fn(self.size(), pairs, |i, j| self.scale[i] * row(i)[j]);
        let lower = self.factor.as_ref();
        triangular_solve::solve_lower_triangular_in_place(lower, solved.as_mut(), Par::rayon(0));
        let squares = (0..pairs).map(|j| solved.col(j).squared_norm_l2()).collect();
        triangular_solve::solve_upper_triangular_in_place(lower.transpose(), solved.as_mut(), Par::rayon(0));
        for (((mut rows, panel), columns), start) in r.into_iter().zip(t).zip(&self.columns).zip([0, split]) {
            for i in 0..rows.rows() {
                let scale = self.scale[start + i];
                let entries = rows.row_mut(i).iter_mut().enumerate();
                entries.for_each(|(j, out)| *out = scale * solved[(start + i, j)]);
            }
            space.put_rows(panel, columns, &rows)?;
        }
        Ok(squares)
    }
}

/// Factorizes the lower triangle of a matrix in place. Says whether it was positive definite.
fn factorize(matrix: &mut Mat<f64>) -> Result<bool> {
    let (size, par) = (matrix.nrows(), Par::rayon(0));
    let params = Spec::<LltParams, f64>::default();
    let mut memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(size, par, params));
    let stack = MemStack::new(&mut memory);
    let factorized = cholesky_in_place(matrix.as_mut(), Default::default(), par, stack, params);
    if (0..size).any(|i| matrix[(i, i)].is_nan()) {
        return Err(Error::Factorization("the coarse block"));
    }
    Ok(factorized.is_ok())
}
