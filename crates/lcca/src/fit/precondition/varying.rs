//! Takes directions without variance out of what a singular preconditioner gives.
//!
//! Without a ridge, columns that depend on others make B singular. Residuals hold a little of its null space,
//! because sums are rounded, and (B − A + ε)⁻¹ multiplies that by 1/ε. Weights collect it until their
//! products consist of rounding errors: on indicators of which groups add up to one, totals rose above the
//! largest possible. With the columns scaled to unit length,
//!
//! ```text
//! T ← T − ε·(B + ε)⁻¹T
//! ```
//!
//! leaves directions of some variance as they are and takes out the others. The same with B − A in place of B
//! would also take out pairs with a correlation of 1.

use super::coarse_factor::{EPSILON, factorize, solve};
use crate::error::Result;
use crate::matrix::Lower;
use faer::{Mat, Scale};
use rayon::prelude::*;

/// If no pivot of B is below this, all directions have variance. A ridge of as much makes sure of that.
pub(in crate::fit) const SOME: f64 = 1e-6;

/// A factor of B + ε on columns of one view, scaled to unit length.
pub(in crate::fit) struct Varying {
    lower: Lower,
}

impl Varying {
    /// `product` is that of two columns after scaling. `None` if all directions have variance.
    pub fn new(size: usize, product: impl Fn(usize, usize) -> f64 + Sync) -> Result<Option<Self>> {
        let mut lower = Lower::zeros(size);
        lower.par_columns_mut().enumerate().for_each(|(j, column)| {
            let entry = |i: usize| if i == j { 1.0 + EPSILON } else { product(i, j) };
            (j..).zip(column).for_each(|(i, out)| *out = entry(i));
        });
        if !factorize(lower.as_mat_mut())? {
            return Ok(None);
        }
        let is_needed = (0..size).any(|i| lower[(i, i)].powi(2) < SOME);
        Ok(is_needed.then_some(Varying { lower }))
    }

    /// T ← T − ε·(B + ε)⁻¹T.
    pub fn keep(&self, t: &mut Mat<f64>) {
        let mut without = t.clone();
        solve(&self.lower, &mut without);
        *t -= Scale(EPSILON) * without;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::random_mat;

    /// Columns 0 to 3 vary freely; 4 is the sum of 0 and 1, and 5 differs from 2 by 1e-3 of its length.
    fn columns() -> Mat<f64> {
        let mut data = random_mat(50, 6, 1);
        for i in 0..50 {
            (data[(i, 4)], data[(i, 5)]) = (data[(i, 0)] + data[(i, 1)], data[(i, 2)] + 1e-3 * data[(i, 5)]);
        }
        let lengths: Vec<f64> = (0..6).map(|j| data.col(j).norm_l2()).collect();
        Mat::from_fn(50, 6, |i, j| data[(i, j)] / lengths[j])
    }

    #[test]
    fn directions_without_variance_go_and_others_stay() {
        let data = columns();
        let gram = data.transpose() * &data;
        let varying = Varying::new(6, |i, j| gram[(i, j)]).unwrap().unwrap();
        let given = random_mat(6, 3, 2);
        let mut kept = given.clone();
        varying.keep(&mut kept);
        let lost = &given - &kept;
        assert!((&data * &lost).norm_max() < 1e-4 * (&data * &given).norm_max(), "variance was lost");
        assert!(lost.norm_max() > 1e-2, "nothing was taken out");
        let mut again = kept.clone();
        varying.keep(&mut again);
        assert!((&again - &kept).norm_max() < 1e-2 * lost.norm_max(), "a second time takes out little");
    }

    #[test]
    fn independent_columns_need_nothing() {
        let data = columns();
        let gram = data.transpose() * &data;
        assert!(Varying::new(4, |i, j| gram[(i, j)]).unwrap().is_none());
    }
}
