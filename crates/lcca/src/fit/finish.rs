//! From any weights to a model: one pass over the rows, and everything reported is measured from it.
//!
//! Both sides are whitened in their metric C + λI, WxᵀCxyWy = U·diag(d)·Vᵀ is rotated away, signs are fixed, and
//! correlations, residuals and loadings follow from the four products.

use super::{Fit, Model, Problem, TraceRow, View};
use crate::data::{Ask, Normal, Pair, Side};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::metric;
use crate::panels;
use crate::whiten::whiten;
use faer::MatRef;

/// One view's weights and all products with them.
struct Measured {
    w: Panel,
    /// C·W
    cw: Panel,
    /// (C + λI)·W
    bw: Panel,
    /// (other view)ᵀ(this view)·W
    across: Panel,
}

pub(super) fn finish(
    problem: &Problem<'_>,
    weights: [Panel; 2],
    trace: Vec<TraceRow>,
    means: Option<[Vec<f64>; 2]>,
) -> Result<Fit> {
    let settings = problem.settings;
    let [mut x, mut y] = measure(problem, weights)?;
    let objective = rotate(&mut x, &mut y, settings.k)?;
    fix_signs(&mut x, &mut y);
    let pairs = objective.len();
    let residuals = residuals(problem, &x, &y, &objective)?;
    let (x_gram, y_gram) = (panels::symmetric_cross(&x.w, &x.cw), panels::symmetric_cross(&y.w, &y.cw));
    let cross = panels::cross(&x.w, &y.across);
    let total = metric::subspace_correlations(x_gram.as_ref(), y_gram.as_ref(), cross.as_ref()).iter().sum();
    let [x_mean, y_mean] = means.map_or([None, None], |means| means.map(Some));
    let model = Model {
        correlations: metric::pair_correlations(x_gram.as_ref(), y_gram.as_ref(), cross.as_ref()),
        x: View { loadings: loadings(problem.normals[0], &x, x_gram.as_ref())?, weights: x.w, mean: x_mean },
        y: View { loadings: loadings(problem.normals[1], &y, y_gram.as_ref())?, weights: y.w, mean: y_mean },
        objective,
        residuals,
        total,
        rows: problem.pair.shape().rows as u64,
        settings: settings.clone(),
    };
    let converged = pairs > 0 && model.residuals.iter().all(|&r| r <= settings.tol);
    let notes = notes(pairs, settings.k);
    Ok(Fit { model, trace, cost: problem.pair.cost(), converged, notes })
}

fn notes(pairs: usize, k: usize) -> Vec<String> {
    if pairs == k {
        return Vec::new();
    }
    vec![format!(
        "{pairs} of the {k} pairs asked for exist: the views have no more independent directions that correlate"
    )]
}

/// All four products, in one pass, and each side whitened.
fn measure(problem: &Problem<'_>, [wx, wy]: [Panel; 2]) -> Result<[Measured; 2]> {
    let shape = problem.pair.shape();
    let zeros = |side: Side, w: &Panel| Panel::zeros(shape.cols(side), w.cols());
    let (mut xx, mut yx) = (zeros(Side::X, &wx), zeros(Side::Y, &wx));
    let (mut xy, mut yy) = (zeros(Side::X, &wy), zeros(Side::Y, &wy));
    let ask = Ask::new().source(Side::X, &wx).to(Side::X, &mut xx).to(Side::Y, &mut yx);
    problem.pair.pass(&mut ask.source(Side::Y, &wy).to(Side::X, &mut xy).to(Side::Y, &mut yy))?;
    let side = |normal: Normal<'_>, mut w: Panel, mut cw: Panel, mut across: Panel| {
        let mut bw = cw.clone();
        panels::add_scaled(&mut bw, normal.ridge, &w);
        whiten(&mut w, &mut [&mut bw, &mut cw, &mut across]);
        Measured { w, cw, bw, across }
    };
    Ok([side(problem.normals[0], wx, xx, yx), side(problem.normals[1], wy, yy, xy)])
}

/// Turns both sides so that WxᵀCxyWy is diagonal, and keeps the k largest; returns them.
fn rotate(x: &mut Measured, y: &mut Measured, k: usize) -> Result<Vec<f64>> {
    let cross = panels::cross(&x.w, &y.across);
    let svd = cross.thin_svd().map_err(|_| Error::Factorization("WxᵀXᵀYWy"))?;
    let k = k.min(svd.S().dim());
    turn(x, svd.U().subcols(0, k));
    turn(y, svd.V().subcols(0, k));
    Ok((0..k).map(|i| svd.S()[i].min(1.0)).collect())
}

fn turn(side: &mut Measured, by: MatRef<'_, f64>) {
    for panel in [&mut side.w, &mut side.cw, &mut side.bw, &mut side.across] {
        *panel = panels::times(panel, by);
    }
}

/// The sign rule: in every column of Wx the entry of largest size, the first of several, is positive.
fn fix_signs(x: &mut Measured, y: &mut Measured) {
    let signs: Vec<f64> = (0..x.w.cols()).map(|j| sign_of_largest(&x.w, j)).collect();
    for panel in [x, y].into_iter().flat_map(|s| [&mut s.w, &mut s.cw, &mut s.bw, &mut s.across]) {
        (0..panel.rows()).for_each(|i| panel.row_mut(i).iter_mut().zip(&signs).for_each(|(v, s)| *v *= s));
    }
}

fn sign_of_largest(w: &Panel, j: usize) -> f64 {
    let largest =
        (0..w.rows()).map(|i| w.row(i)[j]).fold(0.0f64, |a, b| if b.abs() > a.abs() { b } else { a });
    if largest < 0.0 { -1.0 } else { 1.0 }
}

/// For each pair the size of (Cxy·wy − d·Bx·wx, Cyx·wx − d·By·wy), B = C + λI, in the norm of diag(B)⁻¹.
fn residuals(problem: &Problem<'_>, x: &Measured, y: &Measured, objective: &[f64]) -> Result<Vec<f64>> {
    let back: Vec<f64> = objective.iter().map(|d| -d).collect();
    let square = |normal: Normal<'_>, mut across: Panel, bw: &Panel| -> Result<Vec<f64>> {
        panels::add_columns_scaled(&mut across, &back, bw);
        let diagonal = normal.diagonal()?;
        let inverse = |i: usize| if diagonal[i] > 0.0 { diagonal[i].recip() } else { 0.0 };
        Ok(panels::weighted_column_dots(&across, &across, inverse))
    };
    let x_square = square(problem.normals[0], y.across.clone(), &x.bw)?;
    let y_square = square(problem.normals[1], x.across.clone(), &y.bw)?;
    Ok(x_square.iter().zip(&y_square).map(|(a, b)| (a + b).sqrt()).collect())
}

/// The correlation of column j with canonical variable i: (C·w)ⱼᵢ / (√Cⱼⱼ·√(wᵢᵀC·wᵢ)).
fn loadings(normal: Normal<'_>, side: &Measured, gram: MatRef<'_, f64>) -> Result<Panel> {
    let square = &normal.pair.moments(normal.side)?.square;
    let inverse = |v: f64| if v > 0.0 { v.sqrt().recip() } else { 0.0 };
    let scale: Vec<f64> = (0..side.w.cols()).map(|i| inverse(gram[(i, i)])).collect();
    let entry = |j: usize, i: usize| (side.cw.row(j)[i] * inverse(square[j]) * scale[i]).clamp(-1.0, 1.0);
    Ok(Panel::from_fn(side.w.rows(), side.w.cols(), entry))
}
