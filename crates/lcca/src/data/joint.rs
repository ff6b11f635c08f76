//! Gram mode: all four blocks of [X Y]ᵀ[X Y] formed once, and passes over them instead of the rows.
//!
//! Where many rows share few pairs of columns, the blocks hold far fewer entries than a pass over the rows touches:
//! every entry of a row is met three times in a pass, every entry of a block once. A block's row times a panel is the
//! same gather as a data row's.

use super::product::{Allowance, Transposed, product};
use super::{Ask, GramMatrix, Moments, Pair, Shape, Side, SparseGram, StoredGram, Triangle};
use crate::error::{Error, Result};
use crate::kernel;
use crate::matrix::{Line, Matrix, Panel, RowsBuilder, SparseRows, Values};
use bytemuck::Zeroable;
use faer::Mat;
use rayon::prelude::*;

/// Rows of a block that one thread multiplies at a time.
const ROWS: usize = 256;
/// Rows of a block that one thread adds to another's at a time.
const SUMMED: usize = 4096;

/// XᵀX, XᵀY, YᵀX and YᵀY.
pub struct JointGram {
    shape: Shape,
    moments: [Moments; 2],
    /// `blocks[target][source]`
    blocks: [[Matrix; 2]; 2],
}

impl JointGram {
    /// Forms the blocks of two views; an error where more than `limit` bytes would be needed.
    pub(super) fn of(
        views: &[Matrix; 2],
        moments: [&Moments; 2],
        weight: &(impl Fn(usize) -> f64 + Sync),
        limit: u64,
    ) -> Result<Self> {
        let [x, y] = views;
        let allowance = Allowance::new("the joint Gram matrix", limit);
        allowance.take(Transposed::bytes(x).max(Transposed::bytes(y)))?;
        let own =
            |view: &Matrix, by_columns: &Transposed| product(by_columns, view, weight, true, &allowance);
        let (xx, xy) = {
            let by_columns = Transposed::of(x);
            let xx = match x {
                Matrix::OneHot(_) => diagonal(&moments[0].square),
                _ => own(x, &by_columns),
            };
            (xx?, product(&by_columns, y, weight, false, &allowance)?)
        };
        let yy = match y {
            Matrix::OneHot(_) => diagonal(&moments[1].square),
            _ => own(y, &Transposed::of(y)),
        }?;
        let xy = xy.into();
        allowance.take(Transposed::bytes(&xy))?;
        let shape = Shape { rows: x.rows(), x_cols: x.cols(), y_cols: y.cols() };
        JointGram::from_blocks(shape, moments.map(Moments::clone), [xx.into(), xy, yy.into()])
    }

    /// From XᵀX, XᵀY and YᵀY, formed elsewhere.
    pub fn from_blocks(shape: Shape, moments: [Moments; 2], [xx, xy, yy]: [Matrix; 3]) -> Result<Self> {
        let [p, q] = [shape.x_cols, shape.y_cols];
        for (block, rows, cols) in [(&xx, p, p), (&xy, p, q), (&yy, q, q)] {
            for (what, expected, found) in
                [("rows of a block", rows, block.rows()), ("columns of a block", cols, block.cols())]
            {
                if expected != found {
                    return Err(Error::Length { what, expected, found });
                }
            }
        }
        let yx = Transposed::of(&xy).into_rows(xy.rows())?.into();
        Ok(JointGram { shape, moments, blocks: [[xx, xy], [yx, yy]] })
    }

    /// The sum of two, of other rows and the same columns.
    pub(super) fn plus(self, other: JointGram) -> Result<Self> {
        let JointGram { mut shape, mut moments, blocks: [[xx, xy], [yx, yy]] } = self;
        let [[xx_more, xy_more], [yx_more, yy_more]] = other.blocks;
        shape.rows += other.shape.rows;
        moments.iter_mut().zip(&other.moments).for_each(|(sum, more)| sum.add(more));
        let blocks = [
            [add_blocks(&xx, &xx_more)?, add_blocks(&xy, &xy_more)?],
            [add_blocks(&yx, &yx_more)?, add_blocks(&yy, &yy_more)?],
        ];
        Ok(JointGram { shape, moments, blocks })
    }

    /// Stored entries of all four blocks.
    pub fn entries(&self) -> u64 {
        self.blocks.iter().flatten().map(Matrix::entries).sum()
    }

    /// (`target`)ᵀ(`source`), row by row.
    pub fn block(&self, target: Side, source: Side) -> &Matrix {
        &self.blocks[target as usize][source as usize]
    }
}

