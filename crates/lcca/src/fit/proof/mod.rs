//! Proof that no pair was overlooked: one Cholesky factorization.
//!
//! CCA is A·w = θ·B·w. Let W be the j pairs found above some σ, with WᵀBW = I, and R = A·W − B·W·Θ their residuals. If
//!
//! ```text
//! M = σ·B − A + B·W·(Θ − σ + 1)·WᵀB
//! ```
//!
//! is positive definite, then σ·B − A plus a matrix of rank j is, so at most j true values exceed σ (Sylvester's law of inertia). That
//! holds whatever W is: bad pairs make the factorization fail, never succeed.
//!
//! More follows from the same factor. In a B-orthonormal basis that begins with W, A is [Θ Hᵀ; H K], and M > 0 says K < σ. Because
//! [−HᵀX⁻¹H Hᵀ; H −X] ≤ 0 for every X > 0, and with X = σ − K,
//!
//! ```text
//! A ≤ [Θ + Hᵀ(σ − K)⁻¹H    0 ]        and    Hᵀ(σ − K)⁻¹H ≤ RᵀM⁻¹R
//!     [0                   σ·I]
//! ```
//!
//! So of the k wanted values the total is at most Σθ + tr(RᵀM⁻¹R) over the j pairs, and σ for each of the others: nothing is estimated,
//! and no gap between values matters. σ is chosen so near the k-th value that the others cost a tenth of the tolerance.
//!
//! If the factorization fails, the directions behind its failed pivots have zᵀAz > σ·zᵀBz: they were overlooked, and the iteration goes
//! on with them. Directions of no variance fail as well if there is no ridge; their columns depend on others and are left out.
//!
//! Cost: the dense Gram matrix of both views and p³/3 operations.

mod attempts;
mod definite;

pub(super) use attempts::Proofs;

use super::eigenproblem::{Block, FewRows, ViewPanels};
use super::measured::measure;
use super::problem::Problem;
use super::significant::SIGNIFICANT;
use crate::data::{Pair, Side};
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use crate::space::Tall;
use definite::Definite;
use faer::linalg::matmul::triangular::{BlockStructure, matmul};
use faer::{Accum, Mat, Par};
use rayon::prelude::*;

/// Operations that a fit spends on a proof unasked: as many as solving narrow views exactly may take, 8,400 columns.
pub(super) const UNASKED: f64 = 2e11;
/// Operations that a proof may take if one is asked for: 14,400 columns, about a minute of one core.
pub(super) const ASKED: f64 = 1e12;
/// Dense matrices that are held: the Gram matrix, and another thread's while it is formed.
const MATRICES: u64 = 2;
/// The share of the tolerance that pairs below σ may cost.
const SHARE_BELOW: f64 = 0.1;
/// Rounding in the factorization of n columns changes its matrix by less than this many n·ε of its diagonal (Rump 2006), and sums over
/// rows in another order by much less than that.
const ROUNDING: f64 = 4.0;
/// Once so many pivots failed, the factorization ends.
const MOST_FAILED: usize = 256;

/// A total that is proven to be nearly all there is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Proof {
    /// At most so many values…
    pub exceeding: usize,
    /// … are above this.
    pub value: f64,
    /// The total of the wanted values is at most this much larger.
    pub missing: f64,
}

/// What an attempt at a proof says.
pub(super) enum Finding {
    Proven(Proof),
    /// Directions with larger values than the last wanted pair, one panel for each view.
    Refuted(Vec<FewRows>),
    /// Neither: too many columns depend on others, or rounding hides the difference.
    Open,
}

/// What is behind failed pivots.
enum Overlooked {
    /// Directions with larger values than σ.
    Directions(Vec<FewRows>),
    /// Columns that depend on others.
    NoVariance,
    /// Directions whose values are not above σ: they failed by the margin for rounding.
    Rounding,
}

/// Operations that a proof takes.
pub(super) fn operations(problem: &Problem<'_>) -> f64 {
    let shape = problem.pair.shape();
    ((shape.x_cols + shape.y_cols) as f64).powi(3) / 3.0
}

