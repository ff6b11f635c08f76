//! Rows that are standardized one by one: each is shifted and divided so that its entries have mean 0 and
//! deviation 1.
//!
//! With y = D(x − μ) for columns that are centered and scaled first, or y = x, a standardized row is z =
//! w(y − m·1) with m the mean of y over its g columns and 1/w² = Σ(yⱼ − m)²/(g − 1). Sparse rows stay
//! sparse, because z is a multiple of the stored row plus multiples of two vectors that all rows share, 1
//! and Dμ. All three sums that m and w need run over stored entries only: Σyⱼ = Σdⱼxⱼ − Σdⱼμⱼ and Σyⱼ² =
//! Σdⱼ²xⱼ² − 2Σdⱼ²μⱼxⱼ + Σdⱼ²μⱼ².

use super::moments::Moments;
use crate::error::{Error, Result};
use crate::matrix::{Matrix, Reader};
use rayon::prelude::*;

/// The number of rows that one thread takes at a time.
const CHUNK: usize = 1024;
/// A row varies if its squared deviations are more than this share of its squares, because both carry a
/// relative error of 1e-16 for each of some hundred entries.
const VARIES: f64 = 1e-13;

/// How columns are centered and scaled before rows are standardized: y = factor·x − shift.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnScale {
    factors: Vec<f64>,
    shifts: Vec<f64>,
}

impl ColumnScale {
    /// Columns as they are: y = x.
    pub fn none(cols: usize) -> Self {
        ColumnScale { factors: vec![1.0; cols], shifts: vec![0.0; cols] }
    }

    /// Columns of mean 0 and deviation 1, with divisor n − 1. A column that does not vary becomes 0.
    pub fn standard(moments: &Moments) -> Self {
        let (means, squares) = (moments.mean(), moments.centered().square);
        let factor = |square: &f64| match square / (moments.weight - 1.0) {
            variance if variance > 0.0 => variance.sqrt().recip(),
            _ => 0.0,
        };
        let factors: Vec<f64> = squares.iter().map(factor).collect();
        let shifts = factors.iter().zip(&means).map(|(factor, mean)| factor * mean).collect();
        ColumnScale { factors, shifts }
    }

    /// A scale with the given factors and shifts: as many of both, all finite.
    pub fn new(factors: Vec<f64>, shifts: Vec<f64>) -> Result<Self> {
        if factors.len() != shifts.len() {
            return Err(Error::Length { what: "shifts", expected: factors.len(), found: shifts.len() });
        }
        let numbers = factors.iter().chain(&shifts);
        match numbers.copied().enumerate().find(|(_, number)| !number.is_finite()) {
            Some((index, value)) => Err(Error::NotFinite { row: 0, column: index % factors.len(), value }),
            None => Ok(ColumnScale { factors, shifts }),
        }
    }

    /// The number of columns.
    pub fn cols(&self) -> usize {
        self.factors.len()
    }

    /// The factor by which each column is multiplied.
    pub fn factors(&self) -> &[f64] {
        &self.factors
    }

    /// The number that is subtracted from each column after it was multiplied by its factor.
    pub fn shifts(&self) -> &[f64] {
        &self.shifts
    }

    /// The mean and factor that standardize each row.
    pub(crate) fn row_scales(&self, rows: &Matrix) -> Vec<RowScale> {
        let width = self.cols() as f64;
        let shift: f64 = self.shifts.iter().sum();
        let shift_square: f64 = self.shifts.iter().map(|shift| shift * shift).sum();
        let reader = Reader::new(rows);
        let row_scale = |row: usize| {
            let (mut sum, mut square, mut shifted) = (0.0, 0.0, 0.0);
            reader.for_each(row, |column, value| {
                let value = self.factors[column] * value;
                sum += value;
                square += value * value;
                shifted += self.shifts[column] * value;
            });
            let mean = (sum - shift) / width;
            let about_zero = square - 2.0 * shifted + shift_square;
            let about_mean = about_zero - width * mean * mean;
            let varies = about_mean > VARIES * (square + shift_square);
            RowScale { mean, factor: if varies { ((width - 1.0) / about_mean).sqrt() } else { 0.0 } }
        };
        (0..rows.rows()).into_par_iter().with_min_len(CHUNK).map(row_scale).collect()
    }

    /// A standardized dense row, formed entry by entry.
    pub(in crate::data) fn standardize(&self, rows: &Matrix, row: usize, into: &mut [f64]) -> bool {
        into.iter_mut().zip(&self.shifts).for_each(|(value, shift)| *value = -shift);
        rows.for_each(row, |column, value| into[column] += self.factors[column] * value);
        let width = self.cols() as f64;
        let square: f64 = into.iter().map(|value| value * value).sum();
        let mean = into.iter().sum::<f64>() / width;
        into.iter_mut().for_each(|value| *value -= mean);
        let about_mean: f64 = into.iter().map(|value| value * value).sum();
        let varies = about_mean > VARIES * square;
        let factor = if varies { ((width - 1.0) / about_mean).sqrt() } else { 0.0 };
        into.iter_mut().for_each(|value| *value *= factor);
        varies
    }
}

/// The mean and factor that standardize one row: z = factor·(y − mean). A row that does not vary has factor
/// 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowScale {
    pub mean: f64,
    pub factor: f64,
}
