//! A fit to rows that are much like those of another fit: a few steps from its weights, with its
//! preconditioner.
//!
//! ```text
//! repeat:  Rayleigh–Ritz on W → Θ
//!          R = A·W − B·W·Θ
//!          T = M⁻¹R,   M that of the other fit
//!          measure T: one pass;   Rayleigh–Ritz on [W T] → new W and its products
//! ```
//!
//! That is LOBPCG without its memory, and without its precautions against claiming too early: choosing
//! columns, factorizing them, proofs. The error of W becomes of second order in the
//! difference between the rows of both fits, as far as M stands for B − A, and that of the objective of
//! fourth order. The cost is one pass more than there are steps.

use crate::error::Result;
use crate::fit::pairs::best_pairs::BestPairs;
use crate::fit::pairs::problem::{End, Problem, RawFit};
use crate::fit::pairs::products::Products;
use crate::fit::pairs::view_block::{ViewBlock, residuals, sizes};
use crate::fit::precondition::inverse::Shared;
use crate::matrix::Panel;
use crate::panels;

/// The number of preconditioned steps. One leaves twice the error and saves a fifth of the time.
const STEPS: usize = 2;

/// Takes some steps from the weights of another fit.
pub(in crate::fit) fn refine(problem: &Problem<'_>, shared: &Shared, weights: [Panel; 2]) -> Result<RawFit> {
    let (columns, most) = (weights[0].cols(), problem.largest_objective());
    let views = ViewBlock::measure_both(problem.normals, weights)?;
    let BestPairs { mut x, mut y, objective: mut theta } = BestPairs::new(views, columns, most)?;
    let mut trace = Vec::new();
    for step in 1..=STEPS {
        let residuals = residuals(&x, &y, &theta);
        let [tx, ty] = ViewBlock::measure_both(problem.normals, precondition(problem, shared, residuals)?)?;
        let views = [beside(&x, &tx), beside(&y, &ty)];
        BestPairs { x, y, objective: theta } = BestPairs::new(views, columns, most)?;
        trace.push(problem.trace_row(step, theta.iter().take(problem.settings.k).sum(), None));
    }
    let left = sizes(residuals(&x, &y, &theta).each_ref(), &problem.inverse_diagonals()?);
    let k = problem.settings.k.min(theta.len());
    // The error of an objective value is about the square of its residual.
    let missing = left[..k].iter().map(|residual| residual * residual).sum();
    let end = End { missing: Some(missing), total: theta[..k].iter().sum(), is_sure: false };
    let weights = [x.w.clone(), y.w.clone()];
    Ok(RawFit {
        weights,
        trace,
        end: Some(end),
        decisions: Vec::new(),
        products: Some(Products::Views(Box::new([x, y]))),
        ranks: None,
    })
}

fn beside(a: &ViewBlock, b: &ViewBlock) -> ViewBlock {
    ViewBlock {
        w: panels::beside(&a.w, &b.w),
        bw: panels::beside(&a.bw, &b.bw),
        across: panels::beside(&a.across, &b.across),
    }
}

/// M⁻¹R.
fn precondition(problem: &Problem<'_>, shared: &Shared, [mut rx, mut ry]: [Panel; 2]) -> Result<[Panel; 2]> {
    match shared {
        Shared::Whole(inverse) => {
            inverse.apply([&mut rx, &mut ry])?;
            Ok([rx, ry])
        }
        Shared::Block(block) => {
            let space = problem.space;
            let [x, y] = block.outside(&problem.inverse_diagonals()?)?;
            let outside = [space.row_factors(x)?, space.row_factors(y)?];
            let (mut x, mut y) = (space.upload(rx)?, space.upload(ry)?);
            block.precondition(space, &outside, &mut x, &mut y)?;
            Ok([space.download(&x)?, space.download(&y)?])
        }
    }
}
