//! Weights measured by one pass in the space of the problem, and turned to the best pairs in their span there.

use super::eigenproblem::{Block, ViewPanels};
use super::problem::Problem;
use super::view_block::{ViewBlock, best_pairs};
use crate::data::Pair;
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::small::{Singular, thin_svd};
use crate::whiten::safe_whitener;

/// Forms B·W and the images of W of both views, in one pass.
pub(super) fn measure(problem: &Problem<'_>, block: &mut Block) -> Result<()> {
    let [x, y] = &mut block.views[..] else { unreachable!("a block of both views has two") };
    let space = problem.space;
    // If B of a view is a multiple of I, its product needs no rows.
    let [x_identity, y_identity] = problem.identities();
    for (is_identity, bw) in [(x_identity, &mut x.bw), (y_identity, &mut y.bw)] {
        if is_identity {
            *bw = space.zeros(bw.rows(), bw.cols())?;
        }
    }
    let x_own = Some(&mut x.bw).filter(|_| !x_identity);
    let y_own = Some(&mut y.bw).filter(|_| !y_identity);
    let targets = [[x_own, Some(&mut y.image)], [Some(&mut x.image), y_own]];
    space.pass(problem.pair, [Some(&x.w), Some(&y.w)], targets)?;
    let [x_ridge, y_ridge] = problem.ridges();
    space.add_scaled(&mut x.bw, x_ridge, &x.w)?;
    space.add_scaled(&mut y.bw, y_ridge, &y.w)
}

/// The `count` best pairs in the span of some weights, measured by one pass, and their objective values, of which none is above
/// `most` but for rounding.
pub(super) fn measured_pairs(
    problem: &Problem<'_>,
    weights: [Panel; 2],
    count: usize,
    most: f64,
) -> Result<(ViewBlock, ViewBlock, Vec<f64>)> {
    let (space, shape) = (problem.space, problem.pair.shape());
    let mut block = Block::unmeasured(space, weights.into(), &[shape.y_cols, shape.x_cols])?;
    measure(problem, &mut block)?;
    let gram = |view: &ViewPanels| space.symmetric_cross(&[&view.w], &[&view.bw]);
    let (hx, hy) =
        (safe_whitener(gram(&block.views[0])?.as_ref())?, safe_whitener(gram(&block.views[1])?.as_ref())?);
    let mut objective = Vec::new();
    let is_turned = hx.is_some() && hy.is_some();
    if let (Some(hx), Some(hy)) = (hx, hy) {
        let cross = space.cross(&[&block.views[0].w], &[&block.views[1].image])?;
        let Singular { u, values, v } =
            thin_svd((hx.transpose() * cross * &hy).as_ref()).ok_or(Error::Factorization("WxᵀXᵀYWy"))?;
        let count = count.min(values.len());
        block.turn(space, &[hx * u.subcols(0, count), hy * v.subcols(0, count)])?;
        objective.extend(values[..count].iter().map(|value| value.min(most)));
    }
    let mut views = Vec::new();
    for ViewPanels { w, bw, image } in block.views {
        views.push(ViewBlock { w: space.take(w)?, bw: space.take(bw)?, across: space.take(image)? });
    }
    let [mut x, mut y]: [ViewBlock; 2] =
        views.try_into().unwrap_or_else(|_| unreachable!("a block of both views has two"));
    if !is_turned {
        // So many digits would be lost that the weights are whitened twice.
        objective = best_pairs(&mut x, &mut y, count, most)?;
    }
    Ok((x, y, objective))
}
