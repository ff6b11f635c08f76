//! Supernodal sparse LBLᵀ (faer) of a symmetric matrix that need not be definite: the number of its
//! negative eigenvalues, and directions along which it is negative.
//!
//! In an order Q that keeps L sparse and in which pivots of one or two columns were exchanged within
//! supernodes (Bunch and Kaufman), QᵀLBLᵀQ is the matrix up to rounding. B is block diagonal, and has as
//! many negative eigenvalues as LBLᵀ (Sylvester).
//!
//! Nothing bounds the rounding in advance, because pivots cannot leave their supernode.
//! [`Indefinite::distance`] measures it.
//!
//! Cost: that of a sparse Cholesky factorization of the same pattern.

use super::sparse_factor::Plan;
use crate::data::SparseGram;
use crate::random::{Purpose, normal_panel};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::lblt::factor::LbltParams;
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::solve_unit_upper_triangular_in_place;
use faer::perm::PermRef;
use faer::reborrow::{Reborrow, ReborrowMut};
use faer::sparse::linalg::cholesky::supernodal::SupernodalIntranodeLbltRef;
use faer::sparse::linalg::cholesky::{IntranodeLbltRef, SymbolicCholeskyRaw};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Accum, Conj, Mat, MatRef, Par, Side, Spec};

/// The number of random vectors on which rounding is measured, and the factor by which it may be larger
/// than measured: it is larger still with probability 10⁻¹⁰ (Halko, Martinsson and Tropp, SIAM Review 2011,
/// Lemma 4.1).
const SAMPLES: usize = 33;
const SAFETY: f64 = 2.0;

/// The factors of a symmetric matrix.
pub struct Indefinite<'a> {
    plan: &'a Plan,
    values: Vec<f64>,
    /// The entries of B below its diagonal.
    below: Vec<f64>,
    /// The place of each column of L in the order of the plan, and the inverse of that map.
    forward: Vec<usize>,
    inverse: Vec<usize>,
}

/// Columns of L with the same pattern.
struct Node<'a> {
    start: usize,
    /// The unit lower triangle, with the diagonal of B on its own.
    top: MatRef<'a, f64>,
    below: MatRef<'a, f64>,
    /// The rows of `below`.
    rows: Vec<usize>,
}

impl<'a> Indefinite<'a> {
    /// The bytes of the factor, a permuted copy of the matrix and the workspace.
    pub fn bytes(plan: &Plan) -> u64 {
        let params = Spec::<LbltParams, f64>::default();
        let scratch = plan.symbolic().factorize_numeric_intranode_lblt_scratch::<f64>(Par::rayon(0), params);
        8 * plan.fill() as u64 + scratch.unaligned_bytes_required() as u64
    }

    /// Factorizes a matrix by a plan in supernodes.
    pub fn factorize(matrix: &SparseGram, plan: &'a Plan) -> Self {
        let size = matrix.size();
        let symbolic = plan.symbolic();
        let params = Spec::<LbltParams, f64>::default();
        let pattern = SymbolicSparseColMatRef::new_checked(size, size, &matrix.starts, None, &matrix.rows);
        let scratch = symbolic.factorize_numeric_intranode_lblt_scratch::<f64>(Par::rayon(0), params);
        let mut factor = Indefinite {
            plan,
            values: vec![0.0; symbolic.len_val()],
            below: vec![0.0; size],
            forward: vec![0; size],
            inverse: vec![0; size],
        };
        symbolic.factorize_numeric_intranode_lblt(
            &mut factor.values,
            &mut factor.below,
            &mut factor.forward,
            &mut factor.inverse,
            SparseColMatRef::new(pattern, &matrix.values),
            Side::Lower,
            Par::rayon(0),
            MemStack::new(&mut MemBuffer::new(scratch)),
            params,
        );
        factor
    }

    /// The number of negative eigenvalues of LBLᵀ. Pivots that are NaN count as well.
    pub fn negative(&self) -> usize {
        self.negatives().len()
    }

