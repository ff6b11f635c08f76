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
use crate::whiten::{inverse_root, safe_whitener};
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// Totals that differ by less than this share are the same but for rounding.
const ROUNDING: f64 = 1e-12;

pub(super) fn finish(problem: &Problem<'_>, raw: RawFit, plan: &Plan) -> Result<Fit> {
    let settings = problem.settings;
    let RawFit { weights, trace, end, decisions, products } = raw;
    let [mut x, mut y] = match products {
        Some(known) => known,
        None => ViewBlock::measure_both(problem.normals, weights)?,
    };
    let objective = best_pairs(&mut x, &mut y, settings.k)?;
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

/// Turns both sides so that Wᵀ(C + λI)W = I and WxᵀCxyWy is diagonal, and keeps the k largest; returns them.
fn best_pairs(x: &mut ViewBlock, y: &mut ViewBlock, k: usize) -> Result<Vec<f64>> {
    let whiteners = [&*x, &*y].map(|view| safe_whitener(panels::symmetric_cross(&view.w, &view.bw).as_ref()));
    let [hx, hy] = match whiteners {
        // As a rule the two turns are small matrices that can be multiplied before they meet tall ones.
        [Ok(Some(hx)), Ok(Some(hy))] => [hx, hy],
        _ => {
            x.whiten()?;
            y.whiten()?;
            [&*x, &*y].map(|view| Mat::identity(view.w.cols(), view.w.cols()))
        }
    };
    let cross = hx.transpose() * panels::cross(&x.w, &y.across) * &hy;
    let svd = cross.thin_svd().map_err(|_| Error::Factorization("WxᵀXᵀYWy"))?;
    let k = k.min(svd.S().dim());
    x.turn((hx * svd.U().subcols(0, k)).as_ref());
    y.turn((hy * svd.V().subcols(0, k)).as_ref());
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
    let mut loadings = Panel::zeros(block.w.rows(), block.w.cols());
    let stride = loadings.lines_per_row().max(1);
    let rows = loadings.lines_mut().par_chunks_mut(stride).enumerate().with_min_len(1024);
    rows.for_each(|(j, lines)| {
        let row: &mut [f64] = bytemuck::cast_slice_mut(lines);
        let of_column = inverse_root(square[j]);
        let products = block.bw.row(j).iter().zip(block.w.row(j)).zip(&scale);
        for (loading, ((bw, w), scale)) in row.iter_mut().zip(products) {
            *loading = ((bw - normal.ridge * w) * of_column * scale).clamp(-1.0, 1.0);
        }
    });
    Ok(loadings)
}
