//! The moments of rows that arrive in parts, about the first row: a column whose mean is far above its
//! deviation keeps its digits without a pass for the means alone.
//!
//! A column that some row does not store has zeros, so its deviation is not small. Only columns that every
//! row stores are moved, and sparse rows stay sparse.

use crate::data::facts::moments::Moments;
use crate::data::in_memory::InMemory;
use crate::data::pair::Pair;
use crate::data::wrap::near_origin::SHARE;
use crate::error::Result;
use crate::matrix::Matrix;
use crate::side::Side;

/// Sums over rows, of which more can be added.
pub struct GatheredMoments {
    first: Vec<f64>,
    /// The moments about the first row.
    about_first: Moments,
}

impl GatheredMoments {
    /// Moments of no rows yet.
    pub fn new(cols: usize) -> Self {
        GatheredMoments { first: vec![0.0; cols], about_first: Moments::zero(cols) }
    }

    /// Adds rows.
    pub fn add(&mut self, rows: &Matrix) -> Result<()> {
        if rows.rows() == 0 {
            return Ok(());
        }
        rows.bring()?;
        if self.about_first.weight == 0.0 {
            rows.for_each(0, |column, value| self.first[column] = value);
        }
        let plain = of_rows(rows)?;
        let is_stored = |j: usize| plain.count[j] == rows.rows() as u64;
        let far = |j: &usize| is_stored(*j) && plain.left_by_centering(*j) < SHARE;
        // A column of ones keeps its digits.
        let far: Vec<usize> =
            if rows.is_all_ones() { Vec::new() } else { (0..rows.cols()).filter(far).collect() };
        let mut part = plain.about(&self.first);
        if !far.is_empty() {
            let mut origin = vec![0.0; rows.cols()];
            far.iter().for_each(|&j| origin[j] = self.first[j]);
            let near = of_rows(&rows.less(&origin))?;
            far.iter().for_each(|&j| (part.sum[j], part.square[j]) = (near.sum[j], near.square[j]));
        }
        self.about_first.add(&part);
        Ok(())
    }

    /// Which columns have more than one value.
    pub fn varies(&self) -> Vec<bool> {
        self.about_first.square.iter().map(|&square| square > 0.0).collect()
    }

    /// The numbers to subtract from the columns before rows are standardized; `None` if no column is far
    /// from zero.
    fn origin(&self) -> Option<Vec<f64>> {
        let Moments { weight, sum, count, .. } = &self.about_first;
        let plain = self.plain();
        let is_far = |j: usize| {
            let varied = self.about_first.square[j] - sum[j] * (sum[j] / weight);
            count[j] as f64 == *weight && varied > 0.0 && varied < SHARE * plain.square[j]
        };
        let origin: Vec<f64> = (0..sum.len()).map(|j| if is_far(j) { self.first[j] } else { 0.0 }).collect();
        origin.iter().any(|&number| number != 0.0).then_some(origin)
    }

    /// The rows near the origin: a number near the mean is subtracted from each column that is far from
    /// zero.
    pub fn near(&self, rows: &Matrix) -> Matrix {
        self.origin().map_or_else(|| rows.clone(), |origin| rows.less(&origin))
    }

    /// The moments of all rows [near](Self::near) the origin.
    pub fn moments(&self) -> Moments {
        let plain = self.plain();
        let Some(origin) = self.origin() else { return plain };
        let choose = |near: &[f64], plain: &[f64]| -> Vec<f64> {
            let both = near.iter().zip(plain).zip(&origin);
            both.map(|((&near, &plain), &origin)| if origin == 0.0 { plain } else { near }).collect()
        };
        let sum = choose(&self.about_first.sum, &plain.sum);
        let square = choose(&self.about_first.square, &plain.square);
        Moments { sum, square, ..plain }
    }

    fn plain(&self) -> Moments {
        self.about_first.about(&self.first.iter().map(|number| -number).collect::<Vec<f64>>())
    }
}

fn of_rows(rows: &Matrix) -> Result<Moments> {
    Ok(InMemory::new(rows.clone(), rows.clone())?.moments(Side::X)?.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ColumnScale;
    use crate::matrix::{DenseRows, DenseValues, SparseRows, Values};

    /// Rows of four columns: one in the millions with deviations of some 1e-7, one near zero, one constant,
    /// and one that is zero at first.
    fn rows() -> Vec<[f64; 4]> {
        (0..90)
            .map(|i| {
                [
                    2_459_000.25 + f64::from(i * i % 7) / 1e7,
                    f64::from(i % 5) - 2.0,
                    1e8 / 3.0,
                    f64::from(i / 60),
                ]
            })
            .collect()
    }

    fn dense(rows: &[[f64; 4]]) -> Matrix {
        DenseRows::new(rows.len(), 4, DenseValues::F64(rows.concat().into())).unwrap().into()
    }

    fn sparse(rows: &[[f64; 4]]) -> Matrix {
        let entries = rows.iter().map(|row| row.iter().enumerate().filter(|(_, value)| **value != 0.0));
        let (mut ends, mut columns, mut values) = (vec![0u64], Vec::new(), Vec::new());
        for row in entries {
            row.for_each(|(column, value)| (columns.push(column as u32), values.push(*value)).1);
            ends.push(columns.len() as u64);
        }
        SparseRows::new(4, ends.into(), columns.into(), Values::F64(values.into())).unwrap().into()
    }

    #[test]
    fn parts_far_from_zero_are_scaled_as_by_two_passes() {
        let rows = rows();
        let deviation = |j: usize| {
            let near = rows.iter().map(|row| row[j] - rows[0][j]);
            let mean = near.clone().sum::<f64>() / rows.len() as f64;
            (near.map(|value| (value - mean).powi(2)).sum::<f64>() / (rows.len() as f64 - 1.0)).sqrt()
        };
        for matrix in [dense, sparse] {
            let mut gathered = GatheredMoments::new(4);
            rows.chunks(25).for_each(|part| gathered.add(&matrix(part)).unwrap());
            assert_eq!(gathered.varies(), [true, true, false, true]);
            let scale = ColumnScale::standard(&gathered.moments());
            for (j, factor) in scale.factors().iter().enumerate() {
                let expected = if j == 2 { 0.0 } else { deviation(j).recip() };
                assert!((factor - expected).abs() <= 1e-12 * expected, "column {j}: {factor} for {expected}");
            }
            let near = gathered.near(&matrix(&rows));
            assert!(
                (near.get(5, 0) - (rows[5][0] - rows[0][0])).abs() == 0.0 && near.get(5, 1) == rows[5][1]
            );
        }
    }
}
