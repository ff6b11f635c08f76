//! From any weights to a model: one pass over the rows (or what is as good), and everything reported is measured from it.
//!
//! Both sides are whitened in their metric C + λI, WxᵀCxyWy = U·diag(d)·Vᵀ is rotated away, signs are fixed, and
//! correlations, residuals and loadings follow from the four products.

use super::choose::Choice;
use super::half::{Half, residuals, sizes, small_products};
use super::{Fit, Found, Model, Problem, Regressions, View};
use crate::data::{Normal, Pair};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::metric;
use crate::panels;
use crate::whiten::inverse_root;
use faer::MatRef;

pub(super) fn finish(problem: &Problem<'_>, found: Found, choice: Choice) -> Result<Fit> {
    let settings = problem.settings;
    let [mut x, mut y] = match found.products {
        Some(known) => known,
        None => Half::measure_both(problem, found.weights)?,
    };
    x.whiten();
    y.whiten();
    let objective = rotate(&mut x, &mut y, settings.k)?;
    fix_signs(&mut x, &mut y);
    let residuals = sizes(residuals(&x, &y, &objective).each_ref(), &problem.inverse_diagonals()?);
    let [x_gram, y_gram, cross] = small_products(problem, &x, &y);
    let total = metric::subspace_correlations(x_gram.as_ref(), y_gram.as_ref(), cross.as_ref()).iter().sum();
    let missing = found.missing.unwrap_or_else(|| residuals.iter().sum());
    let converged = !objective.is_empty() && missing <= settings.tol * objective.iter().sum::<f64>();
    let notes = notes(objective.len(), settings.k);
    let [x_mean, y_mean] = problem.means.map_or([None, None], |means| means.clone().map(Some));
    let ridges = problem.normals.map(|normal| normal.ridge);
    let regressions = Regressions::new(&x, &y, [x_gram.as_ref(), y_gram.as_ref()], ridges);
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
    let Choice { method: chosen, mut why, .. } = choice;
    found.remarks.iter().for_each(|remark| why += &format!("; {remark}"));
    let (trace, cost) = (found.trace, problem.pair.cost());
    Ok(Fit { model, chosen, why, trace, cost, converged, missing, notes, certificate: None, regressions })
}

fn notes(pairs: usize, k: usize) -> Vec<String> {
    if pairs == k {
        return Vec::new();
    }
    vec![format!(
        "{pairs} of the {k} pairs asked for were found: this method saw no more independent directions that correlate"
    )]
}

/// Turns both sides so that WxᵀCxyWy is diagonal, and keeps the k largest; returns them.
fn rotate(x: &mut Half, y: &mut Half, k: usize) -> Result<Vec<f64>> {
    let cross = panels::cross(&x.w, &y.across);
    let svd = cross.thin_svd().map_err(|_| Error::Factorization("WxᵀXᵀYWy"))?;
    let k = k.min(svd.S().dim());
    x.turn(svd.U().subcols(0, k));
    y.turn(svd.V().subcols(0, k));
    Ok((0..k).map(|i| svd.S()[i].min(1.0)).collect())
}

/// The sign rule: in every column of Wx the entry of largest size, the first of several, is positive.
fn fix_signs(x: &mut Half, y: &mut Half) {
    let signs = signs_of_largest(&x.w);
    for panel in [x, y].into_iter().flat_map(|half| [&mut half.w, &mut half.bw, &mut half.across]) {
        (0..panel.rows()).for_each(|i| panel.row_mut(i).iter_mut().zip(&signs).for_each(|(v, s)| *v *= s));
    }
}

fn signs_of_largest(w: &Panel) -> Vec<f64> {
    let mut largest = vec![0.0f64; w.cols()];
    for i in 0..w.rows() {
        for (largest, &value) in largest.iter_mut().zip(w.row(i)) {
            *largest = if value.abs() > largest.abs() { value } else { *largest };
        }
    }
    largest.iter().map(|&value| if value < 0.0 { -1.0 } else { 1.0 }).collect()
}

/// The correlation of column j with canonical variable i: (C·w)ⱼᵢ / (√Cⱼⱼ·√(wᵢᵀC·wᵢ)).
fn loadings(normal: Normal<'_>, half: &Half, gram: MatRef<'_, f64>) -> Result<Panel> {
    let square = &normal.pair.moments(normal.side)?.square;
    let scale: Vec<f64> = (0..half.w.cols()).map(|i| inverse_root(gram[(i, i)])).collect();
    let entry = |j: usize, i: usize| {
        let product = half.bw.row(j)[i] - normal.ridge * half.w.row(j)[i];
        (product * inverse_root(square[j]) * scale[i]).clamp(-1.0, 1.0)
    };
    Ok(Panel::from_fn(half.w.rows(), half.w.cols(), entry))
}
