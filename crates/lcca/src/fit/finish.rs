//! From any weights to a model: one pass over the rows, and everything reported is measured from it.
//!
//! Both sides are whitened in their metric B, WxᵀCxyWy = U·diag(d)·Vᵀ is rotated away (`best_pairs`), and
//! signs, residuals, loadings and correlations follow from the four products (`figures`, on another device
//! `figures_elsewhere`). A method that already knows the products as exactly as a pass would tell them saves
//! the pass.

use super::models::fitted::Fit;
use super::models::model::{Model, View};
use super::models::regress::Regressions;
use super::pairs::best_pairs::BestPairs;
use super::pairs::figures::figures;
use super::pairs::problem::{End, Problem, RawFit};
use super::pairs::products::{Figures, Products};
use super::plan::Plan;
use crate::data::Pair;
use crate::error::Result;
use crate::matrix::Panel;
use crate::metric;
use crate::outcome::Note;
use faer::Mat;

/// Totals that differ by less than this share are the same but for rounding.
const ROUNDING: f64 = 1e-12;

pub(super) fn finish(problem: &Problem<'_>, raw: RawFit, plan: &Plan) -> Result<Fit> {
    let settings = problem.settings;
    let RawFit { weights, trace, end, decisions, products, ranks } = raw;
    let figures = match products {
        Some(Products::Figures(figures)) => *figures,
        Some(Products::Views(views)) => {
            figures(problem, BestPairs::new(*views, settings.k, problem.largest_objective())?)?
        }
        None => figures(problem, BestPairs::of_weights(problem, weights, settings.k)?)?,
    };
    let Figures { mut weights, loadings, mut regressions, mut objective, mut residuals, grams, cross } =
        figures;
    let [x_gram, y_gram] = grams.each_ref().map(Mat::as_ref);
    let cross = cross.as_ref();
    let sum: f64 = objective.iter().sum();
    let is_sure = end.as_ref().is_none_or(|end| end.is_sure);
    let missing = match end {
        // The total that an iteration believed to have differs from the measured one by the iteration's own
        // errors.
        Some(End { missing: Some(missing), total, .. }) => missing.max((total - sum).abs() - ROUNDING * sum),
        _ => residuals.iter().sum(),
    };
    let converged = !objective.is_empty() && is_sure && missing <= settings.tol * sum;
    let mut notes = Vec::new();
    if objective.len() < settings.k {
        notes.push(Note::FewerPairs { pairs: objective.len() as u64, requested: settings.k as u64 });
    }
    let [x_mean, y_mean] = problem.means.map_or([None, None], |means| means.clone().map(Some));
    let (correlations, total) = (
        metric::pair_correlations(x_gram, y_gram, cross),
        // The sum of no numbers is −0, which would look odd in a report.
        metric::subspace_correlations(x_gram, y_gram, cross)?.iter().sum::<f64>() + 0.0,
    );
    // If nothing was found, the share is 0 if nothing is missing either, and infinite otherwise.
    let missing = if missing == 0.0 { 0.0 } else { missing / sum };
    to_units_of_variables(problem, &mut weights, &mut regressions)?;
    objective.iter_mut().chain(&mut residuals).for_each(|value| *value *= problem.unit());
    let ([x, y], [x_loadings, y_loadings]) = (weights, loadings);
    let model = Model {
        correlations,
        x: View::new(x, x_loadings, x_mean),
        y: View::new(y, y_loadings, y_mean),
        objective,
        residuals,
        total,
        rows: problem.pair.shape().rows as u64,
        settings: settings.clone(),
    };
    Ok(Fit {
        model,
        chosen: plan.method,
        decisions: plan.decisions.iter().cloned().chain(decisions).collect(),
        trace,
        cost: problem.pair.cost(),
        converged,
        missing,
        notes,
        held_out: None,
        certificate: None,
        ranks: ranks.map(|ranks| ranks.map(|rank| rank as u64)),
        regressions,
    })
}

/// Weights with wᵀBw = 1 get the lengths that the settings ask for, and regressions follow. If B is a
/// multiple of I, weights get the length 1.
fn to_units_of_variables(
    problem: &Problem<'_>,
    [x, y]: &mut [Panel; 2],
    regressions: &mut Regressions,
) -> Result<()> {
    let mut roots = [1.0; 2];
    for (root, normal) in roots.iter_mut().zip(problem.normals) {
        let weight = problem.pair.moments(normal.side)?.weight;
        let unit = problem.settings.unit_of_variables(normal.side, weight);
        *root = if normal.is_identity { normal.ridge.sqrt() } else { unit };
    }
    let panels = [
        (roots[0], x),
        (roots[1], y),
        (roots[0].recip(), &mut regressions.x),
        (roots[1].recip(), &mut regressions.y),
        (roots[0].recip(), &mut regressions.y_on_x),
    ];
    for (factor, panel) in panels.into_iter().filter(|(factor, _)| *factor != 1.0) {
        panel.lines_mut().iter_mut().for_each(|line| line.0.iter_mut().for_each(|value| *value *= factor));
    }
    Ok(())
}
