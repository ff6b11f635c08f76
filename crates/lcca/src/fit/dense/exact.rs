//! Classical CCA (Björck & Golub 1973), rank-revealing, as MATLAB's canoncorr and R's cancor compute it.
//!
//! X = QxRx and Y = QyRy by QR with column pivoting, each cut at its numerical rank; then QxᵀQy =
//! U·diag(d)·Vᵀ and Wx = Rx⁻¹U, Wy = Ry⁻¹V. If columns depend on others, R is wide and the shortest solution
//! is taken, in columns of unit length: it does not depend on which columns were pivots. The rows enter only
//! through the triangular factor of [1 X Y], so X and Y below have at most 1 + p₁ + p₂ rows. A ridge appends
//! the rows √λ·I to a view and zeros to the other.

use crate::data::{Normal, Pair, Triangle};
use crate::error::{Error, Result};
use crate::fit::pairs::problem::{Problem, RawFit};
use crate::matrix::Panel;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Mat, MatRef, Par};

/// Columns depend on the others if their distance from the span of these is below this share of their
/// length.
const CUT: f64 = 1e-10;

pub(in crate::fit) fn exact(problem: &Problem<'_>) -> Result<RawFit> {
    let triangle = problem.pair.capabilities().require_triangles()?.triangle(problem.settings.memory)?;
    let Solved { weights, total, ranks } = solve(problem, &triangle)?;
    let trace = vec![problem.trace_row(1, total, None)];
    Ok(RawFit { weights, trace, end: None, decisions: Vec::new(), products: None, ranks: Some(ranks) })
}

/// The exact solution, found from the triangular factor of the rows.
pub(in crate::fit) struct Solved {
    pub weights: [Panel; 2],
    /// The sum of the pairs' objective values.
    pub total: f64,
    /// Independent columns of each view.
    pub ranks: [usize; 2],
}

/// Solves for rows that are given by their triangular factor.
pub(in crate::fit) fn solve(problem: &Problem<'_>, triangle: &Triangle) -> Result<Solved> {
    // If B is a multiple of I, no rows are appended: lengths are not those of the variables.
    let appended = problem.normals.map(|normal| if normal.is_identity { 0.0 } else { normal.ridge });
    let [x, y] = with_ridge(triangle, appended);
    let factor = |normal: Normal<'_>, view: Mat<f64>| -> Result<Factor> {
        if normal.is_identity {
            return Ok(Factor::identity(view, normal.ridge.sqrt()));
        }
        Ok(Factor::new(&view, &normal.diagonal()?))
    };
    let (x, y) = (factor(problem.normals[0], x)?, factor(problem.normals[1], y)?);
    let svd = (x.q.transpose() * &y.q).thin_svd().map_err(|_| Error::Factorization("QxᵀQy"))?;
    let k = problem.settings.k.min(svd.S().dim());
    let weights = [x.weights(svd.U().subcols(0, k)), y.weights(svd.V().subcols(0, k))];
    let most = problem.largest_objective();
    let total = problem.unit() * (0..k).map(|i| svd.S()[i].min(most)).sum::<f64>();
    Ok(Solved { weights, total, ranks: [x.q.ncols(), y.q.ncols()] })
}

/// [Rx; √λx·I; 0] and [Ry; 0; √λy·I].
fn with_ridge(triangle: &Triangle, ridge: [f64; 2]) -> [Mat<f64>; 2] {
    let (rx, ry) = (triangle.x(), triangle.y());
    let below = |used: f64, cols: usize| if used > 0.0 { cols } else { 0 };
    let (x_extra, y_extra) = (below(ridge[0], rx.ncols()), below(ridge[1], ry.ncols()));
    let top = rx.nrows();
    let rows = top + x_extra + y_extra;
    let padded = |r: MatRef<'_, f64>, from: usize, count: usize, root: f64| {
        let r = r.to_owned();
        Mat::from_fn(rows, r.ncols(), move |i, j| match i {
            _ if i < top => r[(i, j)],
            _ if count > 0 && i == from + j => root,
            _ => 0.0,
        })
    };
    [padded(rx, top, x_extra, ridge[0].sqrt()), padded(ry, top + x_extra, y_extra, ridge[1].sqrt())]
}

/// A view's columns, scaled to length one, as Q·R; R is as wide as the view.
struct Factor {
    q: Mat<f64>,
    r: Mat<f64>,
    /// The column behind each column of R, and its 1/length.
    columns: Vec<(usize, f64)>,
}

impl Factor {
    /// `diagonal` is that of C + λI. A column that is zero but for rounding has 0 there and stays zero.
    fn new(view: &Mat<f64>, diagonal: &[f64]) -> Self {
        let (rows, cols) = (view.nrows(), view.ncols());
        let scale = |j: usize| {
            let length = view.col(j).norm_l2();
            // A column of a sketch can be zero by chance.
            if diagonal[j] > 0.0 && length > 0.0 { length.recip() } else { 0.0 }
        };
        let scale: Vec<f64> = (0..cols).map(scale).collect();
        let unit = Mat::from_fn(rows, cols, |i, j| scale[j] * view[(i, j)]);
        let qr = unit.col_piv_qr();
        let r = qr.thin_R();
        let first = if r.nrows() > 0 && cols > 0 { r[(0, 0)].abs() } else { 0.0 };
        let rank = (0..r.nrows().min(cols)).take_while(|&i| r[(i, i)].abs() > CUT * first).count();
        let columns = qr.P().arrays().0.iter().map(|&column| (column, scale[column])).collect();
        let q = qr.compute_thin_Q().subcols(0, rank).to_owned();
        Factor { q, r: r.subrows(0, rank).to_owned(), columns }
    }

    /// Weights of length 1/`root`: X = Q·R with R = `root`·I.
    fn identity(view: Mat<f64>, root: f64) -> Self {
        let cols = view.ncols();
        let r = Mat::from_fn(cols, cols, |i, j| if i == j { root } else { 0.0 });
        Factor { q: view / faer::Scale(root), r, columns: (0..cols).map(|j| (j, 1.0)).collect() }
    }

    /// The shortest W with R·W = U, back in the view's own columns.
    fn weights(&self, u: MatRef<'_, f64>) -> Panel {
        let solved = if self.r.nrows() == self.r.ncols() {
            solve_square(self.r.as_ref(), u)
        } else {
            solve_shortest(self.r.as_ref(), u)
        };
        let mut weights = Panel::zeros(self.columns.len(), u.ncols());
        for (i, &(column, scale)) in self.columns.iter().enumerate() {
            (0..u.ncols()).for_each(|j| weights.row_mut(column)[j] = scale * solved[(i, j)]);
        }
        weights
    }
}

/// R⁻¹U for a square R.
fn solve_square(r: MatRef<'_, f64>, u: MatRef<'_, f64>) -> Mat<f64> {
    let mut solved = u.to_owned();
    solve_upper_triangular_in_place(r, solved.as_mut(), Par::rayon(0));
    solved
}

/// For a wide R: Rᵀ = Z·T by QR, so R·W = U says TᵀZᵀW = U, and W = Z·T⁻ᵀU is the shortest such W.
fn solve_shortest(r: MatRef<'_, f64>, u: MatRef<'_, f64>) -> Mat<f64> {
    let qr = r.transpose().qr();
    let mut inner = u.to_owned();
    solve_lower_triangular_in_place(qr.thin_R().transpose(), inner.as_mut(), Par::rayon(0));
    qr.compute_thin_Q() * inner
}
