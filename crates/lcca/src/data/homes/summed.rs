//! Rows whose dense Gram matrix is known.

use super::near_sums::NearSums;
use super::sums::Sums;
use crate::data::facts::ask::{Ask, Source};
use crate::data::facts::moments::Moments;
use crate::data::facts::origin::Origin;
use crate::data::grams::dense_gram::mirrored;
use crate::data::grams::gram::{GramMatrix, StoredGram};
use crate::data::in_memory::InMemory;
use crate::data::pair::{Capabilities, Grams, Near, Pair};
use crate::error::Result;
use crate::matrix::{LANES, Panel};
use crate::side::{Shape, Side};
use faer::Mat;

/// A pair whose sums are known. Passes go to the rows if these are there as well.
pub struct Summed<'a> {
    sums: &'a Sums,
    rows: Option<InMemory>,
    near: Option<NearSums<'a>>,
}

impl<'a> Summed<'a> {
    /// `rows` are the rows that were summed, to answer questions that their sums cannot.
    pub fn new(sums: &'a Sums, rows: Option<InMemory>) -> Self {
        // The given rows are near an origin already if they need one.
        let near = if rows.is_none() { NearSums::if_needed(sums) } else { None };
        Summed { sums, rows, near }
    }

    /// out ← out + Σ x·(Wᵀ(y − c) + v)ᵀ with v = Wᵀc − offset, x in the view `target` and y in the view
    /// `source`: Σ(x − c)(y − c)ᵀW + Σ(x − c)·vᵀ + c·Σ(Wᵀ(y − c) + v)ᵀ.
    fn add_product(&self, out: &mut Panel, target: Side, source: Side, Source { panel, offset }: Source<'_>) {
        let Shape { x_cols, .. } = self.shape();
        let w = panel.as_mat();
        let center = |side: Side| &self.sums.center[side as usize][..];
        let gram = self.sums.gram.as_ref();
        let entry = |i: usize, j: usize| {
            let place = |side: Side, i: usize| i + if side == Side::Y { x_cols } else { 0 };
            let (i, j) = (place(target, i), place(source, j));
            gram[(i.max(j), i.min(j))]
        };
        let block = Mat::from_fn(out.rows(), panel.rows(), entry);
        let product = block * w;
        let times = |numbers: &[f64], j: usize| (0..w.nrows()).map(|i| numbers[i] * w[(i, j)]).sum::<f64>();
        let weight = self.sums.moments[source as usize].weight;
        let (target_sum, source_sum) = (self.sums.about_center(target), self.sums.about_center(source));
        for j in 0..panel.cols() {
            let shift = offset.map_or(0.0, |lines| lines[j / LANES].0[j % LANES]);
            let v = times(center(source), j) - shift;
            let total = times(&source_sum, j) + weight * v;
            for (i, center) in center(target).iter().enumerate() {
                out.row_mut(i)[j] += product[(i, j)] + target_sum[i] * v + center * total;
            }
        }
    }
}

impl Pair for Summed<'_> {
    fn shape(&self) -> Shape {
        let [x_cols, y_cols] = [&self.sums.center[0], &self.sums.center[1]].map(Vec::len);
        Shape { rows: self.sums.rows, x_cols, y_cols }
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        Ok(&self.sums.moments[side as usize])
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        if let Some(rows) = &self.rows {
            return rows.pass(ask);
        }
        ask.assert_fits(self.shape());
        for (target, source) in Side::BOTH.into_iter().flat_map(|t| Side::BOTH.map(|s| (t, s))) {
            let Some(from) = ask.source_of(source) else { continue };
            let Some(out) = ask.target(target, source) else { continue };
            self.add_product(out, target, source, from);
        }
        Ok(())
    }

    fn near_origin(&self) -> Result<Near<'_>> {
        Ok(self.near.as_ref().map_or(Near::Needless, |near| Near::At(near)))
    }

    fn origin(&self) -> Option<&Origin> {
        self.rows.as_ref().and_then(Pair::origin)
    }

    /// Structure is declined because smaller problems would have other Gram matrices, and samples because
    /// the rows with weight 0 include those of other folds.
    fn capabilities(&self) -> Capabilities<'_> {
        let rows = self.rows.as_ref().map_or(Capabilities::none(), InMemory::capabilities);
        let Capabilities { triangles, blocks, .. } = rows;
        Capabilities {
            structure: None,
            grams: Some(self),
            joint_grams: None,
            triangles,
            blocks,
            samples: None,
            covariates: None,
            space: None,
        }
    }
}

impl Grams for Summed<'_> {
    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        if let Some(rows) = &self.rows {
            return rows.capabilities().require_grams()?.gram(side, limit);
        }
        let Shape { x_cols, y_cols, .. } = self.shape();
        let (first, cols) = if side == Side::X { (0, x_cols) } else { (x_cols, y_cols) };
        let own = self.dense_gram(None, limit)?.submatrix(first, first, cols, cols).to_owned();
        Ok(GramMatrix { stored: StoredGram::Dense(mirrored(&own)), shift: None })
    }

    /// The matrix about the means m instead of the center c: with v = c − m and s = Σ(z − c), it grows by
    /// svᵀ + vsᵀ + wvvᵀ.
    fn dense_gram(&self, means: Option<[&[f64]; 2]>, _limit: u64) -> Result<Mat<f64>> {
        let center: Vec<f64> = self.sums.center.concat();
        let mean: Vec<f64> = means.map_or_else(|| vec![0.0; center.len()], |means| means.concat());
        let sum = Side::BOTH.map(|side| self.sums.about_center(side)).concat();
        let weight = self.sums.moments[0].weight;
        let v: Vec<f64> = center.iter().zip(&mean).map(|(center, mean)| center - mean).collect();
        let mut gram = self.sums.gram.clone();
        for j in 0..v.len() {
            for i in j..v.len() {
                gram[(i, j)] += sum[i] * v[j] + v[i] * sum[j] + weight * v[i] * v[j];
            }
        }
        Ok(gram)
    }
}
