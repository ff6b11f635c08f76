//! The best possible result, which every method is compared with: the default method at a tight tolerance.
//! It costs one fit and one pass.

use super::measure::{Measured, measure_once};
use super::plan::Plan;
use super::result::Best;
use crate::failure::Failure;
use lcca::data::{InMemory, Pair, Shape};
use lcca::fit::Fit;
use lcca::matrix::Panel;
use lcca::method::{Method, Settings};
use lcca::{metric, panels};
use lcca_io::wording;

/// Fits one pair more than requested, if the data have one, because the gap after the last pair tells how
/// well the subspace is determined.
pub fn best(pair: &InMemory, data: &dyn Pair, plan: &Plan) -> Result<(Best, [Panel; 2]), Failure> {
    let k = plan.settings.k;
    let Shape { rows, x_cols, y_cols } = pair.shape();
    let mut settings = plan.settings.clone();
    settings.method = Method::auto();
    settings.k = (k + 1).min(rows).min(x_cols).min(y_cols);
    settings.tol = plan.best_tol;
    settings.max_passes = plan.best_passes;
    let Measured { fit, cpu_seconds, .. } = measure_once(pair, &settings, "the best possible", plan.quiet)?;
    let truth = [&fit.model.x, &fit.model.y]
        .map(|view| panels::columns(&view.weights, 0, k.min(view.weights.cols())));
    let correlations = metric::captured(data, &truth[0], &truth[1])?;
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
        why: wording::why(&fit.decisions),
        cpu_seconds,
        passes: fit.cost.passes,
        gram_passes: fit.cost.gram_passes,
    };
    Ok((best, truth))
}

/// The name of the result. With a ridge it is not called the best possible, because another result may
/// correlate more on the fitted rows.
fn label(fit: &Fit) -> &'static str {
    let Settings { ridge_x, ridge_y, .. } = fit.model.settings;
    match (ridge_x > 0.0 || ridge_y > 0.0, fit.converged) {
        (false, true) => "best possible",
        (false, false) => "best found",
        (true, true) => "exact with ridge",
        (true, false) => "nearest to exact with ridge",
    }
}
