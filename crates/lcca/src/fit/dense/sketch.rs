//! Row-sketched CCA (Avron, Boutsidis, Toledo & Zouzias, Efficient Dimensionality Reduction for Canonical
//! Correlation Analysis, SIAM J. Sci. Comput. 2014): exact CCA of m random sums of rows instead of n rows.
//! Two passes: the sketch, and the one that measures the result on the rows.
//!
//! **Proved.** Let U be an orthonormal basis of the d columns of [1 X Y] (one less if not centered; with a
//! ridge, of [Z; √λ·I], whose lower part is not sketched). CountSketch has E‖UᵀSᵀSU − I‖² ≤ (d² + d)/m in
//! the Frobenius norm, so by Markov's inequality the distance is at most ε = √((d² + d)/(m·δ)) with
//! probability 1 − δ. Inner products of unit vectors in the span then change by at most ε, and so they do
//! after the ones are projected out (a Schur complement has its eigenvalues in the same interval). With ε <
//! 1, the i-th correlation σᵢ is seen as σ̂ᵢ ≥ (σᵢ − ε)/(1 + ε), and the subspaces found have on the true
//! rows dᵢ ≥ (1 − ε)·σ̂ᵢ − ε. Together: dᵢ ≥ σᵢ − 4ε/(1 + ε), an additive error. The paper proves this for
//! another sketch, for which m grows like d·log d instead of d², and sketching is slower.
//!
//! **Not proved.** The proof asks for far more sums than a good answer takes, so the bound often says
//! nothing. Weights that fit m sums are found and measured as weights that fit m rows are: correlations on
//! the sums are usually above the truth, and those measured on all rows never are. Nothing here shows
//! convergence, and none is claimed.

use super::exact::{self, Solved};
use crate::data::{Pair, Shape};
use crate::error::Result;
use crate::fit::pairs::problem::{End, Problem, RawFit};
use crate::fit::pairs::products::Products;
use crate::fit::pairs::view_block::{ViewBlock, small_products};
use crate::method::Method;
use crate::metric;
use crate::outcome::Decision;

/// The number of sums for each column of both views, if no size is given.
const PER_COLUMN: usize = 50;
/// The bound may fail with this probability, over the random signs and sums.
const FAILURE: f64 = 0.1;

pub(in crate::fit) fn sketch(problem: &Problem<'_>, method: Method) -> Result<RawFit> {
    let shape = problem.pair.shape();
    let size = size(method, shape);
    let settings = problem.settings;
    let triangles = problem.pair.capabilities().require_triangles()?;
    let triangle = triangles.sketched_triangle(size, settings.seed, settings.memory)?;
    let Solved { weights, total: believed, ranks } = exact::solve(problem, &triangle)?;
    let [x, y] = ViewBlock::measure_both(problem.normals, weights)?;
    let [x_gram, y_gram, cross] = small_products(problem.ridges(), &x, &y);
    let correlations = metric::subspace_correlations(x_gram.as_ref(), y_gram.as_ref(), cross.as_ref())?;
    let trace = vec![problem.trace_row(1, correlations.iter().sum::<f64>() + 0.0, None)];
    let weights = [x.w.clone(), y.w.clone()];
    let raw = RawFit {
        weights,
        products: Some(Products::Views(Box::new([x, y]))),
        trace,
        end: None,
        decisions: Vec::new(),
        ranks: Some(ranks),
    };
    if size >= shape.rows {
        // The rows themselves were taken, so this is the exact answer.
        return Ok(raw);
    }
    let sketched = Decision::RowsSketched {
        sums: size as u64,
        rows: shape.rows as u64,
        bound: bound(size, shape.x_cols + shape.y_cols + usize::from(settings.center)),
        believed,
    };
    Ok(RawFit { end: Some(End::unknown()), decisions: vec![sketched], ranks: None, ..raw })
}

/// The number of sums for data of this shape.
pub(in crate::fit) fn size(method: Method, shape: Shape) -> usize {
    match method.get("sketch-rows") {
        None | Some(0) => PER_COLUMN * (1 + shape.x_cols + shape.y_cols),
        Some(size) => size,
    }
}

/// How far each objective value can be below the true one, but for the probability [`FAILURE`]; `None` if
/// nothing is proved.
fn bound(size: usize, dimensions: usize) -> Option<f64> {
    let d = dimensions as f64;
    let distortion = ((d * d + d) / (size as f64 * FAILURE)).sqrt();
    let bound = 4.0 * distortion / (1.0 + distortion);
    (bound < 1.0).then_some(bound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_shrinks_with_the_root_of_the_size_and_is_none_if_it_says_nothing() {
        assert_eq!(bound(100, 10), None);
        let (loose, tight) = (bound(1_000_000, 10).unwrap(), bound(100_000_000, 10).unwrap());
        // ε = √(110/(10⁶·0.1)) = 0.0332, and 4·0.0332/1.0332 = 0.1284.
        assert!((loose - 0.1284).abs() < 1e-4, "{loose}");
        assert!((loose / tight - 10.0).abs() < 0.5, "{loose} {tight}");
    }
}
