//! Looks for larger pairs that a fit may have missed, because bounds speak only of the true values near the
//! fitted ones.
//!
//! **Narrow views** are solved exactly, and nothing can have been missed. **Wide views** are searched by a
//! block iteration on the space beside the fitted one: with W the fitted weights, Z is B-orthogonal to W
//! and starts from fresh random directions, so it does not know which directions the fit has seen.
//!
//! ```text
//! repeat:  Rayleigh–Ritz on [Z T P], each B-orthogonal to W → new Z, P, Θ
//!          R = A·Z − B·Z·Θ
//!          T = B⁻¹R by some steps of conjugate gradients
//! ```
//!
//! The fit's own iteration divides residuals by the diagonal of B, which hides directions of small
//! variance. B⁻¹ sees all directions alike, at the price of more passes, 8 columns wide. The best values in
//! the span of [W Z] are never above the true ones, so any gain in their total is proved to be missing from
//! the fit. A search that finds nothing proves nothing.

use crate::data::Normal;
use crate::error::{Error, Result};
use crate::fit::pairs::significant::{Basis, best_total};
use crate::fit::pairs::view_block::{ViewBlock, residuals};
use crate::matrix::Panel;
use crate::panels;
use crate::random::{Purpose, normal_panel};
use crate::small::{Singular, thin_svd};
use crate::solve::{Cg, LeastSquares};
use faer::Mat;

/// The number of fresh random directions.
const COLUMNS: usize = 8;
/// The number of iterations of the search.
const ITERATIONS: usize = 40;
/// The most steps of conjugate gradients in each solve.
const STEPS: usize = 30;
/// A solve ends when its residual is this share of its right-hand side.
const ENOUGH: f64 = 1e-3;

/// The equations of both views, and the squared lengths of their columns as they are stored.
pub(in crate::fit) struct Ground<'a> {
    pub normals: [Normal<'a>; 2],
    pub squares: &'a [Vec<f64>; 2],
}

/// A lower bound on the total of the `k` best pairs in the span of W and of the directions that the search
/// finds beside it. The search ends early when the total is above `target`.
pub(in crate::fit) fn search(ground: &Ground<'_>, w: [&ViewBlock; 2], seed: u64, target: f64) -> Result<f64> {
    let (k, [x_normal, y_normal]) = (w[0].w.cols(), ground.normals);
    let columns = COLUMNS.min(x_normal.size()).min(y_normal.size());
    let probe = |normal: Normal<'_>, purpose| -> Result<Panel> {
        let mut probe = normal_panel(normal.size(), columns, seed, purpose);
        let lengths: Vec<f64> = normal.inverse_diagonal()?.iter().map(|d| d.sqrt()).collect();
        panels::scale_rows(&mut probe, &lengths);
        Ok(probe)
    };
    let start = [probe(x_normal, Purpose::ProbeX)?, probe(y_normal, Purpose::ProbeY)?];
    let mut z = deflated(ViewBlock::measure_both(ground.normals, start)?, w);
    let solver = |side: usize| -> Result<Cg<'_>> {
        Ok(Cg::new(ground.normals[side], STEPS, ENOUGH)?.with_squares(&ground.squares[side]))
    };
    let (x_solver, y_solver) = (solver(0)?, solver(1)?);
    let mut rest: Vec<[ViewBlock; 2]> = Vec::new();
    let mut best: f64 = 0.0;
    for iteration in 0..=ITERATIONS {
        let Ritz { z: next, step, theta } = Ritz::new(&z, &rest, ground.squares)?;
        z = next;
        best = best.max(best_total([&[w[0], &z[0]], &[w[1], &z[1]]], ground.squares, k)?);
        if theta.is_empty() || best > target || iteration == ITERATIONS {
            break;
        }
        let [rx, ry] = residuals(&z[0], &z[1], &theta);
        let t = [x_solver.solve(&rx, None)?.weights, y_solver.solve(&ry, None)?.weights];
        let t = deflated(ViewBlock::measure_both(ground.normals, t)?, w);
        rest = std::iter::once(t).chain(step).collect();
    }
    Ok(best)
}

/// The blocks without their part in the span of W: V − W(WᵀBV).
fn deflated(mut v: [ViewBlock; 2], w: [&ViewBlock; 2]) -> [ViewBlock; 2] {
    for (v, w) in v.iter_mut().zip(w) {
        // Twice, because the rounding error of subtracting a large part may be all that is left.
        for _ in 0..2 {
            let part = -panels::cross(&w.bw, &v.w);
            for (v, w) in [(&mut v.w, &w.w), (&mut v.bw, &w.bw), (&mut v.across, &w.across)] {
                panels::add_scaled(v, 1.0, &panels::times(w, part.as_ref()));
            }
        }
    }
    v
}

/// The best pairs in the span of Z and other blocks.
struct Ritz {
    z: [ViewBlock; 2],
    /// The step of these pairs away from the old Z, if there were other blocks.
    step: Option<[ViewBlock; 2]>,
    theta: Vec<f64>,
}

impl Ritz {
    fn new(z: &[ViewBlock; 2], rest: &[[ViewBlock; 2]], squares: &[Vec<f64>; 2]) -> Result<Self> {
        let blocks = [0, 1].map(|side| -> Vec<&ViewBlock> {
            std::iter::once(&z[side]).chain(rest.iter().map(|both| &both[side])).collect()
        });
        let (x, y) = (Basis::new(&blocks[0], &squares[0])?, Basis::new(&blocks[1], &squares[1])?);
        let small = x.cross(&y, [&blocks[0], &blocks[1]]);
        let Singular { u, mut values, v } = thin_svd(small.as_ref()).ok_or(Error::Factorization("ZᵀCxyZ"))?;
        values.truncate(z[0].w.cols());
        let turns = [&x.turn * u.subcols(0, values.len()), &y.turn * v.subcols(0, values.len())];
        let from = |first: usize| [0, 1].map(|side| combined(&blocks[side], &turns[side], first));
        let theta = values.into_iter().map(|value| value.min(1.0)).collect();
        Ok(Ritz { z: from(0), step: (!rest.is_empty()).then(|| from(1)), theta })
    }
}

/// The combination of `blocks` from the `first` on, by their rows of `coefficients`.
fn combined(blocks: &[&ViewBlock], coefficients: &Mat<f64>, first: usize) -> ViewBlock {
    let mut top = 0;
    let mut terms = Vec::new();
    for (index, block) in blocks.iter().enumerate() {
        let rows = coefficients.as_ref().subrows(top, block.w.cols());
        top += block.w.cols();
        if index >= first {
            terms.push((*block, rows));
        }
    }
    let sum = |panel: fn(&ViewBlock) -> &Panel| {
        panels::combine(&terms.iter().map(|(block, rows)| (panel(block), *rows)).collect::<Vec<_>>())
    };
    ViewBlock { w: sum(|b| &b.w), bw: sum(|b| &b.bw), across: sum(|b| &b.across) }
}