/// Whether a proof takes at most so many operations, and no more memory than is allowed.
pub(super) fn is_affordable(problem: &Problem<'_>, most: f64) -> bool {
    let shape = problem.pair.shape();
    let width = (shape.x_cols + shape.y_cols) as u64;
    operations(problem) <= most
        && 8 * MATRICES * width * width <= problem.settings.memory
        && problem.pair.capabilities().grams.is_some()
}

/// Every objective value is at most 1 in CCA: pairs that are nearly there need no other proof. `None` if that leaves more missing than
/// the tolerance allows.
pub(super) fn by_the_largest(problem: &Problem<'_>, theta: &[f64]) -> Option<Proof> {
    let wanted = theta.get(..problem.settings.k)?;
    let (total, most) = (wanted.iter().sum::<f64>(), problem.largest_objective());
    let missing = most * wanted.len() as f64 - total;
    (missing <= problem.settings.tol * total).then_some(Proof { exceeding: 0, value: most, missing })
}

/// Tries to prove that the first k of the pairs in W are the best ones; R are their residuals.
pub(super) fn prove(problem: &Problem<'_>, w: &Block, r: &Block, theta: &[f64]) -> Result<Finding> {
    let Some(wanted) = theta.get(..problem.settings.k) else { return Ok(Finding::Open) };
    let Some(&last) = wanted.last() else { return Ok(Finding::Open) };
    let total: f64 = wanted.iter().sum();
    let sigma = last + SHARE_BELOW * problem.settings.tol * total / wanted.len() as f64;
    let above = wanted.iter().take_while(|&&value| value > sigma).count();
    let scale = unit_lengths(problem)?;
    let products = stacked(problem, w, |view| &view.bw, &scale, above)?;
    let residuals = stacked(problem, r, |view| &view.w, &scale, above)?;
    let mut matrix = shifted(problem, sigma, &scale)?;
    lift(&mut matrix, products, |i| wanted[i] - sigma + 1.0);
    let definite = Definite::factorize(matrix, margin(scale.len()), MOST_FAILED);
    if !definite.is_definite() {
        match overlooked(problem, definite.directions(), sigma, &scale)? {
            Overlooked::Directions(directions) => return Ok(Finding::Refuted(directions)),
            Overlooked::NoVariance if definite.rest_is_definite() => {}
            Overlooked::NoVariance | Overlooked::Rounding => return Ok(Finding::Open),
        }
    }
    let rise: f64 = definite.inverse_squares(residuals).iter().sum();
    let below: f64 = wanted[above..].iter().map(|value| sigma - value).sum();
    Ok(Finding::Proven(Proof { exceeding: above, value: sigma, missing: rise + below }))
}

/// The share of its diagonal by which rounding changes a matrix of so many columns.
fn margin(columns: usize) -> f64 {
    ROUNDING * columns as f64 * f64::EPSILON
}

/// One over the length of each column of both views in the norm of B; 0 for columns that do not vary.
fn unit_lengths(problem: &Problem<'_>) -> Result<Vec<f64>> {
    let [x, y] = problem.inverse_diagonals()?;
    Ok(x.into_iter().chain(y).map(f64::sqrt).collect())
}

/// The first columns of a panel of both views, one below the other, in columns of unit length. Each pair has length 1 over both views.
fn stacked(
    problem: &Problem<'_>,
    block: &Block,
    panel: fn(&ViewPanels) -> &Tall,
    scale: &[f64],
    columns: usize,
) -> Result<Mat<f64>> {
    let [x, y] = &block.views[..] else { unreachable!("a block of both views has two") };
    let (x, y) = (problem.space.download(panel(x))?, problem.space.download(panel(y))?);
    Ok(Mat::from_fn(scale.len(), columns, |i, j| {
        let row = if i < x.rows() { x.row(i) } else { y.row(i - x.rows()) };
        scale[i] * row[j] * std::f64::consts::FRAC_1_SQRT_2
    }))
}