    /// An upper bound of ‖LBLᵀ − matrix‖, in order; NaN or infinite if the factorization broke down. See
    /// [`SAMPLES`].
    pub fn distance(&self, matrix: &SparseGram, seed: u64) -> f64 {
        let samples = normal_panel(matrix.size(), SAMPLES, seed, Purpose::Proof).as_mat().to_owned();
        let difference = self.times(&samples) - matrix.times(&samples);
        let lengths = difference.col_iter().map(|column| column.norm_l2());
        let largest = lengths.fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) });
        SAFETY * std::f64::consts::FRAC_2_PI.sqrt() * largest
    }

    /// X ← (LBLᵀ)⁻¹·X, in order.
    pub fn solve_in_place(&self, x: &mut Mat<f64>) {
        if x.ncols() == 0 {
            return;
        }
        let symbolic = self.plan.symbolic();
        let scratch = symbolic.solve_in_place_scratch::<f64>(x.ncols(), Par::rayon(0));
        let factor = IntranodeLbltRef::new(symbolic, &self.values, &self.below, self.pivoting());
        let mut memory = MemBuffer::new(scratch);
        factor.solve_in_place_with_conj(Conj::No, x.as_mut(), Par::rayon(0), MemStack::new(&mut memory));
    }

    /// A basis Z = QᵀL⁻ᵀE of a space on which LBLᵀ is negative, as large as possible: E are the negative
    /// eigenvectors of B.
    pub fn negative_space(&self) -> Mat<f64> {
        let negatives = self.negatives();
        let mut z = Mat::zeros(self.below.len(), negatives.len());
        for (j, (start, vector)) in negatives.into_iter().enumerate() {
            vector.iter().enumerate().filter(|(_, v)| **v != 0.0).for_each(|(i, v)| z[(start + i, j)] = *v);
        }
        for Node { start, top, below, rows } in self.nodes().rev() {
            let later = Mat::from_fn(rows.len(), z.ncols(), |i, j| z[(rows[i], j)]);
            let mut own = z.as_mut().subrows_mut(start, top.nrows());
            matmul(own.rb_mut(), Accum::Add, below.transpose(), &later, -1.0, Par::rayon(0));
            solve_unit_upper_triangular_in_place(top.transpose(), own, Par::rayon(0));
        }
        self.in_order(&z)
    }

    /// LBLᵀ·X, in order.
    fn times(&self, x: &Mat<f64>) -> Mat<f64> {
        let order = self.order();
        let mut y = Mat::from_fn(x.nrows(), x.ncols(), |i, j| x[(order[i], j)]);
        for Node { start, top, below, rows } in self.nodes() {
            let later = Mat::from_fn(rows.len(), y.ncols(), |i, j| y[(rows[i], j)]);
            let mut own = y.as_mut().subrows_mut(start, top.nrows());
            let mut product = below.transpose() * &later;
            add_triangle(&mut product, top.transpose(), BlockStructure::UnitTriangularUpper, own.rb());
            own.copy_from(product);
        }
        self.times_blocks(&mut y);
        for Node { start, top, below, rows } in self.nodes().rev() {
            let own = y.as_ref().subrows(start, top.nrows());
            let later = below * own;
            let mut product = Mat::zeros(top.nrows(), y.ncols());
            add_triangle(&mut product, top, BlockStructure::UnitTriangularLower, own);
            y.as_mut().subrows_mut(start, top.nrows()).copy_from(product);
            for j in 0..y.ncols() {
                rows.iter().enumerate().for_each(|(i, &row)| y[(row, j)] += later[(i, j)]);
            }
        }
        self.in_order(&y)
    }

    /// Puts rows in the order of elimination back into the order of the matrix.
    fn in_order(&self, x: &Mat<f64>) -> Mat<f64> {
        let mut sorted = Mat::zeros(x.nrows(), x.ncols());
        for (from, to) in self.order().into_iter().enumerate() {
            sorted.row_mut(to).copy_from(x.row(from));
        }
        sorted
    }

    /// Y ← B·Y.
    fn times_blocks(&self, y: &mut Mat<f64>) {
        let diagonal = self.diagonal();
        for j in 0..y.ncols() {
            let mut carried = 0.0;
            for i in 0..y.nrows() {
                let (own, below) = (y[(i, j)], self.below[i]);
                let next = if below == 0.0 { 0.0 } else { below * y[(i + 1, j)] };
                y[(i, j)] = diagonal[i] * own + carried + next;
                carried = below * own;
            }
        }
    }

    /// The negative eigenvectors of the blocks of B: where each block begins, and the vector's entries
    /// there.
    fn negatives(&self) -> Vec<(usize, [f64; 2])> {
        let diagonal = self.diagonal();
        let (mut found, mut start) = (Vec::new(), 0);
        while start < diagonal.len() {
            let (a, b) = (diagonal[start], self.below[start]);
            if b == 0.0 {
                if a <= 0.0 || a.is_nan() {
                    found.push((start, [1.0, 0.0]));
                }
                start += 1;
                continue;
            }
            let c = diagonal[start + 1];
            // One of the two eigenvalues is negative, because the pivoting takes two columns at a time only
            // if b² is much larger than |a·c|.
            let lower = 0.5 * (a + c) - (0.5 * (a - c)).hypot(b);
            if a * c < b * b {
                let length = b.hypot(lower - a);
                found.push((start, [b / length, (lower - a) / length]));
            } else if a <= 0.0 || a.is_nan() {
                found.extend([[1.0, 0.0], [0.0, 1.0]].map(|vector| (start, vector)));
            }
            start += 2;
        }
        found
    }

    fn diagonal(&self) -> Vec<f64> {
        self.nodes().flat_map(|node| (0..node.top.ncols()).map(move |j| node.top[(j, j)])).collect()
    }

    /// The supernodes in the order of elimination.
    fn nodes(&self) -> impl DoubleEndedIterator<Item = Node<'_>> {
        let SymbolicCholeskyRaw::Supernodal(symbolic) = self.plan.symbolic().raw() else {
            unreachable!("the plan is one in supernodes")
        };
        let factor = SupernodalIntranodeLbltRef::new(symbolic, &self.values, &self.below, self.pivoting());
        (0..symbolic.n_supernodes()).map(move |index| {
            let node = factor.supernode(index);
            let values = node.val();
            let (top, below) = values.split_at_row(values.ncols());
            Node {
                start: node.start(),
                top,
                below,
                rows: node.pattern().iter().map(|&row| self.inverse[row]).collect(),
            }
        })
    }

    fn pivoting(&self) -> PermRef<'_, usize> {
        PermRef::new_checked(&self.forward, &self.inverse, self.forward.len())
    }

    /// The column of the matrix that each column of L came from.
    fn order(&self) -> Vec<usize> {
        match self.plan.symbolic().perm() {
            Some(fill) => self.forward.iter().map(|&i| fill.arrays().0[i]).collect(),
            None => self.forward.clone(),
        }
    }
}

