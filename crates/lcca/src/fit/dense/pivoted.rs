//! One view's Gram matrix, whitened by a Cholesky factorization with pivots.
//!
//! C + λI is scaled to a unit diagonal and factorized as A = RᵀR, columns in the order of the remainders
//! that those before leave of them: R = [R₁ R₂] with R₁ triangular, as high as the rank. The pivots'
//! columns times R₁⁻¹ are orthonormal. That takes r·n² operations, and eigenvectors ten times as many. The
//! rank is clear if no column is left that is neither significant nor rounding, and ‖R₁⁻¹‖² = tr(A₁⁻¹),
//! which is at least one over the smallest eigenvalue, is not too large.

use crate::error::{Error, Result};
use crate::whiten::inverse_root;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::{llt, llt_pivoting};
use faer::linalg::triangular_inverse::invert_lower_triangular;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatRef, Par};

/// A column is significant if this share of its variance is not explained by the columns before it, because
/// rounding of a Gram matrix is a million times smaller. No eigenvalue may be smaller, relative to the
/// largest.
const SIGNIFICANT: f64 = 1e-10;
/// If less than this share of a column remains, the remainder is rounding. Between this and `SIGNIFICANT`
/// nothing can be said, and QR has to decide.
const ROUNDING: f64 = 1e-13;

/// A = RᵀR, cut at its rank.
pub(in crate::fit) struct Pivoted {
    /// The column behind each column of R; the first `rank` are the pivots.
    order: Vec<usize>,
    /// 1/length of each column of the view, 0 if it is zero but for rounding.
    scale: Vec<f64>,
    /// Rᵀ, as high as the view is wide: R₁ᵀ is its lower triangle.
    lower: Mat<f64>,
}

impl Pivoted {
    /// Factorizes A, from the lower triangle of C. `None` if the rank is not clear, unless it is to be
    /// `decided`: then columns that are not significant are taken to depend on the others. `diagonal` is
    /// that of C + λI, 0 for columns that are zero but for rounding.
    pub fn new(gram: MatRef<'_, f64>, ridge: f64, diagonal: &[f64], decided: bool) -> Result<Option<Self>> {
        let size = gram.nrows();
        let scale: Vec<f64> = diagonal.iter().map(|&d| inverse_root(d)).collect();
        let entry = |i: usize, j: usize| {
            let value = gram[(i, j)] + if i == j { ridge } else { 0.0 };
            scale[i] * value * scale[j]
        };
        let mut unit = Mat::from_fn(size, size, |i, j| if i >= j { entry(i, j) } else { 0.0 });
        let (mut squares, mut is_finite) = (0.0, true);
        for j in 0..size {
            let column = unit.col(j);
            (j..size).for_each(|i| squares += column[i] * column[i]);
            is_finite &= squares.is_finite();
        }
        let failed = Error::Factorization("a Gram matrix");
        if !is_finite {
            return Err(failed);
        }
        let (order, rank) = factorize(&mut unit).ok_or(failed)?;
        let left = |i: usize| unit[(i, i)] * unit[(i, i)];
        let least = if decided { SIGNIFICANT } else { ROUNDING };
        let kept = (0..rank).take_while(|&i| left(i) > least).count();
        if kept > 0 && left(kept - 1) <= SIGNIFICANT {
            return Ok(None);
        }
        let pivoted = Pivoted { order, scale, lower: unit.subcols(0, kept).to_owned() };
        // The Frobenius norm of A is at least its largest eigenvalue; half of the matrix was summed.
        let largest = (2.0 * squares).sqrt();
        let is_clear = kept == 0 || decided || pivoted.inverse_trace() * largest < SIGNIFICANT.recip();
        Ok(is_clear.then_some(pivoted))
    }

    /// The factor of A = I, for B = `factor`·I.
    pub fn identity(size: usize, factor: f64) -> Self {
        let scale = vec![inverse_root(factor); size];
        Pivoted { order: (0..size).collect(), scale, lower: Mat::identity(size, size) }
    }

    /// The number of independent columns of the view.
    pub fn rank(&self) -> usize {
        self.lower.ncols()
    }

    /// tr(A₁⁻¹) = ‖R₁⁻¹‖².
    fn inverse_trace(&self) -> f64 {
        let mut inverse = Mat::zeros(self.rank(), self.rank());
        invert_lower_triangular(inverse.as_mut(), self.triangle(), parallelism(self.rank()));
        inverse.squared_norm_l2()
    }