/// The lower triangle of σ·B − A, in columns of unit length.
fn shifted(problem: &Problem<'_>, sigma: f64, scale: &[f64]) -> Result<Mat<f64>> {
    let grams = problem.pair.capabilities().require_grams()?;
    let mut gram = match problem.space.dense_gram(problem.pair)? {
        Some(gram) => gram,
        None => grams.dense_gram(None, problem.settings.memory)?,
    };
    let (p, size, normals) = (problem.pair.shape().x_cols, gram.nrows(), problem.normals);
    let identities = problem.identities();
    gram.as_mut().par_col_iter_mut().enumerate().for_each(|(j, mut column)| {
        let view = usize::from(j >= p);
        for i in j..size {
            let is_own = usize::from(i >= p) == view;
            let entry = match is_own {
                _ if scale[i] * scale[j] == 0.0 => f64::from(i == j),
                true => {
                    let product = if identities[view] { 0.0 } else { column[i] };
                    sigma * (product + if i == j { normals[view].ridge } else { 0.0 }) * scale[i] * scale[j]
                }
                false => -column[i] * scale[i] * scale[j],
            };
            column[i] = entry;
        }
    });
    Ok(gram)
}

/// M ← M + V·diag(factors)·Vᵀ, in the lower triangle.
fn lift(matrix: &mut Mat<f64>, mut v: Mat<f64>, factor: impl Fn(usize) -> f64) {
    for (i, column) in v.col_iter_mut().enumerate() {
        let root = factor(i).sqrt();
        column.iter_mut().for_each(|entry| *entry *= root);
    }
    let (lower, full) = (BlockStructure::TriangularLower, BlockStructure::Rectangular);
    matmul(matrix.as_mut(), lower, Accum::Add, &v, full, v.transpose(), full, 1.0, Par::rayon(0));
}

/// Measures the directions behind failed pivots. Those that were overlooked come back in the columns of the views, the largest values first
/// and at most as many as W has columns.
fn overlooked(problem: &Problem<'_>, directions: Mat<f64>, sigma: f64, scale: &[f64]) -> Result<Overlooked> {
    let shape = problem.pair.shape();
    let panel = |side: Side| {
        let first = if side == Side::X { 0 } else { shape.x_cols };
        Panel::from_fn(shape.cols(side), directions.ncols(), |i, j| {
            scale[first + i] * directions[(first + i, j)]
        })
    };
    let weights = vec![panel(Side::X), panel(Side::Y)];
    let mut block = Block::unmeasured(problem.space, weights.clone(), &[shape.y_cols, shape.x_cols])?;
    measure(problem, &mut block)?;
    let dots = |a: &Panel, b: &Tall| Ok(panels::column_dots(a, &problem.space.download(b)?));
    let lengths = [dots(&weights[0], &block.views[0].bw)?, dots(&weights[1], &block.views[1].bw)?];
    let across = dots(&weights[0], &block.views[1].image)?;
    let length = |j: usize| lengths[0][j] + lengths[1][j];
    let height = |j: usize| directions.col(j).squared_norm_l2();
    let varying: Vec<usize> =
        (0..directions.ncols()).filter(|&j| length(j) > SIGNIFICANT * height(j)).collect();
    if varying.is_empty() {
        return Ok(Overlooked::NoVariance);
    }
    let value = |j: usize| 2.0 * across[j] / length(j);
    // Rounding counts the more, the less of a direction's length is variance.
    let rounding = |j: usize| margin(scale.len()) * height(j) / length(j);
    let mut above: Vec<usize> = varying.into_iter().filter(|&j| value(j) > sigma + rounding(j)).collect();
    if above.is_empty() {
        return Ok(Overlooked::Rounding);
    }
    above.sort_by(|&a, &b| value(b).total_cmp(&value(a)));
    above.truncate(problem.block());
    let few = |panel: &Panel| {
        let rows = (0..panel.rows() as u32).collect();
        FewRows { height: panel.rows(), rows, values: panels::select(panel, &above) }
    };
    Ok(Overlooked::Directions(weights.iter().map(few).collect()))
}
