//! Leading singular vectors of one view, in weight space.
//!
//! Subspace iteration on C = XᵀX from a random panel (Halko, Martinsson & Tropp 2011), orthonormalized
//! before every product, then Rayleigh-Ritz: with WᵀW = I and WᵀCW = E·S²·Eᵀ, V = WE. It costs half a pass
//! per power iteration and half a pass more, each of k + oversampling columns. Nothing n-sized is stored.

use crate::data::{Normal, Pair, Side};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::panels;
use crate::random;
use crate::whiten;
use faer::Mat;

/// The accuracy of a randomized SVD, and its seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// The number of columns carried beyond the requested ones.
    pub oversample: usize,
    /// The number of power iterations.
    pub power: usize,
    /// The seed of the random start.
    pub seed: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options { oversample: 10, power: 2, seed: 0 }
    }
}

/// X ≈ U·diag(s)·Vᵀ. U = X·V·diag(s)⁻¹ is n-sized and not formed.
pub struct Svd {
    /// Right singular vectors, p×r. r is k, or the numerical rank if that is less.
    pub v: Panel,
    /// Singular values, descending.
    pub s: Vec<f64>,
    /// XᵀX·V.
    pub gram_v: Panel,
    /// An estimate of the largest singular value that is not in `s`.
    pub next: f64,
}

/// The `k` largest singular values of the view on `side`, and their right singular vectors.
///
/// ```
/// use lcca::data::{InMemory, Side};
/// use lcca::matrix::OneHotRows;
/// let x = OneHotRows::new(3, vec![0, 2, 2, 2, 2].into())?;
/// let pair = InMemory::new(x.clone().into(), x.into())?;
/// let svd = lcca::svd::randomized(&pair, Side::X, 1, &Default::default())?;
/// assert!((svd.s[0] - 2.0).abs() < 1e-12);
/// # Ok::<(), lcca::Error>(())
/// ```
pub fn randomized(pair: &dyn Pair, side: Side, k: usize, options: &Options) -> Result<Svd> {
    let normal = Normal::absolute(pair, side, 0.0);
    let p = normal.size();
    let purpose = match side {
        Side::X => random::Purpose::SvdX,
        Side::Y => random::Purpose::SvdY,
    };
    let width = if k == 0 { 0 } else { k.saturating_add(options.oversample).min(p) };
    let mut w = random::normal_panel(p, width, options.seed, purpose);
    let mut cw = Panel::zeros(p, width);
    if width == 0 {
        return Ok(Svd { v: w, s: Vec::new(), gram_v: cw, next: 1.0 });
    }
    for _ in 0..options.power {
        whiten::orthonormalize(&mut w);
        cw = Panel::zeros(p, w.cols());
        normal.apply(&w, &mut cw)?;
        w = cw;
    }
    whiten::orthonormalize(&mut w);
    cw = Panel::zeros(p, w.cols());
    normal.apply(&w, &mut cw)?;
    rayleigh_ritz(&w, &cw, k)
}

fn rayleigh_ritz(w: &Panel, cw: &Panel, k: usize) -> Result<Svd> {
    let small = panels::symmetric_cross(w, cw);
    let eigen = small.self_adjoint_eigen(faer::Side::Lower).map_err(|_| Error::Factorization("WᵀXᵀXW"))?;
    let (values, vectors) = (eigen.S().column_vector(), eigen.U());
    let m = small.nrows();
    let largest = if m > 0 { values[m - 1] } else { 0.0 };
    if !largest.is_finite() {
        return Err(Error::Factorization("WᵀXᵀXW"));
    }
    // Eigenvalues ascend. Those below the cut are rounding, so their vectors are not singular vectors of
    // anything.
    let significant: Vec<usize> = (0..m).rev().filter(|&i| values[i] > whiten::CUT * largest).collect();
    let kept = &significant[..k.min(significant.len())];
    // The oversampled columns hold the next singular value. If there is none, the last one kept bounds it.
    let next = significant.get(k).or(kept.last()).map_or(1.0, |&i| values[i].sqrt());
    let e = Mat::from_fn(m, kept.len(), |i, j| vectors[(i, kept[j])]);
    Ok(Svd {
        v: panels::times(w, e.as_ref()),
        s: kept.iter().map(|&i| values[i].sqrt()).collect(),
        gram_v: panels::times(cw, e.as_ref()),
        next,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::InMemory;
    use crate::testing::{from_dense, random_mat, relative_error};

    #[test]
    fn singular_values_are_those_of_a_dense_svd() {
        let x = Mat::from_fn(200, 30, |i, j| random_mat(200, 30, 1)[(i, j)] / (1 + j * j) as f64);
        let pair = InMemory::new(from_dense(x.as_ref()), from_dense(x.as_ref())).unwrap();
        let svd = randomized(&pair, Side::X, 5, &Options { power: 8, ..Options::default() }).unwrap();
        let truth = x.singular_values().unwrap();
        (0..5).for_each(|i| assert!((svd.s[i] / truth[i] - 1.0).abs() < 1e-10, "{} {}", svd.s[i], truth[i]));
        let product = x.transpose() * (&x * svd.v.as_mat());
        assert!(relative_error(svd.gram_v.as_mat(), product.as_ref()) < 1e-12);
    }

    #[test]
    fn a_failed_decomposition_is_an_error_and_a_view_of_zeros_is_not() {
        let w = crate::testing::random_panel(5, 2, 1);
        let infinite = Panel::from_fn(5, 2, |_, _| f64::INFINITY);
        assert!(matches!(rayleigh_ritz(&w, &infinite, 1), Err(Error::Factorization(_))));
        assert!(rayleigh_ritz(&w, &Panel::zeros(5, 2), 1).unwrap().s.is_empty());
    }

    #[test]
    fn a_view_of_low_rank_gives_fewer_vectors() {
        let x = random_mat(50, 2, 3) * random_mat(2, 20, 4);
        let pair = InMemory::new(from_dense(x.as_ref()), from_dense(x.as_ref())).unwrap();
        let svd = randomized(&pair, Side::Y, 6, &Options::default()).unwrap();
        assert_eq!((svd.s.len(), svd.v.cols()), (2, 2));
    }
}
