//! Centering without densifying.
//!
//! With column means μ, z = Wᵀ(x − μ) = Wᵀx − Wᵀμ: one k-vector is subtracted from every row's z. The z
//! then sum to zero, so Xᵀz is already (X − 1μᵀ)ᵀz and nothing else changes. Rows are read near an origin
//! (`near_origin.rs`) if they have a column with a mean of m times its deviation, because such a column
//! would lose about 2·log₁₀(m) of the sixteen digits. A constant column loses all of them, so the pass
//! leaves its row of every product as it was: zero is added instead of rounding errors.

use crate::data::facts::ask::{Ask, Source};
use crate::data::facts::composition::Composition;
use crate::data::facts::dead_columns::{DeadColumns, numbered};
use crate::data::facts::moments::Moments;
use crate::data::facts::triangle::Triangle;
use crate::data::grams::gram::GramMatrix;
use crate::data::pair::{Blocks, Capabilities, Grams, Near, Pair, Triangles};
use crate::error::Result;
use crate::matrix::{LANES, Line, Lower};
use crate::side::{Shape, Side};
use bytemuck::Zeroable;
use faer::Mat;
use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// Columns whose share of Wᵀμ one thread adds up at a time.
const COLUMNS: usize = 4096;

/// A pair with the column means subtracted.
pub struct Centered<'a> {
    inner: &'a dyn Pair,
    mean: [Vec<f64>; 2],
    /// The means of the given pair, if another pair near an origin is read in its place.
    given: Option<[Vec<f64>; 2]>,
    moments: [Moments; 2],
    /// For each view, the columns that are constant and not zero.
    constant: DeadColumns,
    scratch: Mutex<Scratch>,
}

/// The memory that a pass needs besides the caller's panels.
#[derive(Default)]
struct Scratch {
    offsets: [Vec<Line>; 2],
    /// One vector for each group of columns: their share of Wᵀμ, before the groups are added up.
    partial: Vec<Line>,
    /// The products' rows of constant columns as they were before the pass.
    kept: Vec<Line>,
}

impl<'a> Centered<'a> {
    /// Reads each view once for its means. If centering would cost digits, `inner` is read near an origin.
    pub fn new(inner: &'a dyn Pair) -> Result<Self> {
        match inner.near_origin()? {
            Near::At(near) => {
                let given = [inner.moments(Side::X)?.mean(), inner.moments(Side::Y)?.mean()];
                Ok(Centered { given: Some(given), ..Centered::where_it_is(near)? })
            }
            Near::Needless | Near::Unknown => Centered::where_it_is(inner),
        }
    }

    /// Reads each view once for its means, without looking for an origin, because `inner` is near one
    /// already if it needs one.
    pub(crate) fn where_it_is(inner: &'a dyn Pair) -> Result<Self> {
        let (x, y) = (inner.moments(Side::X)?, inner.moments(Side::Y)?);
        let (moments, mean) = rayon::join(
            || <[Moments; 2]>::from(rayon::join(|| x.centered(), || y.centered())),
            || <[Vec<f64>; 2]>::from(rayon::join(|| x.mean(), || y.mean())),
        );
        let constant = |raw: &Moments, centered: &Moments| {
            let columns = (0..raw.sum.len()).into_par_iter().with_min_len(COLUMNS);
            columns.filter(|&j| raw.sum[j] != 0.0 && centered.square[j] == 0.0).collect()
        };
        Ok(Centered {
            inner,
            mean,
            given: None,
            constant: DeadColumns([constant(x, &moments[0]), constant(y, &moments[1])]),
            moments,
            scratch: Mutex::default(),
        })
    }

    /// The column means of both views, taken over the rows that are read.
    pub(crate) fn means(&self) -> &[Vec<f64>; 2] {
        &self.mean
    }

    /// The column means of one view of the given pair.
    pub fn mean(&self, side: Side) -> &[f64] {
        &self.given.as_ref().unwrap_or(&self.mean)[side as usize]
    }
}

