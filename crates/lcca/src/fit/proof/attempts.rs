//! The proofs that an iteration tries before it claims to have converged.

use super::claim::sigma;
use super::{ASKED, Finding, Proof, Route, UNASKED, by_the_largest, prove};
use crate::data::{Pair, Side};
use crate::error::Result;
use crate::fit::pairs::cost::iteration;
use crate::fit::pairs::eigenproblem::Block;
use crate::fit::pairs::problem::Problem;
use crate::matrix::Panel;
use crate::outcome::Decision;
use crate::space::RowFactors;

/// The number of factorizations that may leave too much open. After these a claim rests on estimates.
const MOST_LOOSE: usize = 3;
/// Residuals must shrink by this more than the last bound was too large before another proof is tried.
const SPARE: f64 = 0.5;

/// After this many iterations a proof may cost as much as one that the user asks for: the preconditioner is
/// far from B − A then, so that estimates made with it may be as well. Texts take at most 18 with few
/// exceptions; of terms with their ancestors (60,000 × (6,237 + 6,237), ridge 1e-4) 51 iterations lacked
/// 5e-3 of the total and claimed 7.5e-5.
pub(in crate::fit) const SLOW: usize = 20;

/// With a smaller ridge than this, pairs hide where M is not near B − A. Of claims that were not proven, one
/// in five was wrong without a ridge, one in ten with 1e-3, one in 160 with 0.01, and none of 283 with 0.1
/// or 1. Nothing was measured between 0.01 and 0.05.
const RISKY: f64 = 0.02;

/// The proof so far, and the conditions for the next attempt.
pub(in crate::fit) struct Proofs {
    /// How claims are proven; `None` if they are not.
    route: Option<Route>,
    proof: Option<Proof>,
    refuting: Option<[Panel; 2]>,
    /// The number of attempts that proved too little.
    loose: usize,
    /// Squared residuals above this would prove too little again.
    wanted: f64,
    /// The number of iterations so far; `None` once the route does not depend on it any longer.
    iterations: Option<usize>,
}

impl Proofs {
    /// Claims are proven if the cheapest proof stays within a fit's budget for a proof that was not asked
    /// for.
    pub fn unasked(problem: &Problem<'_>) -> Result<Self> {
        let route = Route::unasked(problem, UNASKED, 0.0)?;
        let is_affordable = !route.is_too_costly();
        let iterations = (!is_affordable).then_some(0);
        Ok(Proofs { route: Some(route).filter(|_| is_affordable), iterations, ..Proofs::none() })
    }

    /// Called once per iteration.
    pub fn count_iteration(&mut self) {
        self.iterations.iter_mut().for_each(|iterations| *iterations += 1);
    }

    /// Claims are never proven.
    pub fn none() -> Self {
        Proofs { route: None, proof: None, refuting: None, loose: 0, wanted: f64::INFINITY, iterations: None }
    }

    /// The proof that the last claim rests on.
    pub fn found(&self) -> Option<Proof> {
        self.proof
    }

    /// Directions that were overlooked. They are handed out once.
    pub fn take_refuting(&mut self) -> Option<[Panel; 2]> {
        self.refuting.take()
    }

    /// Whether pairs are so near the largest possible values that nothing else needs to be asked.
    pub fn is_certain(&mut self, problem: &Problem<'_>, theta: &[f64]) -> bool {
        self.proof = by_the_largest(problem, theta);
        self.proof.is_some()
    }

    /// Looks for an affordable route again if there was none. A fit that took longer may spend more on it,
    /// and so may one whose pairs could hide from M.
    fn reconsider(&mut self, problem: &Problem<'_>, is_near: bool) -> Result<()> {
        let Some(iterations) = self.iterations else { return Ok(()) };
        let is_costly = iterations >= SLOW || !is_near && has_ridge_below(problem, RISKY);
        if is_costly || problem.space.is_remote() {
            let spent = iterations as f64 * iteration(problem)?;
            let allowed = if is_costly { ASKED } else { UNASKED };
            let route = Route::unasked(problem, allowed, spent)?;
            self.route = Some(route).filter(|route| !route.is_too_costly());
        }
        if is_costly || self.route.is_some() {
            self.iterations = None;
        }
        Ok(())
    }