/// out ← out + triangle·x.
fn add_triangle(
    out: &mut Mat<f64>,
    triangle: MatRef<'_, f64>,
    structure: BlockStructure,
    x: MatRef<'_, f64>,
) {
    let full = BlockStructure::Rectangular;
    triangular::matmul(out.as_mut(), full, Accum::Add, triangle, structure, x, full, 1.0, Par::rayon(0));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_mat, relative_error};

    /// A sparse symmetric matrix of mixed signs, in full and by its lower triangle.
    fn matrix(size: usize, shift: f64) -> (Mat<f64>, SparseGram) {
        let factors = random_mat(size, size, 3);
        let full = Mat::from_fn(size, size, |i, j| {
            let (i, j) = (i.max(j), i.min(j));
            let is_stored = i == j || (i * 31 + j * 17).is_multiple_of(23) || i + 5 > size;
            f64::from(is_stored) * factors[(i, j)] + if i == j { shift } else { 0.0 }
        });
        let mut lower = SparseGram { starts: vec![0], rows: Vec::new(), values: Vec::new() };
        for j in 0..size {
            let rows = (j..size).filter(|&i| i == j || full[(i, j)] != 0.0);
            lower.rows.extend(rows);
            lower.values.extend(lower.rows[lower.starts[j]..].iter().map(|&i| full[(i, j)]));
            lower.starts.push(lower.rows.len());
        }
        (full, lower)
    }

    #[test]
    fn it_counts_negative_eigenvalues_solves_and_knows_its_rounding() {
        for (size, shift) in [(1, 3.0), (2, -4.0), (40, 0.0), (200, 0.0), (200, -8.0), (200, 40.0)] {
            let (full, lower) = matrix(size, shift);
            let values = full.self_adjoint_eigenvalues(Side::Lower).unwrap();
            let plan = Plan::in_supernodes(&lower).unwrap();
            let factor = Indefinite::factorize(&lower, &plan);
            assert_eq!(factor.negative(), values.iter().filter(|&&value| value < 0.0).count());
            let x = random_mat(size, 3, 5);
            assert!(relative_error(lower.times(&x).as_ref(), (&full * &x).as_ref()) < 1e-13);
            assert!(relative_error(factor.times(&x).as_ref(), (&full * &x).as_ref()) < 1e-11);
            let mut solved = &full * &x;
            factor.solve_in_place(&mut solved);
            assert!(relative_error(solved.as_ref(), x.as_ref()) < 1e-8);
            let z = factor.negative_space();
            let along = z.transpose() * &full * &z;
            let signs = along.self_adjoint_eigenvalues(Side::Lower).unwrap();
            assert!(signs.iter().all(|&value| value < 0.0) && z.ncols() == factor.negative());
            assert!(factor.distance(&lower, 1) < 1e-9);
            // A matrix that differs by 0.01·I must be found to be that far away, and not ten times farther.
            let mut other = lower;
            (0..size).for_each(|j| other.values[other.starts[j]] += 0.01);
            let distance = factor.distance(&other, 1);
            assert!((0.01..0.1 * (size as f64).sqrt() + 0.1).contains(&distance), "{distance}");
        }
    }

    #[test]
    fn a_factorization_that_breaks_down_is_nowhere_near() {
        let lower = SparseGram { starts: vec![0, 2, 3], rows: vec![0, 1, 1], values: vec![f64::NAN; 3] };
        let plan = Plan::in_supernodes(&lower).unwrap();
        let distance = Indefinite::factorize(&lower, &plan).distance(&lower, 1);
        assert!(distance.is_nan());
    }
}