impl Pair for Centered<'_> {
    fn shape(&self) -> Shape {
        self.inner.shape()
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        Ok(&self.moments[side as usize])
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        ask.assert_fits(self.shape());
        let Scratch { mut offsets, mut partial, mut kept } =
            std::mem::take(&mut *self.scratch.lock().unwrap_or_else(PoisonError::into_inner));
        for side in Side::BOTH {
            if let Some(source) = ask.source_of(side) {
                shift(&mut offsets[side as usize], &mut partial, source, &self.mean[side as usize]);
            }
        }
        self.constant.keep(ask, &mut kept);
        let mut inner = ask.reborrow();
        for (side, offset) in Side::BOTH.into_iter().zip(&offsets) {
            if let Some(source) = inner.source_of(side) {
                inner = inner.shifted_source(side, Source { panel: source.panel, offset: Some(offset) });
            }
        }
        let result = self.inner.pass(&mut inner);
        self.constant.put_back(ask, &kept);
        *self.scratch.lock().unwrap_or_else(PoisonError::into_inner) = Scratch { offsets, partial, kept };
        result
    }

    /// Structure is declined because centered rows are neither one-hot nor sparse. The sparse joint Gram
    /// matrix is declined because it is formed of the rows as they are and centered afterwards.
    fn capabilities(&self) -> Capabilities<'_> {
        let inner = self.inner.capabilities();
        Capabilities {
            structure: None,
            grams: inner.grams.map(|_| self as &dyn Grams),
            joint_grams: None,
            triangles: inner.triangles.map(|_| self as &dyn Triangles),
            blocks: inner.blocks.map(|_| self as &dyn Blocks),
            samples: inner.samples,
            covariates: None,
            space: inner.space,
        }
    }

    fn composition(&self) -> Option<Composition<'_>> {
        let inner = self.inner.composition().filter(Composition::is_plain)?;
        let dead = self.constant.0.each_ref().map(Vec::as_slice);
        Some(Composition { means: Some([&self.mean[0], &self.mean[1]]), dead, ..inner })
    }
}

impl Grams for Centered<'_> {
    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        let gram = self.inner.capabilities().require_grams()?.gram(side, limit)?;
        Ok(gram.centered(&self.mean[side as usize], self.moments[side as usize].weight))
    }

    /// Given means are subtracted instead of this pair's own, because centering a centered view changes
    /// nothing.
    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        let own = [&self.mean[0][..], &self.mean[1]];
        self.inner.capabilities().require_grams()?.dense_gram(Some(means.unwrap_or(own)), limit)
    }
}

impl Triangles for Centered<'_> {
    fn triangle(&self, limit: u64) -> Result<Triangle> {
        Ok(self.inner.capabilities().require_triangles()?.triangle(limit)?.centered())
    }

    /// The ones are sketched like any column, so they can be projected out of the sums.
    fn sketched_triangle(&self, size: usize, seed: u64, limit: u64) -> Result<Triangle> {
        let inner = self.inner.capabilities().require_triangles()?;
        Ok(inner.sketched_triangle(size, seed, limit)?.centered())
    }
}

impl Blocks for Centered<'_> {
    /// Given means are subtracted instead of this pair's own, because centering a centered view changes
    /// nothing. A constant column is zero, without rounding errors.
    fn block_gram(&self, columns: [&[u32]; 2], means: Option<[&[f64]; 2]>, limit: u64) -> Result<Lower> {
        let own = [&self.mean[0][..], &self.mean[1]];
        let inner = self.inner.capabilities().require_blocks()?;
        let mut gram = inner.block_gram(columns, Some(means.unwrap_or(own)), limit)?;
        self.constant.clear(gram.as_mat_mut(), numbered(columns));
        Ok(gram)
    }
}

/// offset ← Wᵀμ plus the offset of the request.
fn shift(offset: &mut Vec<Line>, partial: &mut Vec<Line>, source: Source<'_>, mean: &[f64]) {
    let stride = source.panel.lines_per_row();
    offset.clear();
    match source.offset {
        Some(outer) => offset.extend_from_slice(outer),
        None => offset.resize(stride, Line::zeroed()),
    }
    let chunks = mean.len().div_ceil(COLUMNS);
    partial.clear();
    partial.resize(chunks * stride, Line::zeroed());
    let lines = source.panel.lines().par_chunks(COLUMNS * stride.max(1));
    let sums = partial.par_chunks_mut(stride.max(1)).zip(lines).zip(mean.par_chunks(COLUMNS));
    sums.for_each(|((sum, lines), mean)| accumulate(sum, lines, mean));
    for sum in partial.chunks_exact(stride.max(1)) {
        accumulate(offset, sum, &[1.0]);
    }
}

/// offset ← offset + Wᵀμ.
fn accumulate(offset: &mut [Line], panel: &[Line], mean: &[f64]) {
    for (row, &mu) in panel.chunks_exact(offset.len().max(1)).zip(mean) {
        for (out, line) in offset.iter_mut().zip(row) {
            (0..LANES).for_each(|lane| out.0[lane] += mu * line.0[lane]);
        }
    }
}
