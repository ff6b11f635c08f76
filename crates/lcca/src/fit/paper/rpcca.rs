//! RPCCA: exact CCA between the leading principal components of each view.
//!
//! A randomized SVD finds Vx and Vy, one pass forms XᵀY·Vy, and a small SVD does the rest. The method
//! misses any correlation outside the leading components, however long it runs: only a larger k_rpcca
//! helps.

use crate::data::{Ask, Normal, Pair, Side};
use crate::error::Result;
use crate::fit::pairs::problem::{End, Problem, RawFit};
use crate::matrix::Panel;
use crate::method::Method;
use crate::metric;
use crate::panels;
use crate::svd::{self, Svd};
use crate::whiten::{Turns, turns, whitener};
use faer::Mat;

pub(in crate::fit) fn rpcca(problem: &Problem<'_>, method: Method) -> Result<RawFit> {
    let k_rpcca = method.get("k-rpcca").unwrap_or(problem.settings.k);
    let [x, y] =
        Side::BOTH.map(|side| svd::randomized(problem.pair, side, k_rpcca, &problem.resources().svd));
    let (x, y) = (x?, y?);
    let mut xy = Panel::zeros(x.v.rows(), y.v.cols());
    problem.pair.pass(&mut Ask::new().source(Side::Y, &y.v).to(Side::X, &mut xy))?;
    let cross = panels::cross(&x.v, &xy);
    let (hx, hy) = (whiten(&x, problem.normals[0])?, whiten(&y, problem.normals[1])?);
    let Turns { x: cx, y: cy, values } = turns(&hx, &hy, cross.as_ref(), problem.settings.k)?;
    let weights = [panels::times(&x.v, cx.as_ref()), panels::times(&y.v, cy.as_ref())];
    let row = problem.trace_row(1, total(&x, &y, cross.as_ref(), values.len())?, None);
    // Nothing can be said of the space outside the components, because it was never looked at.
    let looked_everywhere = x.s.len() < k_rpcca && y.s.len() < k_rpcca;
    let end = if looked_everywhere { None } else { Some(End::unknown()) };
    Ok(RawFit { weights, trace: vec![row], end, decisions: Vec::new(), products: None, ranks: None })
}

/// H with HᵀVᵀ(C + λI)VH = I.
fn whiten(svd: &Svd, normal: Normal<'_>) -> Result<Mat<f64>> {
    let mut product = svd.gram_v.clone();
    panels::add_scaled(&mut product, normal.ridge, &svd.v);
    whitener(panels::symmetric_cross(&svd.v, &product).as_ref())
}

/// The k largest correlations between the components.
fn total(x: &Svd, y: &Svd, cross: faer::MatRef<'_, f64>, k: usize) -> Result<f64> {
    let gram = |svd: &Svd| panels::symmetric_cross(&svd.v, &svd.gram_v);
    Ok(metric::subspace_correlations(gram(x).as_ref(), gram(y).as_ref(), cross)?.iter().take(k).sum())
}