    /// R₁ᵀ.
    fn triangle(&self) -> MatRef<'_, f64> {
        self.lower.subrows(0, self.rank())
    }

    /// R₁⁻ᵀ·T, with T the rows of `target` that belong to the pivots, scaled as the view's columns are.
    pub fn whitened(&self, target: MatRef<'_, f64>) -> Mat<f64> {
        let mut rows = Mat::from_fn(self.rank(), target.ncols(), |i, j| {
            self.scale[self.order[i]] * target[(self.order[i], j)]
        });
        solve_lower_triangular_in_place(self.triangle(), rows.as_mut(), parallelism(self.rank()));
        rows
    }

    /// The shortest W with R·W = U, in columns of unit length, back in the view's own columns. It does not
    /// depend on which columns are pivots. With B = R₁⁻¹R₂ it is [I B]ᵀ(I + BBᵀ)⁻¹R₁⁻¹U, and (I + BBᵀ)⁻¹ = I
    /// − B(I + BᵀB)⁻¹Bᵀ.
    pub fn weights(&self, u: MatRef<'_, f64>) -> Result<Mat<f64>> {
        let (rank, size) = (self.rank(), self.order.len());
        let par = parallelism(rank);
        let mut solved = u.to_owned();
        solve_upper_triangular_in_place(self.triangle().transpose(), solved.as_mut(), par);
        // Columns that are zero depend on nothing.
        let others: Vec<usize> = (rank..size).filter(|&i| self.scale[self.order[i]] > 0.0).collect();
        let mut weights = Mat::zeros(size, u.ncols());
        if !others.is_empty() {
            let mut b = Mat::from_fn(rank, others.len(), |i, j| self.lower[(others[j], i)]);
            solve_upper_triangular_in_place(self.triangle().transpose(), b.as_mut(), par);
            let rest = shorten(&mut solved, &b)?;
            for (i, &other) in others.iter().enumerate() {
                let column = self.order[other];
                (0..u.ncols()).for_each(|j| weights[(column, j)] = self.scale[column] * rest[(i, j)]);
            }
        }
        for (i, &column) in self.order[..rank].iter().enumerate() {
            (0..u.ncols()).for_each(|j| weights[(column, j)] = self.scale[column] * solved[(i, j)]);
        }
        Ok(weights)
    }
}

/// T ← (I + BBᵀ)⁻¹T, by the smaller of I + BBᵀ and I + BᵀB. Returns BᵀT.
fn shorten(t: &mut Mat<f64>, b: &Mat<f64>) -> Result<Mat<f64>> {
    if b.ncols() < b.nrows() {
        let inner = solve_with_identity(b.transpose() * b, b.transpose() * &*t)?;
        *t -= b * &inner;
        // BᵀT = Bᵀt − BᵀB·inner = inner.
        return Ok(inner);
    }
    *t = solve_with_identity(b * b.transpose(), t.clone())?;
    Ok(b.transpose() * &*t)
}

/// (I + G)⁻¹T for a positive semidefinite G.
fn solve_with_identity(mut gram: Mat<f64>, mut t: Mat<f64>) -> Result<Mat<f64>> {
    let (size, par) = (gram.nrows(), parallelism(gram.nrows()));
    (0..size).for_each(|i| gram[(i, i)] += 1.0);
    let mut memory =
        MemBuffer::new(llt::factor::cholesky_in_place_scratch::<f64>(size, par, Default::default()));
    let stack = MemStack::new(&mut memory);
    llt::factor::cholesky_in_place(gram.as_mut(), Default::default(), par, stack, Default::default())
        .map_err(|_| Error::Factorization("dependent columns"))?;
    solve_lower_triangular_in_place(gram.as_ref(), t.as_mut(), par);
    solve_upper_triangular_in_place(gram.transpose(), t.as_mut(), par);
    Ok(t)
}

/// Cholesky with pivots in place: the order of the columns and the rank to rounding; `None` if that fails.
fn factorize(a: &mut Mat<f64>) -> Option<(Vec<usize>, usize)> {
    let (size, par) = (a.nrows(), parallelism(a.nrows()));
    let (mut order, mut inverse) = (vec![0usize; size], vec![0usize; size]);
    let scratch =
        llt_pivoting::factor::cholesky_in_place_scratch::<usize, f64>(size, par, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let (info, _) = llt_pivoting::factor::cholesky_in_place(
        a.as_mut(),
        &mut order,
        &mut inverse,
        par,
        MemStack::new(&mut memory),
        Default::default(),
    )
    .ok()?;
    Some((order, info.rank))
}

/// Small matrices are computed on one thread, because they are not worth waking others for.
pub(in crate::fit) fn parallelism(size: usize) -> Par {
    if size < 256 { Par::Seq } else { Par::rayon(0) }
}
