//! Centring without densifying.
//!
//! With column means μ, z = Wᵀ(x − μ) = Wᵀx − Wᵀμ: one k-vector subtracted from every row's z. The z then sum to zero,
//! so Xᵀz is already (X − 1μᵀ)ᵀz and nothing else changes. A column whose mean is m times its deviation loses about
//! 2·log₁₀(m) of the sixteen digits. A column with nothing but its mean loses all of them, so its row of every product is
//! left as it was: zero is added, not rounding.

use super::{Ask, GramMatrix, Moments, Pair, Shape, Side, Source, Triangle};
use crate::error::Result;
use crate::matrix::{LANES, Line, Panel};
use bytemuck::Zeroable;
use faer::Mat;
use std::sync::Mutex;

/// A pair with the column means subtracted.
pub struct Centred<'a> {
    inner: &'a dyn Pair,
    mean: [Vec<f64>; 2],
    moments: [Moments; 2],
    /// The columns that are constant and not zero.
    constant: [Vec<usize>; 2],
    scratch: Mutex<Scratch>,
}

/// What a pass needs besides the caller's panels.
#[derive(Default)]
struct Scratch {
    offsets: [Vec<Line>; 2],
    /// The rows of the products that belong to constant columns.
    kept: Vec<Line>,
}

impl<'a> Centred<'a> {
    /// Reads each view once for its means.
    pub fn new(inner: &'a dyn Pair) -> Result<Self> {
        let (x, y) = (inner.moments(Side::X)?, inner.moments(Side::Y)?);
        let moments = [x.centred(), y.centred()];
        let constant = |all: &Moments, centred: &Moments| {
            (0..all.sum.len()).filter(|&j| all.sum[j] != 0.0 && centred.square[j] == 0.0).collect()
        };
        Ok(Centred {
            inner,
            mean: [x.mean(), y.mean()],
            constant: [constant(x, &moments[0]), constant(y, &moments[1])],
            moments,
            scratch: Mutex::default(),
        })
    }

    /// The column means of one view.
    pub fn mean(&self, side: Side) -> &[f64] {
        &self.mean[side as usize]
    }

    /// Calls `visit` with every row of a product that belongs to a constant column.
    fn for_constant(&self, ask: &mut Ask<'_>, mut visit: impl FnMut(&mut [Line])) {
        for (target, source) in Side::BOTH.into_iter().flat_map(|t| Side::BOTH.map(|s| (t, s))) {
            let Some(panel) = ask.target(target, source) else { continue };
            let stride = panel.lines_per_row();
            for &j in &self.constant[target as usize] {
                visit(&mut panel.lines_mut()[j * stride..(j + 1) * stride]);
            }
        }
    }
}

impl Pair for Centred<'_> {
    fn shape(&self) -> Shape {
        self.inner.shape()
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        Ok(&self.moments[side as usize])
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        ask.assert_fits(self.shape());
        let Scratch { mut offsets, mut kept } =
            std::mem::take(&mut *self.scratch.lock().unwrap_or_else(|e| e.into_inner()));
        for side in Side::BOTH {
            if let Some(source) = ask.source_of(side) {
                shift(&mut offsets[side as usize], source, self.mean(side));
            }
        }
        kept.clear();
        self.for_constant(ask, |row| kept.extend_from_slice(row));
        let mut inner = ask.reborrow();
        for (side, offset) in Side::BOTH.into_iter().zip(&offsets) {
            if let Some(source) = inner.source_of(side) {
                inner = inner.shifted_source(side, Source { panel: source.panel, offset: Some(offset) });
            }
        }
        let result = self.inner.pass(&mut inner);
        let mut rest = &kept[..];
        self.for_constant(ask, |row| {
            let (before, after) = rest.split_at(row.len());
            row.copy_from_slice(before);
            rest = after;
        });
        *self.scratch.lock().unwrap_or_else(|e| e.into_inner()) = Scratch { offsets, kept };
        result
    }

    fn is_one_hot(&self, side: Side) -> bool {
        self.inner.is_one_hot(side)
    }

    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix> {
        Ok(self.inner.gram(side, limit)?.centred(self.mean(side), self.moments[side as usize].weight))
    }

    /// Means that are given are subtracted instead of this pair's own: centring a centred view changes nothing.
    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>> {
        let own = [self.mean(Side::X), self.mean(Side::Y)];
        self.inner.dense_gram(Some(means.unwrap_or(own)), limit)
    }

    fn triangle(&self, limit: u64) -> Result<Triangle> {
        Ok(self.inner.triangle(limit)?.centred())
    }
}

/// offset ← Wᵀμ plus the offset that was already asked for.
fn shift(offset: &mut Vec<Line>, source: Source<'_>, mean: &[f64]) {
    let stride = source.panel.lines_per_row();
    offset.clear();
    match source.offset {
        Some(outer) => offset.extend_from_slice(outer),
        None => offset.resize(stride, Line::zeroed()),
    }
    accumulate(offset, source.panel, mean);
}

fn accumulate(offset: &mut [Line], panel: &Panel, mean: &[f64]) {
    for (row, &mu) in panel.lines().chunks_exact(offset.len().max(1)).zip(mean) {
        for (out, line) in offset.iter_mut().zip(row) {
            (0..LANES).for_each(|lane| out.0[lane] += mu * line.0[lane]);
        }
    }
}
