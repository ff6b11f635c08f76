//! Supernodal sparse Cholesky (faer) of a positive semidefinite matrix scaled to a unit diagonal, with a fill-reducing
//! order.
//!
//! A sparse factorisation cannot pivot for rank, so where the matrix may be singular a small δ goes on the diagonal.

use crate::data::SparseGram;
use crate::error::{Error, Result};
use crate::matrix::Panel;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltParams, LltRegularization};
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, Mat, Par, Side, Spec};
use rayon::prelude::*;

/// The order of elimination and the place of every entry of the factor.
pub struct Plan {
    symbolic: SymbolicCholesky<usize>,
    entries: usize,
}

impl Plan {
    /// Analyses a pattern.
    pub fn new(matrix: &SparseGram) -> Result<Self> {
        let p = matrix.size();
        let pattern = SymbolicSparseColMatRef::new_checked(p, p, &matrix.starts, None, &matrix.rows);
        let params = CholeskySymbolicParams::default();
        let symbolic = factorize_symbolic_cholesky(pattern, Side::Lower, SymmetricOrdering::Amd, params)
            .map_err(|_| Error::Factorization("the pattern of the Gram matrix"))?;
        Ok(Plan { entries: matrix.rows.len(), symbolic })
    }

    /// Entries of the factor.
    pub fn fill(&self) -> usize {
        self.symbolic.len_val()
    }

    /// Bytes of the matrix, its factor and the workspace.
    pub fn bytes(&self) -> u64 {
        16 * (self.fill() as u64 + 2 * self.entries as u64)
    }

    /// About the multiplications and additions: Σ of squared column lengths of an even factor, counted as dearer than
    /// dense ones because they stream less well.
    pub fn flops(&self) -> f64 {
        let (fill, p) = (self.fill() as f64, self.symbolic.nrows().max(1) as f64);
        2.0 * fill * fill / p
    }
}

/// A factorised D(A + λI)D + δI, D = diag(A + λI)^(−½).
pub struct SparseFactor {
    plan: Plan,
    scale: Vec<f64>,
    values: Vec<f64>,
}

impl SparseFactor {
    /// Factorises; `scale` is the diagonal of D, 0 for an empty column, whose row of every solution is 0.
    pub fn new(matrix: &SparseGram, scale: Vec<f64>, delta: f64, plan: Plan) -> Result<Self> {
        let scaled = scaled(matrix, &scale, delta);
        let p = matrix.size();
        let pattern = SymbolicSparseColMatRef::new_checked(p, p, &matrix.starts, None, &matrix.rows);
        let params = Spec::<LltParams, f64>::default();
        let symbolic = &plan.symbolic;
        let mut memory = MemBuffer::new(symbolic.factorize_numeric_llt_scratch::<f64>(Par::rayon(0), params));
        let mut values = vec![0.0; symbolic.len_val()];
        symbolic
            .factorize_numeric_llt(
                &mut values,
                SparseColMatRef::new(pattern, &scaled),
                Side::Lower,
                LltRegularization::default(),
                Par::rayon(0),
                MemStack::new(&mut memory),
                params,
            )
            .map_err(|_| Error::Factorization("the Gram matrix"))?;
        Ok(SparseFactor { plan, scale, values })
    }

    /// (A + λI)⁻¹R, with δ still on the diagonal.
    pub fn solve(&self, rhs: &Panel) -> Panel {
        let mut x = Mat::zeros(rhs.rows(), rhs.cols());
        x.par_col_partition_mut(rhs.cols().max(1)).enumerate().for_each(|(j, mut column)| {
            (0..rhs.rows()).for_each(|i| column[(i, 0)] = self.scale[i] * rhs.row(i)[j]);
        });
        let symbolic = &self.plan.symbolic;
        let mut memory = MemBuffer::new(symbolic.solve_in_place_scratch::<f64>(rhs.cols(), Par::rayon(0)));
        LltRef::new(symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            x.as_mut(),
            Par::rayon(0),
            MemStack::new(&mut memory),
        );
        Panel::from_fn(rhs.rows(), rhs.cols(), |i, j| self.scale[i] * x[(i, j)])
    }
}

/// The entries of D(A + λI)D + δI, column by column: the diagonal is 1 + δ, or 1 for an empty column.
fn scaled(matrix: &SparseGram, scale: &[f64], delta: f64) -> Vec<f64> {
    let column = |j: usize| {
        let (rows, values) = matrix.column(j);
        rows.iter().zip(values).map(move |(&i, &value)| match (i == j, scale[i] > 0.0) {
            (true, true) => 1.0 + delta,
            (true, false) => 1.0,
            (false, _) => scale[i] * value * scale[j],
        })
    };
    (0..matrix.size()).into_par_iter().flat_map_iter(column).collect()
}
