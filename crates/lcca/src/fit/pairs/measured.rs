//! Measures weights of both views by one pass, in the space of the problem.

use super::eigenproblem::Block;
use super::problem::Problem;
use crate::error::Result;

/// Forms B·W and the images of W of both views, in one pass.
pub(in crate::fit) fn measure(problem: &Problem<'_>, block: &mut Block) -> Result<()> {
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
