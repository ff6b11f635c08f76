//! All four blocks of [X Y]ᵀ[X Y], formed sparsely.

use super::product::{Allowance, product, symmetric};
use super::transposed::Transposed;
use crate::data::facts::moments::Moments;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, RowsBuilder, SparseRows, Values};
use crate::side::{Shape, Side};
use rayon::prelude::*;

/// Rows of a block that one thread adds to another's at a time.
const SUMMED: usize = 512;

/// The blocks XᵀX, XᵀY, YᵀX and YᵀY. A clone shares their entries. Call [`JointGram::bring`] before reading
/// the entries on the host, because they may lie in the memory of a device.
#[derive(Clone)]
pub struct JointGram {
    shape: Shape,
    moments: [Moments; 2],
    /// `blocks[target][source]`
    blocks: [[Matrix; 2]; 2],
}

impl JointGram {
    /// Forms the blocks of two views; an error if they would take more than `limit` bytes.
    pub(in crate::data) fn form(
        views: &[Matrix; 2],
        moments: [&Moments; 2],
        weight: &(impl Fn(usize) -> f64 + Sync),
        limit: u64,
    ) -> Result<Self> {
        let [x, y] = views;
        let allowance = Allowance::of_joint_gram(limit);
        allowance.take_transposed(&[x, y])?;
        // The Gram matrix of a one-hot view is known from its moments. X by columns serves two blocks, and
        // is dropped before Y is transposed, because the two transposes are not needed at the same time.
        let (xx, xy) = {
            let x_by_columns = Transposed::new(x);
            let xx = if let Matrix::OneHot(_) = x {
                diagonal(&moments[0].square)?
            } else {
                symmetric(&x_by_columns, x, weight, &allowance)?
            };
            (xx, product(&x_by_columns, y, weight, &allowance)?)
        };
        let yy = if let Matrix::OneHot(_) = y {
            diagonal(&moments[1].square)?
        } else {
            symmetric(&Transposed::new(y), y, weight, &allowance)?
        };
        let xy = xy.into();
        allowance.take_transposed(&[&xy])?;
        let shape = Shape { rows: x.rows(), x_cols: x.cols(), y_cols: y.cols() };
        JointGram::from_blocks(shape, moments.map(Moments::clone), [xx.into(), xy, yy.into()])
    }

    /// Takes the blocks XᵀX, XᵀY and YᵀY, which the caller has formed.
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
        let yx = Transposed::new(&xy).into_rows(xy.rows())?.into();
        Ok(JointGram { shape, moments, blocks: [[xx, xy], [yx, yy]] })
    }

    /// Takes `blocks[target][source]` of the right shapes.
    pub fn from_all_blocks(shape: Shape, moments: [Moments; 2], blocks: [[Matrix; 2]; 2]) -> Self {
        JointGram { shape, moments, blocks }
    }

    /// Copies entries from the memory of a device to the host, which is about to read them. They are copied
    /// once, and a failed copy is an error.
    pub fn bring(&self) -> Result<()> {
        self.blocks.iter().flatten().try_for_each(Matrix::bring)
    }

    /// Copies all entries to the host, so that none of them keeps memory of a device.
    pub(in crate::data) fn on_host(self) -> Result<Self> {
        let on_host = |block: &Matrix| match block {
            Matrix::Sparse(rows) => Ok(Matrix::from(rows.on_host()?)),
            Matrix::OneHot(_) | Matrix::Dense(_) => Ok(block.clone()),
        };
        let [[xx, xy], [yx, yy]] = &self.blocks;
        let blocks = [[on_host(xx)?, on_host(xy)?], [on_host(yx)?, on_host(yy)?]];
        Ok(JointGram { blocks, ..self })
    }

    /// The joint Gram matrix of both sets of rows together, which have the same columns.
    pub fn plus(self, other: JointGram) -> Result<Self> {
        self.bring()?;
        other.bring()?;
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

    /// The joint Gram matrix of the views with their columns multiplied by `factors`; `None` leaves a view
    /// as it is.
    pub fn scaled(&self, factors: [Option<&[f64]>; 2]) -> Result<Self> {
        self.bring()?;
        let moments = Side::BOTH.map(|side| match factors[side as usize] {
            Some(factors) => self.moments(side).scaled(factors),
            None => self.moments(side).clone(),
        });
        let block = |target: Side, source: Side| {
            scale_block(self.block(target, source), factors[target as usize], factors[source as usize])
        };
        let blocks = [
            [block(Side::X, Side::X)?, block(Side::X, Side::Y)?],
            [block(Side::Y, Side::X)?, block(Side::Y, Side::Y)?],
        ];
        Ok(JointGram { shape: self.shape, moments, blocks })
    }

    /// The numbers of rows and columns of the data.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// Column sums, squared norms and counts of one view.
    pub fn moments(&self, side: Side) -> &Moments {
        &self.moments[side as usize]
    }

    /// The column means of both views.
    pub fn means(&self) -> [Vec<f64>; 2] {
        self.moments.each_ref().map(Moments::mean)
    }

    /// The number of stored entries of all four blocks.
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

/// diag(`left`)·block·diag(`right`).
fn scale_block(block: &Matrix, left: Option<&[f64]>, right: Option<&[f64]>) -> Result<Matrix> {
    let factor = |factors: Option<&[f64]>, i: usize| factors.map_or(1.0, |factors| factors[i]);
    let scale_rows = |start: usize| {
        let mut rows = RowsBuilder::default();
        for i in start..(start + SUMMED).min(block.rows()) {
            let own = factor(left, i);
            block.for_each(i, |j, value| rows.push(j as u32, own * value * factor(right, j)));
            rows.end_row();
        }
        rows
    };
    let starts: Vec<usize> = (0..block.rows()).step_by(SUMMED).collect();
    Ok(RowsBuilder::join(starts.into_par_iter().map(scale_rows).collect(), block.cols(), false)?.into())
}

/// A + B for blocks of the same shape. The sum stores every entry that either stores, zero or not.
pub fn add_blocks(a: &Matrix, b: &Matrix) -> Result<Matrix> {
    let add_rows = |start: usize| {
        let (mut rows, mut entries) = (RowsBuilder::default(), Vec::new());
        for row in start..(start + SUMMED).min(a.rows()) {
            entries.clear();
            for m in [a, b] {
                m.for_each(row, |column, value| entries.push((column as u32, value)));
            }
            // The two runs are in order already, so the stable sort merges them in linear time.
            entries.sort_by_key(|&(column, _)| column);
            for same in entries.chunk_by(|a, b| a.0 == b.0) {
                rows.push(same[0].0, same.iter().map(|(_, value)| value).sum());
            }
            rows.end_row();
        }
        rows
    };
    let starts: Vec<usize> = (0..a.rows()).step_by(SUMMED).collect();
    let parts = starts.into_par_iter().map(add_rows).collect();
    Ok(RowsBuilder::join(parts, a.cols(), false)?.into())
}
