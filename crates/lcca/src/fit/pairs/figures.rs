//! The figures that a model reports of the best pairs: signs, residuals, loadings and regressions, measured
//! from their products on the host.

use super::best_pairs::BestPairs;
use super::problem::Problem;
use super::products::Figures;
use super::ties;
use super::view_block::{ViewBlock, residuals, sizes};
use crate::data::Normal;
use crate::error::Result;
use crate::fit::models::regress::Regressions;
use crate::matrix::Panel;
use crate::panels;
use crate::whiten::inverse_root;
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// Rounding alone leaves a variance of this size when a ridge is taken out of WᵀBW = I.
const NO_VARIANCE: f64 = 1e-12;
/// A pair with an objective above this has a variance, because that is at least the square of the
/// objective.
const NO_OBJECTIVE: f64 = 3e-8;

/// The figures of the best pairs. Pairs with equal values are put in order first.
pub(in crate::fit) fn figures(problem: &Problem<'_>, best: BestPairs) -> Result<Figures> {
    let BestPairs { mut x, mut y, objective } = best;
    let normals = problem.normals;
    if problem.settings.is_cca() {
        ties::settle(&mut x, &mut y, &objective, normals[0])?;
    }
    fix_signs(&mut x, &mut y);
    let residuals = sizes(residuals(&x, &y, &objective).each_ref(), &problem.inverse_diagonals()?);
    let [x_cw, y_cw] = [without_ridge(normals[0], &mut x)?, without_ridge(normals[1], &mut y)?];
    let variances = |view: &ViewBlock, cw: &Panel, normal: Normal<'_>| {
        without_rounding(panels::symmetric_cross(&view.w, cw), &objective, normal)
    };
    let grams = [variances(&x, &x_cw, normals[0]), variances(&y, &y_cw, normals[1])];
    let of_grams = grams.each_ref().map(Mat::as_ref);
    let cross = panels::cross(&x.w, &y.across);
    let loadings = [loadings(normals[0], &x_cw, of_grams[0])?, loadings(normals[1], &y_cw, of_grams[1])?];
    let regressions = Regressions::new([x_cw, y_cw], x.across, of_grams)?;
    Ok(Figures { weights: [x.w, y.w], loadings, regressions, objective, residuals, grams, cross })
}

/// Turns B·W, which is no longer needed, into C·W. If B is a multiple of I, this takes another pass.
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
pub(in crate::fit) fn without_rounding(
    mut gram: Mat<f64>,
    objective: &[f64],
    normal: Normal<'_>,
) -> Mat<f64> {
    let is_taken_out = normal.ridge > 0.0 && !normal.is_identity;
    for i in (0..gram.nrows()).filter(|_| is_taken_out) {
        if gram[(i, i)] <= NO_VARIANCE && objective[i] <= NO_OBJECTIVE {
            gram.row_mut(i).fill(0.0);
            gram.col_mut(i).fill(0.0);
        }
    }
    gram
}

/// The sign rule: in every column of Wx the entry of largest size, the first of several, is positive.
fn fix_signs(x: &mut ViewBlock, y: &mut ViewBlock) {
    let signs = signs_of_largest(&x.w);
    for panel in [x, y].into_iter().flat_map(|view| [&mut view.w, &mut view.bw, &mut view.across]) {
        panels::scale_columns(panel, &signs);
    }
}

/// The sign of the largest entry of each column.
pub(in crate::fit) fn signs_of_largest(w: &Panel) -> Vec<f64> {
    signs_of(panels::largest_entries(w))
}

/// The signs of some numbers.
pub(in crate::fit) fn signs_of(numbers: Vec<f64>) -> Vec<f64> {
    numbers.into_iter().map(|value| if value < 0.0 { -1.0 } else { 1.0 }).collect()
}

/// The correlation of column j with canonical variable i: (C·w)ⱼᵢ / (√Cⱼⱼ·√(wᵢᵀC·wᵢ)).
fn loadings(normal: Normal<'_>, cw: &Panel, gram: MatRef<'_, f64>) -> Result<Panel> {
    let square = &normal.pair.moments(normal.side)?.square;
    let scale: Vec<f64> = (0..cw.cols()).map(|i| inverse_root(gram[(i, i)])).collect();
    let of_columns: Vec<f64> = square.par_iter().map(|&square| inverse_root(square)).collect();
    let mut loadings = cw.clone();
    panels::scale_to_cosines(&mut loadings, &of_columns, &scale);
    Ok(loadings)
}
