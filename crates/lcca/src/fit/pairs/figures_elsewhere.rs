//! The figures that a model reports of the best pairs, measured in the space of their panels: only the
//! numbers that the model keeps are copied to the host.

use super::best_pairs::PlacedPairs;
use super::eigenproblem::ViewPanels;
use super::figures::{self, signs_of, without_rounding};
use super::problem::Problem;
use super::products::Figures;
use super::ties;
use crate::data::Normal;
use crate::error::Result;
use crate::fit::models::regress::{Regressions, inverse};
use crate::matrix::Panel;
use crate::space::{RowFactors, Space, Tall};
use crate::whiten::inverse_root;
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// The figures of the best pairs. They are measured on the host instead if some values are equal, because
/// such pairs are put in order there, or if B of a view is a multiple of I, because that takes another
/// pass. `inverse_diagonal` is that of B.
pub(in crate::fit) fn figures(
    problem: &Problem<'_>,
    mut best: PlacedPairs<'_>,
    inverse_diagonal: &[RowFactors; 2],
) -> Result<Figures> {
    let has_ties = problem.settings.is_cca() && ties::are_there(&best.objective);
    if !best.space.is_remote() || has_ties || problem.identities() != [false, false] {
        return figures::figures(problem, best.taken()?);
    }
    let space = best.space;
    fix_signs(space, &mut best.block.views)?;
    let residuals = residuals(&best, inverse_diagonal)?;
    let PlacedPairs { block, objective, .. } = best;
    let Ok([mut x, mut y]) = <[ViewPanels; 2]>::try_from(block.views) else {
        unreachable!("a block of both views has two")
    };
    let normals = problem.normals;
    for (view, normal) in [(&mut x, normals[0]), (&mut y, normals[1])] {
        // B·W, which is no longer needed, becomes C·W.
        space.add_scaled(&mut view.bw, -normal.ridge, &view.w)?;
    }
    let variances = |view: &ViewPanels, normal: Normal<'_>| -> Result<Mat<f64>> {
        Ok(without_rounding(space.symmetric_cross(&[&view.w], &[&view.bw])?, &objective, normal))
    };
    let grams = [variances(&x, normals[0])?, variances(&y, normals[1])?];
    let cross = space.cross(&[&x.w], &[&y.image])?;
    // Each panel is copied as soon as it is known, and its memory is free for the next.
    let weights = [space.take(x.w)?, space.take(y.w)?];
    let of_grams = grams.each_ref().map(Mat::as_ref);
    let loadings =
        [loadings(space, normals[0], &x.bw, of_grams[0])?, loadings(space, normals[1], &y.bw, of_grams[1])?];
    let coefficients = |mut product: Tall, gram: MatRef<'_, f64>| {
        space.multiply(&mut product, inverse(gram)?.as_ref())?;
        space.take(product)
    };
    let regressions = Regressions {
        x: coefficients(x.bw, of_grams[0])?,
        y: coefficients(y.bw, of_grams[1])?,
        y_on_x: coefficients(x.image, of_grams[0])?,
    };
    Ok(Figures { weights, loadings, regressions, objective, residuals, grams, cross })
}

/// Applies the sign rule in a space, as `figures` does on the host.
fn fix_signs(space: &dyn Space, views: &mut [ViewPanels]) -> Result<()> {
    let signs = signs_of(space.largest_entries(&views[0].w)?);
    let turn = Mat::from_fn(signs.len(), signs.len(), |i, j| if i == j { signs[i] } else { 0.0 });
    for panel in views.iter_mut().flat_map(|view| [&mut view.w, &mut view.bw, &mut view.image]) {
        space.multiply(panel, turn.as_ref())?;
    }
    Ok(())
}

/// Each pair's residual, both views together, in the norm of diag(B)⁻¹.
fn residuals(best: &PlacedPairs<'_>, inverse_diagonal: &[RowFactors; 2]) -> Result<Vec<f64>> {
    let (space, views) = (best.space, &best.block.views);
    let mut sums = vec![0.0; best.objective.len()];
    for (view, inverse) in inverse_diagonal.iter().enumerate() {
        let (own, other) = (&views[view], &views[1 - view]);
        let mut residual = space.zeros(own.w.rows(), own.w.cols())?;
        space.difference(&mut residual, &other.image, &best.objective, &own.bw)?;
        let squares = space.weighted_squares(&residual, inverse)?;
        sums.iter_mut().zip(squares).for_each(|(sum, square)| *sum += square);
    }
    Ok(sums.into_iter().map(f64::sqrt).collect())
}

/// The correlation of column j with canonical variable i: (C·w)ⱼᵢ / (√Cⱼⱼ·√(wᵢᵀC·wᵢ)).
fn loadings(space: &dyn Space, normal: Normal<'_>, cw: &Tall, gram: MatRef<'_, f64>) -> Result<Panel> {
    let square = &normal.pair.moments(normal.side)?.square;
    let of_columns: Vec<f64> = square.par_iter().map(|&square| inverse_root(square)).collect();
    let scale: Vec<f64> = (0..cw.cols()).map(|i| inverse_root(gram[(i, i)])).collect();
    space.take(space.cosines(cw, &of_columns, &scale)?)
}