    /// Whether pairs may be claimed to have converged, because they are proven to be the best or because no
    /// proof can be had. `is_near` says that M is near B − A in every direction.
    pub fn may_claim(
        &mut self,
        problem: &Problem<'_>,
        is_near: bool,
        inverse: &[RowFactors; 2],
        [w, r]: [&Block; 2],
        [theta, short]: [&[f64]; 2],
    ) -> Result<bool> {
        // Claims in single precision are looked at again in double precision.
        if problem.space.is_rough() || self.loose >= MOST_LOOSE {
            return Ok(true);
        }
        self.reconsider(problem, is_near)?;
        let Some(route) = &self.route else { return Ok(true) };
        if route.operations(problem) > iteration(problem)? && !is_sharp(problem, theta, short) {
            return Ok(false);
        }
        let size = squares(problem, inverse, r)?;
        if size > self.wanted {
            return Ok(false);
        }
        let allowed = problem.settings.tol * theta.iter().take(problem.settings.k).sum::<f64>();
        match prove(problem, route, w, r, theta)? {
            Finding::Proven(proof) if proof.missing <= allowed => {
                self.proof = Some(proof);
                Ok(true)
            }
            Finding::Proven(proof) => {
                (self.loose, self.wanted) = (self.loose + 1, SPARE * size * allowed / proof.missing);
                Ok(false)
            }
            Finding::Refuted(directions) => {
                self.refuting = Some(directions);
                Ok(false)
            }
            Finding::Open => {
                self.route = None;
                Ok(true)
            }
        }
    }

    /// The decision to report, if there is a proof.
    pub fn decision(&self, problem: &Problem<'_>) -> Option<Decision> {
        let Proof { exceeding, value, .. } = self.proof?;
        let shape = problem.pair.shape();
        let columns = (shape.x_cols + shape.y_cols) as u64;
        Some(Decision::Proven { exceeding: exceeding as u64, value: problem.unit() * value, columns })
    }
}

/// Whether no wanted pair is short by more than what lies between the last one and σ. If one were, a value
/// that is taken to lie below σ might lie above it, and the factorization would fail. Where it costs more
/// than an iteration, pairs are taken there first.
fn is_sharp(problem: &Problem<'_>, theta: &[f64], short: &[f64]) -> bool {
    let k = problem.settings.k;
    let between = sigma(problem, theta).zip(theta.get(k.wrapping_sub(1))).map(|(sigma, last)| sigma - last);
    between.is_none_or(|between| short.iter().take(k).all(|&short| short <= between))
}

/// Whether the ridge of a view is smaller than `least`.
pub(in crate::fit) fn has_ridge_below(problem: &Problem<'_>, least: f64) -> bool {
    Side::BOTH.into_iter().any(|side| problem.settings.ridge_of(side) < least)
}

/// The squared lengths of the wanted pairs' residuals, in the norm of the diagonal.
fn squares(problem: &Problem<'_>, inverse: &[RowFactors; 2], r: &Block) -> Result<f64> {
    let of_view = |view: usize| -> Result<f64> {
        let squares = problem.space.weighted_squares(&r.views[view].w, &inverse[view])?;
        Ok(squares.iter().take(problem.settings.k).sum())
    };
    Ok(of_view(0)? + of_view(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Counting, InMemory, Tally};
    use crate::method::{Method, Settings};
    use crate::testing::zipf_rows;

    /// Whether a claim is proven although a proof was too costly to begin with.
    fn is_proven(ridge: f64, is_near: bool, iterations: usize) -> bool {
        let rows = InMemory::new(zipf_rows(400, 90, 6, 1), zipf_rows(400, 70, 5, 2)).unwrap();
        let tally = Tally::default();
        let counting = Counting::rows(&rows, &tally, &());
        let settings = Settings { ridge_x: 0.05, ridge_y: ridge, ..Settings::new(Method::lobpcg(), 3) };
        let problem = Problem::plain(&counting, &settings, None);
        let mut proofs = Proofs { iterations: Some(iterations), ..Proofs::none() };
        proofs.reconsider(&problem, is_near).unwrap();
        proofs.route.is_some()
    }

    #[test]
    fn claims_are_proven_where_pairs_hide_or_iterations_were_many() {
        for ridge in [0.0, 1e-3, 0.01] {
            assert!(is_proven(ridge, false, 5), "{ridge}");
            assert!(!is_proven(ridge, true, 5), "{ridge}");
        }
        assert!(!is_proven(RISKY, false, 5));
        assert!(!is_proven(0.05, true, SLOW - 1));
        assert!(is_proven(0.05, true, SLOW));
    }
}