/// The Gram matrix of a one-hot view.
fn diagonal(values: &[f64]) -> Result<SparseRows> {
    let offsets: Vec<u64> = (0..=values.len() as u64).collect();
    let columns: Vec<u32> = (0..values.len() as u32).collect();
    SparseRows::new(values.len(), offsets.into(), columns.into(), Values::F64(values.to_vec().into()))
}

/// A + B, of the same shape. What is stored in either is stored, zero or not.
pub fn add_blocks(a: &Matrix, b: &Matrix) -> Result<Matrix> {
    let part = |start: usize| {
        let (mut rows, mut entries) = (RowsBuilder::default(), Vec::new());
        for row in start..(start + SUMMED).min(a.rows()) {
            entries.clear();
            for m in [a, b] {
                m.for_each(row, |column, value| entries.push((column as u32, value)));
            }
            // Two runs in order: merged, not sorted.
            entries.sort_by_key(|&(column, _)| column);
            for same in entries.chunk_by(|a, b| a.0 == b.0) {
                rows.push(same[0].0, same.iter().map(|(_, value)| value).sum());
            }
            rows.end_row();
        }
        rows
    };
    let starts: Vec<usize> = (0..a.rows()).step_by(SUMMED).collect();
    let parts = starts.into_par_iter().map(part).collect();
    Ok(RowsBuilder::join(parts, a.cols(), false)?.into())
}

impl Pair for JointGram {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn moments(&self, side: Side) -> Result<&Moments> {
        Ok(&self.moments[side as usize])
    }

    fn pass(&self, ask: &mut Ask<'_>) -> Result<()> {
        ask.assert_fits(self.shape);
        for (target, source) in Side::BOTH.into_iter().flat_map(|t| Side::BOTH.map(|s| (t, s))) {
            let Some(from) = ask.source_of(source) else { continue };
            let Some(out) = ask.target(target, source) else { continue };
            add_product(out, self.block(target, source), from.panel);
            if let Some(offset) = from.offset {
                subtract_outer(out, &self.moments[target as usize].sum, offset);
            }
        }
        Ok(())
    }

    fn gram(&self, side: Side, _limit: u64) -> Result<GramMatrix> {
        Ok(GramMatrix { stored: StoredGram::Sparse(SparseGram::lower(self.block(side, side))), shift: None })
    }

    fn dense_gram(&self, means: Option<[&[f64]; 2]>, _limit: u64) -> Result<Mat<f64>> {
        let Shape { x_cols, y_cols, .. } = self.shape;
        let mut dense = Mat::zeros(x_cols + y_cols, x_cols + y_cols);
        for (target, source) in [(Side::X, Side::X), (Side::Y, Side::X), (Side::Y, Side::Y)] {
            let (top, left) = (target as usize * x_cols, source as usize * x_cols);
            let block = self.block(target, source);
            (0..block.rows()).for_each(|i| block.for_each(i, |j, value| dense[(top + i, left + j)] = value));
        }
        if let Some([x_mean, y_mean]) = means {
            let mean: Vec<f64> = x_mean.iter().chain(y_mean).copied().collect();
            let sum: Vec<f64> = self.moments.iter().flat_map(|moments| moments.sum.iter().copied()).collect();
            let weight = self.moments[0].weight;
            for j in 0..mean.len() {
                for i in j..mean.len() {
                    dense[(i, j)] += weight * mean[i] * mean[j] - mean[i] * sum[j] - sum[i] * mean[j];
                }
            }
        }
        Ok(dense)
    }

    fn triangle(&self, _limit: u64) -> Result<Triangle> {
        Err(Error::Factorization("rows that are known by their Gram matrices only"))
    }
}

/// out ← out + block·w.
fn add_product(out: &mut Panel, block: &Matrix, w: &Panel) {
    let stride = w.lines_per_row();
    if stride == 0 {
        return;
    }
    out.lines_mut().par_chunks_mut(ROWS * stride).enumerate().for_each_init(
        || vec![Line::zeroed(); ROWS * stride],
        |z, (chunk, out)| {
            let (first, rows) = (chunk * ROWS, out.len() / stride);
            let z = &mut z[..out.len()];
            kernel::gather(block, first..first + rows, w.lines(), stride, z);
            kernel::add(out, z);
        },
    );
}

/// out ← out − sums·offset: what subtracting the offset from every row's z does to the sum over rows.
fn subtract_outer(out: &mut Panel, sums: &[f64], offset: &[Line]) {
    let stride = offset.len().max(1);
    out.lines_mut().par_chunks_mut(stride).zip(sums).with_min_len(4096).for_each(|(row, sum)| {
        for (out, offset) in row.iter_mut().zip(offset) {
            out.0.iter_mut().zip(&offset.0).for_each(|(out, offset)| *out -= sum * offset);
        }
    });
}
