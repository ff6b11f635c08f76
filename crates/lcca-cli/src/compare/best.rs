//! What every method is held against: the answer of the default method at a tight tolerance. One fit and one pass.

use super::contest::Plan;
use super::measure::{Measured, once};
use super::result::Best;
use crate::failure::Failure;
use lcca::data::{InMemory, Pair, Shape};
use lcca::fit::Fit;
use lcca::matrix::Panel;
use lcca::method::{Method, Settings};
use lcca::{metric, panels};

/// The default method at a tight tolerance, with one pair more where the data have one: what comes after the last pair tells
/// how well the subspace is determined.
pub fn best(pair: &InMemory, seen: &dyn Pair, plan: &Plan) -> Result<(Best, [Panel; 2]), Failure> {
    let k = plan.settings.k;
    let Shape { rows, x_cols, y_cols } = pair.shape();
    let settings = Settings {
        method: Method::Auto,
        k: (k + 1).min(rows).min(x_cols).min(y_cols),
        tol: plan.best_tol,
        max_passes: plan.best_passes,
        ..plan.settings.clone()
    };
    let Measured { fit, cpu_seconds, .. } = once(pair, &settings, "the best possible", plan.quiet)?;
    let truth = [&fit.model.x, &fit.model.y]
        .map(|view| panels::columns(&view.weights, 0, k.min(view.weights.cols())));
    let correlations = metric::captured(seen, &truth[0], &truth[1])?;
    let total = correlations.iter().sum();
    let objective = &fit.model.objective;
    let best = Best {
        label: label(&fit),
        correlations,
        total,
        last: objective[..k.min(objective.len())].last().copied().unwrap_or(0.0),
        next: objective.get(k).copied(),
        converged: fit.converged,
        missing: fit.missing,
        tol: plan.best_tol,
        chosen: fit.chosen,
        why: fit.why,
        cpu_seconds,
        passes: fit.cost.passes,
        gram_passes: fit.cost.gram_passes,
    };
    Ok((best, truth))
}

/// A ridge's answer is not the one that correlates most on the rows it was fitted to.
fn label(fit: &Fit) -> &'static str {
    let Settings { ridge_x, ridge_y, .. } = fit.model.settings;
    match (ridge_x > 0.0 || ridge_y > 0.0, fit.converged) {
        (false, true) => "best possible",
        (false, false) => "best found",
        (true, true) => "exact with ridge",
        (true, false) => "nearest to exact with ridge",
    }
}
