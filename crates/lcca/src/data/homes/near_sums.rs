//! Sums about their center as a pair: the rows that were summed, minus that center.
//!
//! The Gram matrix of `Sums` is taken about the means, so it has lost no digits. If it were turned into
//! that of the unchanged rows and then centered, the digits that `near_origin.rs` is about would be lost.

use super::sums::Sums;
use crate::data::facts::ask::Ask;
use crate::data::facts::moments::Moments;
use crate::data::facts::origin::Origin;
use crate::data::grams::dense_gram::mirrored;
use crate::data::grams::gram::{GramMatrix, StoredGram};
use crate::data::pair::{Capabilities, Grams, Near, Pair};
use crate::data::wrap::near_origin::SHARE;
use crate::error::Result;
use crate::matrix::{LANES, Panel};
use crate::side::{Shape, Side};
use faer::Mat;

/// The rows behind some sums, minus the center of the sums.
pub(in crate::data) struct NearSums<'a> {
    sums: &'a Sums,
    origin: Origin,
    moments: [Moments; 2],
}

impl<'a> NearSums<'a> {
    /// The pair about its center; `None` if centering the unchanged rows loses few digits.
    pub fn if_needed(sums: &'a Sums) -> Option<Self> {
        let is_far = |moments: &Moments| (0..moments.sum.len()).any(|j| moments.left_by_centering(j) < SHARE);
        sums.moments.iter().any(is_far).then(|| NearSums {
            sums,
            origin: Origin::of_doubles(sums.center.clone()),
            moments: Side::BOTH.map(|side| about_center(sums, side)),
        })
    }
}

/// The moments of one view's columns after subtracting their center.
fn about_center(sums: &Sums, side: Side) -> Moments {
    let Moments { weight, count, nonzero, .. } = sums.moments[side as usize].clone();
    let first = if side == Side::X { 0 } else { sums.center[0].len() };
    let square = (0..count.len()).map(|j| sums.gram[(first + j, first + j)]).collect();
    Moments { weight, sum: sums.about_center(side), square, count, nonzero }
}

impl Pair for NearSums<'_> {
    fn shape(&self) -> Shape {
        let [x_cols, y_cols] = [&self.sums.center[0], &self.sums.center[1]].map(Vec::len);
        Shape { rows: self.sums.rows, x_cols, y_cols }
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        Ok(&self.moments[side as usize])
    }

    /// Σ x·(Wᵀy − offset)ᵀ = G·W − s·offsetᵀ, with G the block of the Gram matrix and s the sums of the
    /// target's columns.
    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        ask.assert_fits(self.shape());
        let first = [0, self.sums.center[0].len()];
        for (target, source) in Side::BOTH.into_iter().flat_map(|t| Side::BOTH.map(|s| (t, s))) {
            let Some(from) = ask.source_of(source) else { continue };
            let Some(out) = ask.target(target, source) else { continue };
            let entry = |i: usize, j: usize| {
                let (i, j) = (first[target as usize] + i, first[source as usize] + j);
                self.sums.gram[(i.max(j), i.min(j))]
            };
            let product = Mat::from_fn(out.rows(), from.panel.rows(), entry) * from.panel.as_mat();
            add(out, &product, &self.moments[target as usize].sum, |j| {
                from.offset.map_or(0.0, |lines| lines[j / LANES].0[j % LANES])
            });
        }
        Ok(())
    }

    fn capabilities(&self) -> Capabilities<'_> {
        Capabilities { grams: Some(self), ..Capabilities::none() }
    }

    fn near_origin(&self) -> Result<Near<'_>> {
        Ok(Near::Needless)
    }

    fn origin(&self) -> Option<&Origin> {
        Some(&self.origin)
    }
}

/// out ← out + product − sums·offsetᵀ.
fn add(out: &mut Panel, product: &Mat<f64>, sums: &[f64], offset: impl Fn(usize) -> f64) {
    for (i, sum) in sums.iter().enumerate() {
        for (j, out) in out.row_mut(i).iter_mut().enumerate().take(product.ncols()) {
            *out += product[(i, j)] - sum * offset(j);
        }
    }
}

impl Grams for NearSums<'_> {
    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        let Shape { x_cols, y_cols, .. } = self.shape();
        let (first, cols) = if side == Side::X { (0, x_cols) } else { (x_cols, y_cols) };
        let own = self.dense_gram(None, limit)?.submatrix(first, first, cols, cols).to_owned();
        Ok(GramMatrix { stored: StoredGram::Dense(mirrored(&own)), shift: None })
    }

    /// The matrix about the means m: with s the sums of the columns, it grows by w·mmᵀ − smᵀ − msᵀ.
    fn dense_gram(&self, means: Option<[&[f64]; 2]>, _limit: u64) -> Result<Mat<f64>> {
        let mut gram = self.sums.gram.clone();
        let Some(means) = means else { return Ok(gram) };
        let (m, s) = (means.concat(), [&self.moments[0].sum[..], &self.moments[1].sum].concat());
        let weight = self.moments[0].weight;
        for j in 0..m.len() {
            for i in j..m.len() {
                gram[(i, j)] += weight * m[i] * m[j] - s[i] * m[j] - m[i] * s[j];
            }
        }
        Ok(gram)
    }
}
