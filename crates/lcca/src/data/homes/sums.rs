//! Sums over the rows of narrow views. The sums of other rows can be added to them.

use crate::data::facts::moments::Moments;
use crate::data::pair::Pair;
use crate::error::Result;
use crate::side::Side;
use faer::Mat;

/// Sums over some rows of narrow views: all that a fit to them needs.
#[derive(Clone)]
pub struct Sums {
    /// The number of rows.
    pub rows: usize,
    /// Column sums, squared norms and counts of the rows as they are.
    pub moments: [Moments; 2],
    /// One number per column, near the means.
    pub center: [Vec<f64>; 2],
    /// The lower triangle of Σ(z − c)(z − c)ᵀ over the rows z = [x y], with c the center.
    pub gram: Mat<f64>,
}

impl Sums {
    /// The sums of all rows of a pair, about their means. An error if they would take more than `limit`
    /// bytes.
    pub fn about_means(pair: &dyn Pair, limit: u64) -> Result<Self> {
        let moments = [pair.moments(Side::X)?.clone(), pair.moments(Side::Y)?.clone()];
        let center = moments.each_ref().map(Moments::mean);
        let means = [&center[0][..], &center[1]];
        let gram = pair.capabilities().require_grams()?.dense_gram(Some(means), limit)?;
        Ok(Sums { rows: pair.shape().rows, moments, center, gram })
    }

    /// The sums of both sets of rows, each about its own means (Chan, Golub and LeVeque 1979). Nothing
    /// cancels, however far the means drift, because two matrices of squares and the square of the distance
    /// between the means are added.
    pub fn merged(mut self, other: &Sums) -> Sums {
        let (own, more) = (self.moments[0].weight, other.moments[0].weight);
        let step: Vec<f64> =
            other.center.concat().iter().zip(self.center.concat()).map(|(b, a)| b - a).collect();
        let (share, factor) = (more / (own + more), own * (more / (own + more)));
        for j in 0..step.len() {
            let column = self.gram.col_as_slice_mut(j)[j..].iter_mut();
            let others = &other.gram.col_as_slice(j)[j..];
            column
                .zip(others)
                .zip(&step[j..])
                .for_each(|((sum, more), d)| *sum += more + factor * d * step[j]);
        }
        let centers = self.center.iter_mut().flatten();
        centers.zip(&step).for_each(|(center, step)| *center += share * step);
        self.rows += other.rows;
        self.moments.iter_mut().zip(&other.moments).for_each(|(sum, more)| sum.add(more));
        self
    }

    /// The sums of both sets of rows, about the same center.
    pub fn plus(mut self, other: &Sums) -> Sums {
        self.rows += other.rows;
        self.moments.iter_mut().zip(&other.moments).for_each(|(sum, more)| sum.add(more));
        self.gram += &other.gram;
        self
    }

    /// Σ(z − c) over the rows.
    pub(in crate::data) fn about_center(&self, side: Side) -> Vec<f64> {
        let moments = &self.moments[side as usize];
        let each = moments.sum.iter().zip(&self.center[side as usize]);
        each.map(|(sum, center)| sum - moments.weight * center).collect()
    }
}
