//! Supernodal sparse Cholesky (faer) of a positive semidefinite matrix scaled to a unit diagonal, with a
//! fill-reducing order.
//!
//! If the matrix may be singular, a small δ is added to the diagonal, because a sparse factorization cannot
//! pivot for rank.

use crate::data::SparseGram;
use crate::error::{Error, Result};
use crate::matrix::Panel;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::{LltParams, LltRegularization};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, Mat, Par, Side, Spec};
use rayon::prelude::*;

/// The order of elimination and the position of every entry of the factor.
pub struct Plan {
    symbolic: SymbolicCholesky<usize>,
    entries: usize,
}

impl Plan {
    /// Analyzes the pattern of a matrix.
    pub fn new(matrix: &SparseGram) -> Result<Self> {
        Plan::with(matrix, CholeskySymbolicParams::default())
    }

    /// Analyzes the pattern of a matrix for a factor in supernodes, even if these are small.
    pub fn in_supernodes(matrix: &SparseGram) -> Result<Self> {
        // The threshold is negative because a single column takes no operations per entry, and faer's own
        // constant asks for more than none.
        let supernodal_flop_ratio_threshold = SupernodalThreshold(-1.0);
        Plan::with(matrix, CholeskySymbolicParams { supernodal_flop_ratio_threshold, ..Default::default() })
    }

    fn with(matrix: &SparseGram, params: CholeskySymbolicParams<'_>) -> Result<Self> {
        let p = matrix.size();
        let pattern = SymbolicSparseColMatRef::new_checked(p, p, &matrix.starts, None, &matrix.rows);
        let symbolic = factorize_symbolic_cholesky(pattern, Side::Lower, SymmetricOrdering::Amd, params)
            .map_err(|_| Error::Factorization("the pattern of the Gram matrix"))?;
        Ok(Plan { entries: matrix.rows.len(), symbolic })
    }

    /// The order of elimination and the position of every entry.
    pub(super) fn symbolic(&self) -> &SymbolicCholesky<usize> {
        &self.symbolic
    }

    /// The number of entries that the factor has.
    pub fn fill(&self) -> usize {
        self.symbolic.len_val()
    }

    /// The number of bytes of the matrix, a scaled copy, the factor and the workspace.
    pub fn bytes(&self) -> u64 {
        let params = Spec::<LltParams, f64>::default();
        let scratch = self.symbolic.factorize_numeric_llt_scratch::<f64>(Par::rayon(0), params);
        8 * self.fill() as u64 + 24 * self.entries as u64 + scratch.unaligned_bytes_required() as u64
    }

    /// The number of multiplications and additions: the sum of squared column lengths of the factor.
    pub fn flops(&self) -> f64 {
        match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(factor) => {
                factor.col_ptr().windows(2).map(|ends| ((ends[1] - ends[0]) as f64).powi(2)).sum()
            }
            SymbolicCholeskyRaw::Supernodal(factor) => (0..factor.n_supernodes())
                .map(|s| {
                    let columns = (factor.supernode_end()[s] - factor.supernode_begin()[s]) as f64;
                    let below = factor.supernode(s).pattern().len() as f64;
                    // Σ (below + j)² over j = 1 … columns, without the lowest-order terms.
                    columns * (below * below + below * columns + columns * columns / 3.0)
                })
                .sum(),
        }
    }
}

/// A factorized D(A + λI)D + δI, D = diag(A + λI)^(−½).
pub struct SparseFactor {
    plan: Plan,
    scale: Vec<f64>,
    values: Vec<f64>,
}

impl SparseFactor {
    /// Factorizes `matrix`. `scale` is the diagonal of D: 0 for an empty column, whose row is then 0 in every
    /// solution.
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

    /// (A + λI + δD⁻²)⁻¹R.
    pub fn solve(&self, rhs: &Panel) -> Panel {
        // There is no partition of no columns, and all columns of a degenerate problem may have been
        // dropped before.
        if rhs.cols() == 0 {
            return rhs.clone();
        }
        let mut x = Mat::zeros(rhs.rows(), rhs.cols());
        x.par_col_partition_mut(rhs.cols()).enumerate().for_each(|(j, mut column)| {
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

/// The entries of D(A + λI)D + δI, column by column. The diagonal is 1 + δ, or 1 for an empty column.
fn scaled(matrix: &SparseGram, scale: &[f64], delta: f64) -> Vec<f64> {
    let columns = (0..matrix.size()).into_par_iter().flat_map_iter(|j| {
        let (rows, values) = matrix.column(j);
        rows.iter().zip(values).map(move |(&i, &value)| {
            if i != j {
                scale[i] * value * scale[j]
            } else if scale[i] > 0.0 {
                1.0 + delta
            } else {
                1.0
            }
        })
    });
    columns.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lower triangle of a matrix without zeros.
    fn full(p: usize) -> SparseGram {
        let rows: Vec<usize> = (0..p).flat_map(|j| j..p).collect();
        let starts = (0..=p).map(|j| j * p - j * j.saturating_sub(1) / 2).collect();
        SparseGram { starts, values: vec![1.0; rows.len()], rows }
    }

    #[test]
    fn a_full_matrix_costs_a_third_of_a_cube() {
        let (plan, p) = (Plan::new(&full(300)).unwrap(), 300.0f64);
        assert!((plan.flops() / (p.powi(3) / 3.0) - 1.0).abs() < 0.05, "{}", plan.flops());
        assert!(plan.fill() >= 300 * 301 / 2);
    }

    /// The diagonal matrix of these numbers, factorized.
    fn diagonal(numbers: &[f64]) -> SparseFactor {
        let p = numbers.len();
        let matrix =
            SparseGram { starts: (0..=p).collect(), rows: (0..p).collect(), values: numbers.to_vec() };
        let scale = numbers.iter().map(|&number| crate::whiten::inverse_root(number)).collect();
        SparseFactor::new(&matrix, scale, 0.0, Plan::new(&matrix).unwrap()).unwrap()
    }

    #[test]
    fn rows_of_empty_columns_are_zero_in_the_solution() {
        for numbers in [vec![4.0, 0.0, 2.0], vec![0.0, 0.0], vec![8.0], vec![0.0], vec![]] {
            let rhs = Panel::from_fn(numbers.len(), 3, |i, j| (1 + i + j) as f64);
            let solved = diagonal(&numbers).solve(&rhs);
            for (i, &number) in numbers.iter().enumerate() {
                let expected = rhs.row(i).iter().map(|r| if number > 0.0 { r / number } else { 0.0 });
                assert!(
                    solved.row(i).iter().zip(expected).all(|(s, e)| (s - e).abs() < 1e-15),
                    "{numbers:?}"
                );
            }
        }
    }

    #[test]
    fn no_right_hand_side_has_no_solution_columns() {
        for numbers in [vec![4.0, 2.0], vec![0.0], vec![]] {
            let solved = diagonal(&numbers).solve(&Panel::zeros(numbers.len(), 0));
            assert_eq!((solved.rows(), solved.cols()), (numbers.len(), 0));
        }
    }
}
