//! The best total in the span of some weights, less the part that rounding could have added to it.
//!
//! Rounding can fake directions of tiny variance: if vᵀBv is a difference of large numbers that cancel, it
//! is noise, and dividing by it makes any correlation. The amount of noise is known, because the product of
//! weights v with the rows errs by about ε·√(vᵀSv), with S the squared lengths of the columns as they are
//! stored, before centering. So for vᵀBv = 1 the square h = vᵀSv tells how well v is known, and
//!
//! - a direction with h above 1e11 is left out, because nothing about it is certain;
//! - an objective value is taken as smaller than measured by some ε·h.

use super::view_block::ViewBlock;
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::panels;
use crate::small::{Singular, thin_svd};
use crate::whiten::whitener_above;
use faer::{Mat, Side};

/// The least share vᵀBv/vᵀSv of a direction that counts.
pub(in crate::fit) const SIGNIFICANT: f64 = 1e-11;
/// Directions this close to the span of others are left out, because their rounding errors would count as
/// proof.
const CAREFUL: f64 = 1e-8;
/// Rounding errors of sums, in multiples of ε.
const SUMS: f64 = 8.0;

/// A lower bound on the total of the `k` best pairs in the span of the blocks of each view. `squares` are
/// the squared lengths of the columns as they are stored.
pub(in crate::fit) fn best_total(
    blocks: [&[&ViewBlock]; 2],
    squares: &[Vec<f64>; 2],
    k: usize,
) -> Result<f64> {
    let (x, y) = (Basis::new(blocks[0], &squares[0])?, Basis::new(blocks[1], &squares[1])?);
    let Singular { u, values, v } =
        thin_svd(x.cross(&y, blocks).as_ref()).ok_or(Error::Factorization("VᵀCxyV"))?;
    let value = |i: usize| {
        let noise = SUMS * f64::EPSILON * (x.height(u.col(i)) + y.height(v.col(i)));
        (values[i].min(1.0) - noise).max(0.0)
    };
    Ok((0..k.min(values.len())).map(value).sum())
}

/// A basis V·T of significant directions with TᵀVᵀBVT = I.
pub(in crate::fit) struct Basis {
    /// T
    pub turn: Mat<f64>,
    /// TᵀVᵀSVT, which is diagonal.
    heights: Vec<f64>,
}

impl Basis {
    pub fn new(blocks: &[&ViewBlock], squares: &[f64]) -> Result<Self> {
        let scaled: Vec<Panel> = blocks.iter().map(|block| scaled_by(&block.w, squares)).collect();
        let weights: Vec<&Panel> = blocks.iter().map(|block| &block.w).collect();
        let products: Vec<&Panel> = blocks.iter().map(|block| &block.bw).collect();
        let mut gram = panels::symmetric_block_cross(&weights, &products);
        let heights = panels::symmetric_block_cross(&weights, &scaled.iter().collect::<Vec<_>>());
        // A column of noise would spoil the directions that it is whitened with.
        let size = gram.nrows();
        let noise: Vec<bool> = (0..size).map(|i| gram[(i, i)] <= SIGNIFICANT * heights[(i, i)]).collect();
        for j in 0..size {
            for i in 0..size {
                if noise[i] || noise[j] {
                    gram[(i, j)] = 0.0;
                }
            }
        }
        let whitener = whitener_above(gram.as_ref(), CAREFUL)?;
        let eigen = (whitener.transpose() * heights * &whitener)
            .self_adjoint_eigen(Side::Lower)
            .map_err(|_| Error::Factorization("VᵀSV"))?;
        let values = eigen.S().column_vector();
        let kept = (0..values.nrows()).take_while(|&i| values[i] * SIGNIFICANT < 1.0).count();
        Ok(Basis {
            turn: whitener * eigen.U().subcols(0, kept),
            heights: (0..kept).map(|i| values[i].max(0.0)).collect(),
        })
    }

    /// The basis of X against that of Y, between `blocks` of both.
    pub fn cross(&self, other: &Basis, blocks: [&[&ViewBlock]; 2]) -> Mat<f64> {
        let weights: Vec<&Panel> = blocks[0].iter().map(|block| &block.w).collect();
        let across: Vec<&Panel> = blocks[1].iter().map(|block| &block.across).collect();
        self.turn.transpose() * panels::block_cross(&weights, &across) * &other.turn
    }

    /// uᵀTᵀVᵀSVT·u
    fn height(&self, u: faer::ColRef<'_, f64>) -> f64 {
        self.heights.iter().enumerate().map(|(i, height)| height * u[i] * u[i]).sum()
    }
}

/// The weights with each row multiplied by a number.
fn scaled_by(weights: &Panel, factors: &[f64]) -> Panel {
    let mut scaled = weights.clone();
    panels::scale_rows(&mut scaled, factors);
    scaled
}
