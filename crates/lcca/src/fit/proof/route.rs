//! Chooses how a claim would be proven, and counts the cost before anything is factorized.

use super::sparse;
use crate::data::{Pair, Side};
use crate::error::Result;
use crate::fit::pairs::problem::Problem;
use crate::solve::{Indefinite, Plan, shifted};

/// The operations of analyzing a pattern, per entry of the lower triangle; 4e4 to 8e4 were measured for 4
/// to 16 million entries.
const ANALYSIS: f64 = 6e4;
/// Unasked, a pattern is analyzed only if that takes at most this share of the operations that a proof may
/// take, because the analysis may be in vain.
const SHARE_IN_VAIN: f64 = 1.0 / 12.0;
/// The number of dense matrices that are held: the Gram matrix, and another thread's while it is formed.
const MATRICES: u64 = 2;

/// The factorizations that an unasked proof on a device takes, because a claim within the tolerance is
/// refuted first as a rule. Fits of 20 pairs to paths took 2 and to sentences 5.
const ATTEMPTS: f64 = 4.0;

/// How a claim would be proven.
pub(in crate::fit) enum Route {
    /// By a Cholesky factorization of the dense matrix on the host.
    Dense,
    /// By the same on the device that holds the Gram matrices.
    InSpace,
    /// By a sparse factorization.
    Sparse(Box<Plan>),
    /// Not at all: the cheapest proof would take `operations`, or too much memory.
    TooCostly { operations: f64 },
}

impl Route {
    /// A route of at most `most` operations of the host, and no more memory than is allowed: the sparse one
    /// if there is one, because its factor also sharpens pairs that are too far from the true ones for a
    /// proof. A device is asked first, for as many columns as it has memory for, which takes it seconds.
    pub fn asked(problem: &Problem<'_>, most: f64) -> Result<Self> {
        if fits_in_space(problem) {
            return Ok(Route::InSpace);
        }
        Route::choose(problem, most, most, f64::INFINITY)
    }

    /// The cheapest route of at most `most` operations for a proof that the user has not asked for. On a
    /// device all attempts together may also take as long as the iterations did, which took `spent`
    /// operations.
    pub fn unasked(problem: &Problem<'_>, most: f64, spent: f64) -> Result<Self> {
        if fits_in_space(problem) {
            let operations = dense_operations(problem);
            let allowed = most.max(problem.space.factor_speed() * spent / ATTEMPTS);
            let is_cheap = operations <= allowed;
            return Ok(if is_cheap { Route::InSpace } else { Route::TooCostly { operations } });
        }
        Route::choose(problem, most, SHARE_IN_VAIN * most, dense_operations(problem))
    }

    pub fn is_too_costly(&self) -> bool {
        matches!(self, Route::TooCostly { .. })
    }

    /// The operations of one attempt, as many as the host makes in the same time.
    pub fn operations(&self, problem: &Problem<'_>) -> f64 {
        match self {
            Route::Dense => dense_operations(problem),
            Route::InSpace => dense_operations(problem) / problem.space.factor_speed(),
            Route::Sparse(plan) => sparse::operations(problem, plan),
            Route::TooCostly { operations } => *operations,
        }
    }

    /// The sparse way if it takes fewer operations than `rival` and its analysis no more than `most_in_vain`;
    /// otherwise the dense one.
    fn choose(problem: &Problem<'_>, most: f64, most_in_vain: f64, rival: f64) -> Result<Self> {
        let mut operations = dense_operations(problem);
        let dense = operations <= most && dense_fits(problem);
        if let Some(plan) = plan(problem, rival.min(most_in_vain))? {
            let price = analysis(problem) + sparse::operations(problem, &plan);
            let fits = bytes(problem, &plan) <= problem.settings.memory;
            // Without a ridge columns may depend on others, and only the dense proof can leave them out.
            let is_better = price < rival && problem.ridges().iter().all(|&ridge| ridge > 0.0);
            if fits && price <= most && (is_better || !dense) {
                return Ok(Route::Sparse(Box::new(plan)));
            }
            operations = operations.min(price);
        }
        Ok(if dense { Route::Dense } else { Route::TooCostly { operations } })
    }
}

/// Whether the dense factorization takes at most `most` operations, and no more memory than is allowed.
pub(in crate::fit) fn is_affordable(problem: &Problem<'_>, most: f64) -> bool {
    dense_operations(problem) <= most && (fits_in_space(problem) || dense_fits(problem))
}

/// Whether the space of the panels has memory for the dense factorization, and holds the Gram matrices that
/// it takes.
fn fits_in_space(problem: &Problem<'_>) -> bool {
    let shape = problem.pair.shape();
    problem.joint.is_some() && shape.x_cols + shape.y_cols <= problem.space.most_inverted(problem.pair)
}

/// The operations of the dense factorization.
fn dense_operations(problem: &Problem<'_>) -> f64 {
    let shape = problem.pair.shape();
    ((shape.x_cols + shape.y_cols) as f64).powi(3) / 3.0
}

fn dense_fits(problem: &Problem<'_>) -> bool {
    let shape = problem.pair.shape();
    let width = (shape.x_cols + shape.y_cols) as u64;
    8 * MATRICES * width * width <= problem.settings.memory && problem.pair.capabilities().grams.is_some()
}

/// The order of elimination of σ·B − A, if it is sparse and finding one takes at most `most` operations.
fn plan(problem: &Problem<'_>, most: f64) -> Result<Option<Plan>> {
    // The effects of covariates are not sparse.
    let Some(joint) = problem.joint.filter(|_| problem.along.is_none() && problem.settings.is_cca()) else {
        return Ok(None);
    };
    if analysis(problem) > most {
        return Ok(None);
    }
    joint.bring()?;
    Ok(Some(Plan::in_supernodes(&shifted(joint, problem.ridges()))?))
}

/// The number of entries of the lower triangle of the joint Gram matrix.
fn entries(problem: &Problem<'_>) -> f64 {
    problem.joint.map_or(0.0, |joint| joint.entries() as f64) / 2.0
}

/// The operations of analyzing the pattern of the joint Gram matrix.
fn analysis(problem: &Problem<'_>) -> f64 {
    analysis_of(2.0 * entries(problem))
}

/// The operations of analyzing a joint Gram matrix of `entries` entries, all four blocks together.
pub(in crate::fit) fn analysis_of(entries: f64) -> f64 {
    ANALYSIS * entries / 2.0
}

/// The bytes of a sparse proof: the matrix, a copy with another diagonal, the factors and some panels.
fn bytes(problem: &Problem<'_>, plan: &Plan) -> u64 {
    let shape = problem.pair.shape();
    let columns = (shape.cols(Side::X) + shape.cols(Side::Y)) as u64;
    let panels = 8 * columns * (sparse::SOLVES * (problem.settings.k as u64 + 2));
    Indefinite::bytes(plan) + 32 * entries(problem) as u64 + panels
}
