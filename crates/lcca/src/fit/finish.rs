//! From any weights to a model: one pass over the rows, and everything reported is measured from it.
//!
//! Both sides are whitened in their metric C + λI, WxᵀCxyWy = U·diag(d)·Vᵀ is rotated away, signs are fixed, and
//! correlations, residuals and loadings follow from the four products. A method that already knows the products as
//! exactly as a pass would tell them saves the pass.

use super::fitted::Fit;
use super::model::{Model, View};
use super::plan::Plan;
use super::problem::{End, Problem, RawFit};
use super::regress::Regressions;
use super::view_block::{ViewBlock, residuals, sizes, small_products};
use crate::data::{Normal, Pair};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::metric;
use crate::outcome::Note;
use crate::panels;
use crate::whiten::inverse_root;
use faer::MatRef;

/// Totals that differ by less than this share are the same but for rounding.
const ROUNDING: f64 = 1e-12;

pub(super) fn finish(problem: &Problem<'_>, raw: RawFit, plan: &Plan) -> Result<Fit> {
    let settings = problem.settings;
    let RawFit { weights, trace, end, decisions, products } = raw;
    let [mut x, mut y] = match products {
        Some(known) => known,
        None => ViewBlock::measure_both(problem.normals, weights)?,
    };
    x.whiten()?;
    y.whiten()?;
    let objective = rotate(&mut x, &mut y, settings.k)?;
    fix_signs(&mut x, &mut y);
    let residuals = sizes(residuals(&x, &y, &objective).each_ref(), &problem.inverse_diagonals()?);
    let [x_gram, y_gram, cross] = small_products(problem.ridges(), &x, &y);
    let (x_gram, y_gram, cross) = (x_gram.as_ref(), y_gram.as_ref(), cross.as_ref());
    let sum: f64 = objective.iter().sum();
    let is_sure = end.as_ref().is_none_or(|end| end.is_sure);
    let missing = match end {
        // What an iteration believed to have and what is measured differ by its own errors.
        Some(End { missing: Some(missing), total, .. }) => missing.max((total - sum).abs() - ROUNDING * sum),
        _ => residuals.iter().sum(),
    };
    let converged = !objective.is_empty() && is_sure && missing <= settings.tol * sum;
    let mut notes = Vec::new();
    if objective.len() < settings.k {
        notes.push(Note::FewerPairs { pairs: objective.len() as u64, requested: settings.k as u64 });
    }
    let regressions = Regressions::new(&x, &y, [x_gram, y_gram], problem.ridges())?;
    let [x_mean, y_mean] = problem.means.map_or([None, None], |means| means.clone().map(Some));
    let (x_loadings, y_loadings) =
        (loadings(problem.normals[0], &x, x_gram)?, loadings(problem.normals[1], &y, y_gram)?);
    let model = Model {
        correlations: metric::pair_correlations(x_gram, y_gram, cross),
        x: View::new(x.w, x_loadings, x_mean),
        y: View::new(y.w, y_loadings, y_mean),
        objective,
        residuals,
        // The sum of no numbers is −0, which nobody should see.
        total: metric::subspace_correlations(x_gram, y_gram, cross)?.iter().sum::<f64>() + 0.0,
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
        // Of nothing, nothing is missing, and otherwise everything is.
        missing: if missing == 0.0 { 0.0 } else { missing / sum },
        notes,
        held_out: None,
        certificate: None,
        regressions,
    })
}

/// Turns both sides so that WxᵀCxyWy is diagonal, and keeps the k largest; returns them.
fn rotate(x: &mut ViewBlock, y: &mut ViewBlock, k: usize) -> Result<Vec<f64>> {
    let cross = panels::cross(&x.w, &y.across);
    let svd = cross.thin_svd().map_err(|_| Error::Factorization("WxᵀXᵀYWy"))?;
    let k = k.min(svd.S().dim());
    x.turn(svd.U().subcols(0, k));
    y.turn(svd.V().subcols(0, k));
    Ok((0..k).map(|i| svd.S()[i].min(1.0)).collect())
}

/// The sign rule: in every column of Wx the entry of largest size, the first of several, is positive.
fn fix_signs(x: &mut ViewBlock, y: &mut ViewBlock) {
    let signs = signs_of_largest(&x.w);
    for panel in [x, y].into_iter().flat_map(|view| [&mut view.w, &mut view.bw, &mut view.across]) {
        flip(panel, &signs);
    }
}

/// Multiplies each column by its sign.
pub(super) fn flip(panel: &mut Panel, signs: &[f64]) {
    (0..panel.rows()).for_each(|i| panel.row_mut(i).iter_mut().zip(signs).for_each(|(v, s)| *v *= s));
}

/// The sign of the largest entry of each column.
pub(super) fn signs_of_largest(w: &Panel) -> Vec<f64> {
    let mut largest = vec![0.0f64; w.cols()];
    for i in 0..w.rows() {
        for (largest, &value) in largest.iter_mut().zip(w.row(i)) {
            *largest = if value.abs() > largest.abs() { value } else { *largest };
        }
    }
    largest.iter().map(|&value| if value < 0.0 { -1.0 } else { 1.0 }).collect()
}

/// The correlation of column j with canonical variable i: (C·w)ⱼᵢ / (√Cⱼⱼ·√(wᵢᵀC·wᵢ)).
fn loadings(normal: Normal<'_>, block: &ViewBlock, gram: MatRef<'_, f64>) -> Result<Panel> {
    let square = &normal.pair.moments(normal.side)?.square;
    let scale: Vec<f64> = (0..block.w.cols()).map(|i| inverse_root(gram[(i, i)])).collect();
    let entry = |j: usize, i: usize| {
        let product = block.bw.row(j)[i] - normal.ridge * block.w.row(j)[i];
        (product * inverse_root(square[j]) * scale[i]).clamp(-1.0, 1.0)
    };
    Ok(Panel::from_fn(block.w.rows(), block.w.cols(), entry))
}
