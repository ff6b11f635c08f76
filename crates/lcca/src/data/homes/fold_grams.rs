//! The joint Gram matrices of the folds of cross-validation, formed together.
//!
//! The Gram matrix of some rows is the sum of those of its parts. Reading the rows once gives the matrices
//! of all folds on one pattern, and the matrix of all folds but one is a sum over lanes: cheap, and without
//! the cancellation of "all minus one". Memory: (4 + 8·folds) bytes per entry of XᵀX, XᵀY and YᵀY, and
//! twice that while they are formed.

use crate::data::facts::moments::Moments;
use crate::data::grams::joint::JointGram;
use crate::data::grams::laned::Laned;
use crate::data::grams::product::Allowance;
use crate::data::grams::transposed::Transposed;
use crate::data::in_memory::InMemory;
use crate::data::wrap::formed::Formed;
use crate::error::Result;
use crate::matrix::{Matrix, SparseRows, Values};
use crate::side::{Shape, Side};
use rayon::prelude::*;

/// The bytes of an entry of YᵀX: its column, and its place in XᵀY.
const TRANSPOSED: u64 = (size_of::<u32>() + size_of::<u64>()) as u64;
/// The bytes that the matrix of one choice of folds takes for each entry of XᵀX, XᵀY and YᵀY: its values,
/// including those of YᵀX.
const CHOSEN: u64 = 2 * size_of::<f64>() as u64;

/// The joint Gram matrix of each fold.
pub struct FoldGrams {
    /// Rows and moments of each fold.
    folds: Vec<(usize, [Moments; 2])>,
    xx: Laned,
    xy: Laned,
    yy: Laned,
    /// The pattern of YᵀX, and for each of its entries the one of XᵀY.
    yx: SparseRows,
    place: Vec<u64>,
    /// Which views are one-hot.
    one_hot: [bool; 2],
}

impl FoldGrams {
    /// Forms the matrices of `count` folds; `fold` has the fold of each row. The views must be sparse or
    /// one-hot, with rows that can be numbered in 32 bits. An error if the matrices would take more than
    /// `limit` bytes.
    pub fn form(pair: &InMemory, fold: &[u32], count: usize, limit: u64) -> Result<Self> {
        let [x, y] = Side::BOTH.map(|side| pair.view(side));
        let weight = |row: usize| pair.weight(row);
        let allowance = Allowance::new("the Gram matrices of the folds", limit);
        allowance.take(Transposed::bytes(x).max(Transposed::bytes(y)))?;
        let folds: Vec<(usize, [Moments; 2])> = (0..count as u32)
            .into_par_iter()
            .with_max_len(1)
            .map(|own| {
                let rows = || (0..fold.len()).filter(|&row| fold[row] == own);
                (rows().count(), [x, y].map(|view| Moments::new(view, rows(), weight)))
            })
            .collect();
        let gram = |view: &Matrix, side: Side, by_columns: &Transposed| match view {
            Matrix::OneHot(_) => {
                let squares: Vec<&[f64]> =
                    folds.iter().map(|(_, moments)| &moments[side as usize].square[..]).collect();
                Laned::diagonal(&squares)
            }
            _ => Laned::product(by_columns, view, (fold, count), &weight, true, &allowance),
        };
        // X by columns serves two blocks, and is dropped before Y is transposed, because the two transposes
        // are not needed at the same time.
        let (xx, xy) = {
            let by_columns = Transposed::new(x);
            let xx = gram(x, Side::X, &by_columns)?;
            (xx, Laned::product(&by_columns, y, (fold, count), &weight, false, &allowance)?)
        };
        let yy = gram(y, Side::Y, &Transposed::new(y))?;
        allowance.take(TRANSPOSED * xy.pattern().entries())?;
        let entries = [&xx, &xy, &yy].map(|block| block.pattern().entries()).iter().sum::<u64>();
        allowance.take(CHOSEN * entries)?;
        let (yx, place) = transposed(xy.pattern())?;
        let one_hot = [x, y].map(|view| matches!(view, Matrix::OneHot(_)));
        Ok(FoldGrams { folds, xx, xy, yy, yx, place, one_hot })
    }

    /// The rows of all folds but one, known by their Gram matrix.
    pub fn without(&self, fold: usize) -> Result<Formed> {
        self.sum(|other| other != fold)
    }

    /// The rows of one fold, known by their Gram matrix.
    pub fn only(&self, fold: usize) -> Result<Formed> {
        self.sum(|other| other == fold)
    }

    /// The rows of the wanted folds.
    fn sum(&self, wanted: impl Fn(usize) -> bool) -> Result<Formed> {
        let wanted: Vec<bool> = (0..self.folds.len()).map(wanted).collect();
        let (x_cols, y_cols) = (self.xx.pattern().rows(), self.yy.pattern().rows());
        let mut shape = Shape { rows: 0, x_cols, y_cols };
        let mut moments = [Moments::zero(x_cols), Moments::zero(y_cols)];
        for ((rows, own), _) in self.folds.iter().zip(&wanted).filter(|(_, wanted)| **wanted) {
            shape.rows += rows;
            moments.iter_mut().zip(own).for_each(|(sum, own)| sum.add(own));
        }
        let across = self.xy.sum(&wanted);
        let back: Vec<f64> = self.place.par_iter().map(|&place| across[place as usize]).collect();
        let block = |pattern: &SparseRows, values: Vec<f64>| -> Result<Matrix> {
            Ok(pattern.with_values(Values::F64(values.into()))?.into())
        };
        let blocks = [
            [block(self.xx.pattern(), self.xx.sum(&wanted))?, block(self.xy.pattern(), across)?],
            [block(&self.yx, back)?, block(self.yy.pattern(), self.yy.sum(&wanted))?],
        ];
        Ok(Formed::new(JointGram::from_all_blocks(shape, moments, blocks), self.one_hot))
    }

    /// The number of entries of all four blocks.
    pub fn entries(&self) -> u64 {
        [&self.xx, &self.xy, &self.yy].map(|block| block.pattern().entries()).iter().sum::<u64>()
            + self.yx.entries()
    }
}

/// The transpose of a pattern, and for each of its entries the place of the original one.
fn transposed(pattern: &SparseRows) -> Result<(SparseRows, Vec<u64>)> {
    let (offsets, columns) = (pattern.offsets().as_slice(), pattern.columns().as_slice());
    let mut starts = vec![0u64; pattern.cols() + 1];
    columns.iter().for_each(|column| starts[column.get() as usize + 1] += 1);
    (0..pattern.cols()).for_each(|j| starts[j + 1] += starts[j]);
    let mut next = starts.clone();
    let (mut rows, mut place) = (vec![0u32; columns.len()], vec![0u64; columns.len()]);
    for row in 0..pattern.rows() {
        for entry in offsets[row].get()..offsets[row + 1].get() {
            let next = &mut next[columns[entry as usize].get() as usize];
            (rows[*next as usize], place[*next as usize]) = (row as u32, entry);
            *next += 1;
        }
    }
    Ok((SparseRows::new(pattern.rows(), starts.into(), rows.into(), Values::Ones)?, place))
}
