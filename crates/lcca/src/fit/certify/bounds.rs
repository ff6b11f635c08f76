//! How far each objective value can be from a true one: a bound, not an estimate.
//!
//! With B = C + λI of each view and K = Bx^(−½)·Cxy·By^(−½), the true objective values are the singular
//! values of K. A fitted pair has wxᵀBxwx = wyᵀBywy = 1 and objective θ = wxᵀCxywy; its residuals are
//!
//! ```text
//! rx = Cxy·wy − θ·Bx·wx,    ry = Cyx·wx − θ·By·wy,    measured as ‖r‖² = rᵀB⁻¹r
//! ```
//!
//! - **One pair.** (Bx^½wx, By^½wy)/√2 is a unit vector and [0 K; Kᵀ 0] is symmetric with eigenvalues ±d and,
//!   if the views have different ranks, 0. So one of these lies within ρ = √((‖rx‖² + ‖ry‖²)/2) of θ. It is a
//!   true value d if ρ < θ; if not, a true value lies within max(‖rx‖, ‖ry‖).
//! - **All pairs at once** (Kahan 1967). In bases that begin with the fitted pairs K is [Θ E; F M], with E
//!   and F as large as the block residuals Ry and Rx. By Weyl's theorem k singular values of K, each counted
//!   as often as it occurs, lie within max(‖Rx‖, ‖Ry‖) of θ₁ … θ_k, one for each; ‖R‖² is the largest
//!   eigenvalue of RᵀB⁻¹R.
//!
//! RᵀB⁻¹R comes from conjugate gradients. For any X and S = R − B·X, Galerkin or not,
//!
//! ```text
//! RᵀB⁻¹R = XᵀR + SᵀX + SᵀB⁻¹S,    SᵀB⁻¹S ≤ SᵀS/λ
//! ```
//!
//! and S is measured by a pass of its own, so that only the rounding of products is left out. Without a ridge
//! nothing cheap bounds SᵀB⁻¹S: it is at most SᵀD⁻¹S/c with D the diagonal of C and c the smallest eigenvalue
//! but 0 of D^(−½)CD^(−½), which is not known. The cut below which this crate counts columns as dependent, c
//! = 1e-12, takes its place. The bounds then hold for data without directions of 0 < variance < 1e-12 of
//! their columns', and are called conditional.
//!
//! Nothing here proves that no larger pair was missed, because all bounds speak of the true values near the
//! fitted ones.
//!
//! If columns depend on others, rounding leaves a part in R along which B vanishes, and B⁻¹ would make it
//! large. Conjugate gradients recognize such a direction by its length, and stop before they step along it:
//! see `with_squares`.

use crate::data::Normal;
use crate::error::{Error, Result};
use crate::fit::pairs::view_block::ViewBlock;
use crate::matrix::Panel;
use crate::panels;
use crate::solve::{ActiveColumns, Cg};
use crate::whiten::CUT;
use faer::Mat;

/// A solve ends when its own error can add at most this share to the square of a bound.
const SHARE: f64 = 0.01;
/// A bound is loose if the error of its solve adds this many times more than the solve aimed at. The factor
/// is large because rounding alone may keep a solve from its aim.
const LOOSE: f64 = 100.0;

/// One view's part of the bounds on all pairs.
pub(in crate::fit) struct Step {
    /// X ≈ B⁻¹R and its products.
    pub block: ViewBlock,
    /// An upper bound on RᵀB⁻¹R.
    above: Mat<f64>,
    /// The part of the diagonal of `above` that bounds the error of X.
    tail: Vec<f64>,
    /// For each pair, whether `tail` is large because conjugate gradients ran out of steps.
    pub is_loose: Vec<bool>,
}

impl Step {
    pub fn solve(cg: Cg<'_>, normal: Normal<'_>, residual: &Panel, least: f64) -> Result<Self> {
        let weights = tail_weights(normal)?;
        let tail = |s: &Panel| panels::weighted_column_dots(s, s, |i| weights[i]);
        let enough = |running: &ActiveColumns| -> Vec<bool> {
            let goal = running.gained.iter().map(|gained| (SHARE * gained).max(least * least));
            tail(&running.residual).into_iter().zip(goal).map(|(tail, goal)| tail <= goal).collect()
        };
        let (x, _) = cg.run(residual, None, enough)?;
        let mut block = ViewBlock::measure(normal, x)?;
        let (mut above, mut found) = bound_matrix(&block, residual, &weights);
        // X = 0 is a solution of sorts as well, and the better one if R is only rounding, because solving
        // for noise makes the bound larger.
        let unsolved = tail(residual);
        let solves = |i: usize| above[(i, i)].max(found[i]) <= unsolved[i];
        if !(0..unsolved.len()).all(solves) {
            let kept =
                Mat::from_fn(unsolved.len(), unsolved.len(), |i, j| f64::from(u8::from(i == j && solves(i))));
            block.turn(kept.as_ref());
            (above, found) = bound_matrix(&block, residual, &weights);
        }
        let tail = found;
        let is_loose = |i: usize| tail[i] > (above[(i, i)] - tail[i]).max((LOOSE * least).powi(2));
        let is_loose = (0..tail.len()).map(is_loose).collect();
        Ok(Step { block, above, tail, is_loose })
    }

    /// An upper bound on ‖rᵢ‖².
    fn square(&self, i: usize) -> f64 {
        self.above[(i, i)].max(self.tail[i])
    }

    /// An upper bound on ‖R‖².
    pub fn largest(&self) -> Result<f64> {
        let values = self.above.self_adjoint_eigenvalues(faer::Side::Lower);
        Ok(values.map_err(|_| Error::Factorization("RᵀB⁻¹R"))?.last().copied().unwrap_or(0.0).max(0.0))
    }
}

/// An upper bound on RᵀB⁻¹R, and the part of its diagonal that bounds the error of X.
fn bound_matrix(x: &ViewBlock, residual: &Panel, weights: &[f64]) -> (Mat<f64>, Vec<f64>) {
    let mut s = residual.clone();
    panels::subtract(&mut s, &x.bw);
    let mut weighted = s.clone();
    panels::scale_rows(&mut weighted, weights);
    let tails = panels::symmetric_cross(&s, &weighted);
    let mut sum = residual.clone();
    panels::add_scaled(&mut sum, 1.0, &s);
    let above = panels::symmetric_cross(&x.w, &sum) + &tails;
    (above, (0..tails.nrows()).map(|i| tails[(i, i)]).collect())
}

/// The diagonal T for which SᵀB⁻¹S ≤ SᵀTS.
fn tail_weights(normal: Normal<'_>) -> Result<Vec<f64>> {
    if normal.ridge > 0.0 {
        return Ok(vec![normal.ridge.recip(); normal.size()]);
    }
    Ok(normal.inverse_diagonal()?.iter().map(|inverse| inverse / CUT).collect())
}

/// How far θ can be from the nearest true value; both lie between 0 and 1.
pub(in crate::fit) fn bound(theta: f64, x: &Step, y: &Step, i: usize) -> f64 {
    let (x, y) = (x.square(i), y.square(i));
    let mean = ((x + y) / 2.0).sqrt();
    let bound = if mean < theta { mean } else { x.max(y).sqrt() };
    bound.min(theta.max(1.0 - theta))
}
