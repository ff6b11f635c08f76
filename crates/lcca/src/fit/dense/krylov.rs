//! A few leading singular triplets of a dense matrix by block Krylov iteration, if that is soon exact to
//! rounding.
//!
//! The subspace is that of V, MᵀM·V, (MᵀM)²·V, … with a random block V, kept orthonormal: a basis Q. With
//! M·Q = U·diag(d)·Zᵀ, the triplets are U, d and Q·Z. They are taken if ‖Mᵀu − d·v‖ is rounding for all of
//! them. A block takes 4·b·n² operations for b columns, so eight blocks cost a tenth of all eigenvectors of
//! MᵀM. See Golub & Underwood, "The block Lanczos method for computing eigenvalues", 1977.

use crate::random::{Purpose, normal_panel};
use crate::small::{eigen, times};
use faer::{Mat, MatRef};

/// The number of blocks in all, and how many are added before the triplets are looked at.
const BLOCKS: usize = 8;
const STEP: usize = 4;
/// All blocks together have at most one in this many of the columns, because with more an
/// eigendecomposition is as quick.
const SHARE: usize = 3;
/// Residuals and products of different columns of the basis up to this are rounding.
const ROUNDING: f64 = 2e-14;

/// U, the singular values and V.
pub(in crate::fit) type Found = (Mat<f64>, Vec<f64>, Mat<f64>);

/// The `k` largest singular values and their vectors; `None` if that is not quicker than a decomposition, or
/// not exact soon.
pub(in crate::fit) fn triplets(m: MatRef<'_, f64>, k: usize) -> Option<Found> {
    let (rows, size, block) = (m.nrows(), m.ncols(), (k + k / 2).next_multiple_of(8));
    if BLOCKS * block * SHARE > size {
        return None;
    }
    let (mut basis, mut products) = (Mat::zeros(size, BLOCKS * block), Mat::zeros(rows, BLOCKS * block));
    let mut next = orthonormal(normal_panel(size, block, 0, Purpose::Start).as_mat().to_owned());
    for step in 0..BLOCKS {
        let (before, own) = (step * block, (step + 1) * block);
        basis.subcols_mut(before, block).copy_from(&next);
        let product = times(m, next.as_ref());
        products.subcols_mut(before, block).copy_from(&product);
        if (step + 1) % STEP == 0
            && let Some(found) = accepted(m, basis.subcols(0, own), products.subcols(0, own), k)
        {
            return Some(found);
        }
        next = times(m.transpose(), product.as_ref());
        // The second round removes the part that rounding left in the first.
        for _ in 0..2 {
            let known = basis.subcols(0, own);
            next -= times(known, times(known.transpose(), next.as_ref()).as_ref());
            next = orthonormal(next);
        }
    }
    None
}

fn orthonormal(block: Mat<f64>) -> Mat<f64> {
    block.qr().compute_thin_Q()
}

/// The triplets within a subspace, if they are those of M.
fn accepted(
    m: MatRef<'_, f64>,
    basis: MatRef<'_, f64>,
    products: MatRef<'_, f64>,
    k: usize,
) -> Option<Found> {
    let size = basis.ncols();
    let (squares, vectors) = eigen(times(products.transpose(), products).as_ref())?;
    let d: Vec<f64> = (0..k).map(|i| squares[size - 1 - i].max(0.0).sqrt()).collect();
    let z = Mat::from_fn(size, k, |i, j| vectors[(i, size - 1 - j)]);
    let mut u = times(products, z.as_ref());
    for (j, d) in d.iter().enumerate() {
        u.col_mut(j).iter_mut().for_each(|value| *value /= d);
    }
    let v = times(basis, z.as_ref());
    let mut residuals = times(m.transpose(), u.as_ref());
    for (j, d) in d.iter().enumerate() {
        residuals.col_mut(j).iter_mut().zip(v.col(j).iter()).for_each(|(residual, v)| *residual -= d * v);
    }
    // A comparison with NaN is false, so residuals that are not numbers are refused.
    let is_exact = residuals.col_iter().all(|residual| residual.norm_l2() <= ROUNDING * d[0]);
    let is_orthonormal = || {
        let mut gram = times(basis.transpose(), basis);
        (0..size).for_each(|i| gram[(i, i)] -= 1.0);
        gram.norm_max() <= ROUNDING
    };
    (is_exact && is_orthonormal()).then_some((u, d, v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::small::{Singular, thin_svd};
    use crate::testing::random_mat;

    /// A matrix with the given leading singular values, among others that are at most 0.05.
    fn with_values(rows: usize, cols: usize, values: &[f64]) -> Mat<f64> {
        let (u, v) =
            (orthonormal(random_mat(rows, values.len(), 1)), orthonormal(random_mat(cols, values.len(), 2)));
        let scaled = Mat::from_fn(rows, values.len(), |i, j| u[(i, j)] * values[j]);
        let noise = random_mat(rows, cols, 3);
        let noise = &noise - &u * (u.transpose() * &noise);
        let noise = &noise - (&noise * &v) * v.transpose();
        scaled * v.transpose() + faer::Scale(0.05 / (2.1 * (rows as f64).sqrt())) * noise
    }

    #[test]
    fn they_are_those_of_a_decomposition() {
        // Values near each other, more of them than a block has columns.
        let close: Vec<f64> = (0..12).map(|i| 0.96 - 1e-4 * i as f64).collect();
        for values in [vec![0.9, 0.8, 0.6, 0.5], vec![0.7; 6], close] {
            let m = with_values(310, 300, &values);
            let (u, d, v) = triplets(m.as_ref(), 4).expect("values apart from the others");
            let Singular { values, .. } = thin_svd(m.as_ref()).unwrap();
            d.iter().zip(&values).for_each(|(d, value)| assert!((d - value).abs() < 1e-14, "{d}, {value}"));
            let scaled = Mat::from_fn(310, 4, |i, j| u[(i, j)] * d[j]);
            assert!((&m * &v - &scaled).norm_max() < 1e-14);
            assert!((u.transpose() * &u - Mat::<f64>::identity(4, 4)).norm_max() < 1e-13);
            assert!((v.transpose() * &v - Mat::<f64>::identity(4, 4)).norm_max() < 1e-13);
        }
    }

    #[test]
    fn what_is_not_exact_soon_is_left_to_others() {
        // Values that lie close together all the way down, a matrix of zeros, and one that is too small.
        assert!(triplets(random_mat(310, 300, 4).as_ref(), 4).is_none());
        assert!(triplets(Mat::<f64>::zeros(310, 300).as_ref(), 4).is_none());
        assert!(triplets(with_values(80, 70, &[0.5]).as_ref(), 4).is_none());
    }
}
