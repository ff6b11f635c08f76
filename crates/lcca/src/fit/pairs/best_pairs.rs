//! Rayleigh–Ritz: the best pairs in the span of measured weights.
//!
//! ```text
//! WxᵀBxWx → Hx with HxᵀWxᵀBxWxHx = I, and Hy likewise
//! HxᵀWxᵀCxyWyHy = U·diag(d)·Vᵀ
//! Wx ← Wx·(Hx·U),  Wy ← Wy·(Hy·V), and their products with them
//! ```
//!
//! Hx·U and Hy·V are small matrices, so each is multiplied out before it is applied to a tall panel. If a
//! whitener would lose many digits, the weights are whitened twice instead, on the host.

use super::eigenproblem::{Block, ViewPanels};
use super::measured::measure;
use super::problem::Problem;
use super::view_block::ViewBlock;
use crate::data::Pair;
use crate::error::Result;
use crate::matrix::Panel;
use crate::space::{Host, Space};
use crate::whiten::{Turns, safe_whitener, turns_by};
use faer::Mat;

/// The best pairs in some span.
pub(in crate::fit) struct BestPairs {
    pub x: ViewBlock,
    pub y: ViewBlock,
    /// The objective values of the pairs, the largest first.
    pub objective: Vec<f64>,
}

impl BestPairs {
    /// The `count` best pairs in the span of measured weights. No objective value exceeds `most`, except by
    /// rounding.
    pub fn new(views: [ViewBlock; 2], count: usize, most: f64) -> Result<Self> {
        in_space(&Host, uploaded(&Host, views)?, count, most)?.taken()
    }

    /// The `count` best pairs in the span of some weights of the host, measured by one pass in the space of
    /// the problem.
    pub fn of_weights(problem: &Problem<'_>, weights: [Panel; 2], count: usize) -> Result<Self> {
        let shape = problem.pair.shape();
        let block = Block::unmeasured(problem.space, weights.into(), &[shape.y_cols, shape.x_cols])?;
        BestPairs::measured(problem, block, count)
    }

    /// The `count` best pairs in the span of weights that are already in the space of the problem, measured
    /// by one pass.
    pub fn measured(problem: &Problem<'_>, block: Block, count: usize) -> Result<Self> {
        PlacedPairs::measured(problem, block, count)?.taken()
    }
}

/// The best pairs, with their panels in a space.
pub(in crate::fit) struct PlacedPairs<'a> {
    pub space: &'a dyn Space,
    pub block: Block,
    /// The objective values of the pairs, the largest first.
    pub objective: Vec<f64>,
}

impl<'a> PlacedPairs<'a> {
    /// The `count` best pairs in the span of weights that are in the space of the problem, measured by one
    /// pass.
    pub fn measured(problem: &Problem<'a>, mut block: Block, count: usize) -> Result<Self> {
        measure(problem, &mut block)?;
        in_space(problem.space, block, count, problem.largest_objective())
    }

    /// Moves the pairs to the host.
    pub fn taken(self) -> Result<BestPairs> {
        let [x, y] = taken(self.space, self.block)?;
        Ok(BestPairs { x, y, objective: self.objective })
    }
}

fn in_space(space: &dyn Space, block: Block, count: usize, most: f64) -> Result<PlacedPairs<'_>> {
    let whitener =
        |view: &ViewPanels| safe_whitener(space.symmetric_cross(&[&view.w], &[&view.bw])?.as_ref());
    let (space, mut block, hx, hy) = match (whitener(&block.views[0])?, whitener(&block.views[1])?) {
        (Some(hx), Some(hy)) => (space, block, hx, hy),
        _ => {
            let mut views = taken(space, block)?;
            for view in &mut views {
                view.whiten()?;
            }
            let [hx, hy] = views.each_ref().map(|view| Mat::identity(view.w.cols(), view.w.cols()));
            (&Host as &dyn Space, uploaded(&Host, views)?, hx, hy)
        }
    };
    let cross = space.cross(&[&block.views[0].w], &[&block.views[1].image])?;
    let Turns { x, y, values } = turns_by(space.decompositions(), &hx, &hy, cross.as_ref(), count)?;
    block.turn(space, &[x, y])?;
    Ok(PlacedPairs { space, block, objective: values.into_iter().map(|value| value.min(most)).collect() })
}

/// Moves both views into a space.
fn uploaded(space: &dyn Space, views: [ViewBlock; 2]) -> Result<Block> {
    let upload = |ViewBlock { w, bw, across }: ViewBlock| {
        Ok(ViewPanels { w: space.upload(w)?, bw: space.upload(bw)?, image: space.upload(across)? })
    };
    Ok(Block { views: views.into_iter().map(upload).collect::<Result<_>>()? })
}

/// Moves both views to the host.
fn taken(space: &dyn Space, block: Block) -> Result<[ViewBlock; 2]> {
    let views = block.into_views(space)?;
    Ok(views.try_into().unwrap_or_else(|_| unreachable!("a block of both views has two")))
}
