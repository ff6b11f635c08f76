//! A fit to rows that are much like those of another fit: a few steps from its weights, with its preconditioner.
//!
//! ```text
//! repeat:  Rayleigh–Ritz on W → Θ
//!          R = A·W − B·W·Θ
//!          T = M⁻¹R,   M that of the other fit: its coarse block, and the diagonal of B elsewhere
//!          measure T: one pass;   Rayleigh–Ritz on [W T] → new W and its products
//! ```
//!
//! That is LOBPCG without its memory and without what it does to be sure of having converged: choosing columns, factorizing them, looking for
//! witnesses. The error of W becomes of second order in what the rows differ by, as far as M stands for B − A, and that of the
//! objective of fourth order. Cost: one pass more than steps.

use super::coarse::Coarse;
use super::problem::{End, Problem, RawFit};
use super::view_block::{ViewBlock, residuals, sizes};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::panels;

/// Preconditioned steps. One leaves twice the error and saves a fifth of the time.
const STEPS: usize = 2;

/// Takes some steps from the weights of another fit.
pub(super) fn refine(problem: &Problem<'_>, block: &Coarse, weights: [Panel; 2]) -> Result<RawFit> {
    let others = other_columns(problem, block)?;
    let columns = weights[0].cols();
    let [mut x, mut y] = ViewBlock::measure_both(problem.normals, weights)?;
    let mut theta = best_pairs(&mut x, &mut y, columns)?;
    let mut trace = Vec::new();
    for step in 1..=STEPS {
        let residuals = residuals(&x, &y, &theta);
        let [tx, ty] =
            ViewBlock::measure_both(problem.normals, precondition(problem, block, &others, residuals)?)?;
        (x, y) = (beside(&x, &tx), beside(&y, &ty));
        theta = best_pairs(&mut x, &mut y, columns)?;
        trace.push(problem.trace_row(step, theta.iter().take(problem.settings.k).sum(), None));
    }
    let left = sizes(residuals(&x, &y, &theta).each_ref(), &problem.inverse_diagonals()?);
    let k = problem.settings.k.min(theta.len());
    // The error of an objective value is about the square of its residual.
    let missing = left[..k].iter().map(|residual| residual * residual).sum();
    let end = End { missing: Some(missing), total: theta[..k].iter().sum(), is_sure: false };
    let weights = [x.w.clone(), y.w.clone()];
    Ok(RawFit { weights, trace, end: Some(end), decisions: Vec::new(), products: Some([x, y]) })
}

/// Rayleigh–Ritz: the best pairs in the spans of both views, at most `columns` of them. Returns their objective values.
fn best_pairs(x: &mut ViewBlock, y: &mut ViewBlock, columns: usize) -> Result<Vec<f64>> {
    x.whiten()?;
    y.whiten()?;
    let svd = panels::cross(&x.w, &y.across).thin_svd().map_err(|_| Error::Factorization("WxᵀXᵀYWy"))?;
    let kept = columns.min(svd.S().dim());
    x.turn(svd.U().subcols(0, kept));
    y.turn(svd.V().subcols(0, kept));
    Ok((0..kept).map(|i| svd.S()[i].min(1.0)).collect())
}

fn beside(a: &ViewBlock, b: &ViewBlock) -> ViewBlock {
    ViewBlock {
        w: panels::beside(&a.w, &b.w),
        bw: panels::beside(&a.bw, &b.bw),
        across: panels::beside(&a.across, &b.across),
    }
}

/// M⁻¹R.
fn precondition(
    problem: &Problem<'_>,
    block: &Coarse,
    others: &[Vec<f64>; 2],
    [rx, ry]: [Panel; 2],
) -> Result<[Panel; 2]> {
    let space = problem.space;
    let (mut x, mut y) = (space.upload(rx)?, space.upload(ry)?);
    let on_block = block.rows(space, [&x, &y])?;
    for (panel, factors) in [&mut x, &mut y].into_iter().zip(others) {
        space.scale_rows(panel, &space.row_factors(factors.clone())?)?;
    }
    block.solve(space, on_block, [&mut x, &mut y])?;
    Ok([space.download(&x)?, space.download(&y)?])
}

/// The inverse diagonal of B, 0 for the columns in the block.
fn other_columns(problem: &Problem<'_>, block: &Coarse) -> Result<[Vec<f64>; 2]> {
    let mut inverse = problem.inverse_diagonals()?;
    for (side, inverse) in inverse.iter_mut().enumerate() {
        for &column in block.columns(side) {
            let Some(factor) = inverse.get_mut(column as usize) else {
                let (what, found) = ("columns of the other fit", column as usize + 1);
                return Err(Error::Length { what, expected: inverse.len(), found });
            };
            *factor = 0.0;
        }
    }
    Ok(inverse)
}
