//! From any weights to a model: one pass over the rows, and everything reported is measured from it.
//!
//! Both sides are whitened in their metric B, WxᵀCxyWy = U·diag(d)·Vᵀ is rotated away, signs are fixed, and
//! correlations, residuals and loadings follow from the four products. A method that already knows the products as
//! exactly as a pass would tell them saves the pass.

use super::best_pairs::BestPairs;
use super::fitted::Fit;
use super::model::{Model, View};
use super::plan::Plan;
use super::problem::{End, Problem, RawFit};
use super::regress::Regressions;
use super::ties;
use super::view_block::{Products, ViewBlock, residuals, sizes};
use crate::data::{Normal, Pair};
use crate::error::Result;
use crate::matrix::Panel;
use crate::metric;
use crate::outcome::Note;
use crate::panels;
use crate::whiten::inverse_root;
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// Totals that differ by less than this share are the same but for rounding.
const ROUNDING: f64 = 1e-12;

/// Rounding alone leaves a variance of this size when a ridge is taken out of WᵀBW = I.
const NO_VARIANCE: f64 = 1e-12;
/// Unless its objective is above this: a variance is at least the square of the objective.
const NO_OBJECTIVE: f64 = 3e-8;

pub(super) fn finish(problem: &Problem<'_>, raw: RawFit, plan: &Plan) -> Result<Fit> {
    let settings = problem.settings;
    let RawFit { weights, trace, end, decisions, products } = raw;
    let BestPairs { mut x, mut y, mut objective } = match products {
        Some(Products { views: [x, y], objective: Some(objective) }) => BestPairs { x, y, objective },
        Some(Products { views, objective: None }) => {
            BestPairs::new(views, settings.k, problem.largest_objective())?
        }
        None => BestPairs::of_weights(problem, weights, settings.k)?,
    };
    if settings.is_cca() {
        ties::settle(&mut x, &mut y, &objective, problem.normals[0])?;
    }
    fix_signs(&mut x, &mut y);
    let mut residuals = sizes(residuals(&x, &y, &objective).each_ref(), &problem.inverse_diagonals()?);
    let [x_cw, y_cw] =
        [without_ridge(problem.normals[0], &mut x)?, without_ridge(problem.normals[1], &mut y)?];
    let [x_gram, y_gram] = [(&x, &x_cw, problem.normals[0]), (&y, &y_cw, problem.normals[1])]
        .map(|(view, cw, normal)| variances(view, cw, &objective, normal));
    let cross = panels::cross(&x.w, &y.across);
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
    let [x_mean, y_mean] = problem.means.map_or([None, None], |means| means.clone().map(Some));
    let (x_loadings, y_loadings) =
        (loadings(problem.normals[0], &x_cw, x_gram)?, loadings(problem.normals[1], &y_cw, y_gram)?);
    let across = std::mem::replace(&mut x.across, Panel::zeros(0, 0));
    let mut regressions = Regressions::new([x_cw, y_cw], across, [x_gram, y_gram])?;
    let (correlations, total) = (
        metric::pair_correlations(x_gram, y_gram, cross),
        // The sum of no numbers is −0, which nobody should see.
        metric::subspace_correlations(x_gram, y_gram, cross)?.iter().sum::<f64>() + 0.0,
    );
    // Of nothing, nothing is missing, and otherwise everything is.
    let missing = if missing == 0.0 { 0.0 } else { missing / sum };
    to_unit_length(problem, [&mut x, &mut y], &mut regressions);
    objective.iter_mut().chain(&mut residuals).for_each(|value| *value *= problem.unit());
    let model = Model {
        correlations,
        x: View::new(x.w, x_loadings, x_mean),
        y: View::new(y.w, y_loadings, y_mean),
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
        regressions,
    })
}

/// Makes C·W of B·W, which is no longer needed. If B is a multiple of I, it takes another pass.
fn without_ridge(normal: Normal<'_>, block: &mut ViewBlock) -> Result<Panel> {
    let mut product = std::mem::replace(&mut block.bw, Panel::zeros(0, 0));
    if normal.is_identity {
        Normal::absolute(normal.pair, normal.side, 0.0).apply(&block.w, &mut product)?;
    } else {
        panels::add_scaled(&mut product, -normal.ridge, &block.w);
    }
    Ok(product)
}

/// WᵀCW. Variables whose variance is nothing but rounding have none.
fn variances(block: &ViewBlock, cw: &Panel, objective: &[f64], normal: Normal<'_>) -> Mat<f64> {
    let mut gram = panels::symmetric_cross(&block.w, cw);
    let is_taken_out = normal.ridge > 0.0 && !normal.is_identity;
    for i in (0..gram.nrows()).filter(|_| is_taken_out) {
        if gram[(i, i)] <= NO_VARIANCE && objective[i] <= NO_OBJECTIVE {
            gram.row_mut(i).fill(0.0);
            gram.col_mut(i).fill(0.0);
        }
    }
    gram
}

/// If B is a multiple of I, weights get the length 1 instead of 1/√B, and regressions follow.
fn to_unit_length(problem: &Problem<'_>, views: [&mut ViewBlock; 2], regressions: &mut Regressions) {
    let roots = problem.normals.map(|normal| if normal.is_identity { normal.ridge.sqrt() } else { 1.0 });
    let [x, y] = views;
    let panels = [
        (roots[0], &mut x.w),
        (roots[1], &mut y.w),
        (roots[0].recip(), &mut regressions.x),
        (roots[1].recip(), &mut regressions.y),
        (roots[0].recip(), &mut regressions.y_on_x),
    ];
    for (factor, panel) in panels.into_iter().filter(|(factor, _)| *factor != 1.0) {
        panel.lines_mut().iter_mut().for_each(|line| line.0.iter_mut().for_each(|value| *value *= factor));
    }
}

/// The sign rule: in every column of Wx the entry of largest size, the first of several, is positive.
fn fix_signs(x: &mut ViewBlock, y: &mut ViewBlock) {
    let signs = signs_of_largest(&x.w);
    for panel in [x, y].into_iter().flat_map(|view| [&mut view.w, &mut view.bw, &mut view.across]) {
        panels::scale_columns(panel, &signs);
    }
}

/// The sign of the largest entry of each column.
pub(super) fn signs_of_largest(w: &Panel) -> Vec<f64> {
    panels::largest_entries(w).into_iter().map(|value| if value < 0.0 { -1.0 } else { 1.0 }).collect()
}

/// The correlation of column j with canonical variable i: (C·w)ⱼᵢ / (√Cⱼⱼ·√(wᵢᵀC·wᵢ)).
fn loadings(normal: Normal<'_>, cw: &Panel, gram: MatRef<'_, f64>) -> Result<Panel> {
    let square = &normal.pair.moments(normal.side)?.square;
    let scale: Vec<f64> = (0..cw.cols()).map(|i| inverse_root(gram[(i, i)])).collect();
    let mut loadings = Panel::zeros(cw.rows(), cw.cols());
    let stride = loadings.lines_per_row().max(1);
    let rows = loadings.lines_mut().par_chunks_mut(stride).enumerate().with_min_len(1024);
    rows.for_each(|(j, lines)| {
        let row: &mut [f64] = bytemuck::cast_slice_mut(lines);
        let of_column = inverse_root(square[j]);
        for ((loading, product), scale) in row.iter_mut().zip(cw.row(j)).zip(&scale) {
            *loading = (product * of_column * scale).clamp(-1.0, 1.0);
        }
    });
    Ok(loadings)
}
