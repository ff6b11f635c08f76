//! The products of all pairs of rows, with a factor for each column: Σⱼ sⱼ²·(zᵢⱼ − μⱼ)(zₖⱼ − μⱼ).
//!
//! It is the Gram matrix of the transpose, which is small for few rows however many columns there are.

use super::facts::composition::Composition;
use super::grams::dense_gram;
use super::grams::transposed::by_columns;
use super::in_memory::InMemory;
use crate::error::Result;
use crate::matrix::{Lower, Matrix};
use crate::side::Side;
use faer::Mat;
use rayon::prelude::*;

/// The innermost rows of a pair, if they are in memory.
pub(crate) fn rows_of<'a>(composition: &Composition<'a>) -> Option<&'a InMemory> {
    composition.home.downcast_ref::<InMemory>()
}

/// The lower triangle of the sum over both views; `factors` are the s of their columns, `means` the μ, if
/// they are subtracted. Rows count with the roots of their weights. An error if the matrix would take more
/// than `limit` bytes.
pub(crate) fn form(
    rows: &InMemory,
    factors: [&[f64]; 2],
    means: Option<[&[f64]; 2]>,
    limit: u64,
) -> Result<Lower> {
    let [x, y] = Side::BOTH.map(|side| of_view(rows.view(side), factors[side as usize], limit));
    let mut sum = Lower::of((x? + y?).as_ref());
    if let Some(means) = means {
        let along =
            Side::BOTH.map(|side| along_means(rows.view(side), factors[side as usize], means[side as usize]));
        let along: Vec<f64> = along[0].iter().zip(&along[1]).map(|(x, y)| x + y).collect();
        let square: f64 = (0..2)
            .flat_map(|view| factors[view].iter().zip(means[view]))
            .map(|(s, mean)| (s * mean).powi(2))
            .sum();
        sum.par_columns_mut().enumerate().for_each(|(j, column)| {
            column.iter_mut().zip(&along[j..]).for_each(|(out, along_i)| *out += square - along[j] - along_i);
        });
    }
    if rows.weights().is_some() {
        let roots: Vec<f64> = (0..sum.size()).map(|row| rows.weight(row).sqrt()).collect();
        sum.par_columns_mut().enumerate().for_each(|(j, column)| {
            column.iter_mut().zip(&roots[j..]).for_each(|(out, root)| *out *= roots[j] * root);
        });
    }
    Ok(sum)
}

/// The lower triangle for one view, without means and weights.
fn of_view(view: &Matrix, factors: &[f64], limit: u64) -> Result<Mat<f64>> {
    let squares: Vec<f64> = factors.iter().map(|factor| factor * factor).collect();
    dense_gram::form(&[by_columns(view)?.into()], Some(&squares.into()), None, limit)
}

/// Σⱼ sⱼ²·zᵢⱼ·μⱼ for every row i.
fn along_means(view: &Matrix, factors: &[f64], means: &[f64]) -> Vec<f64> {
    let of_row = |row: usize| {
        let mut sum = 0.0;
        view.for_each(row, |column, value| sum += factors[column].powi(2) * value * means[column]);
        sum
    };
    (0..view.rows()).into_par_iter().map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{SparseRows, Values};

    #[test]
    fn products_of_rows_are_those_of_dense_rows() {
        let view = |cols: usize, step: u64| -> Matrix {
            let columns: Vec<u32> = (0..18u64).map(|i| ((i * step) % cols as u64) as u32).collect();
            let values: Vec<f64> = (0..18).map(|i| 1.0 + f64::from(i % 7)).collect();
            let offsets: Vec<u64> = (0..=18).collect();
            SparseRows::new(cols, offsets.into(), columns.into(), Values::F64(values.into())).unwrap().into()
        };
        let weights: Vec<f64> = (0..18).map(|i| f64::from(i % 3)).collect();
        let rows = InMemory::new(view(9, 5), view(7, 3)).unwrap().weighted(weights.clone().into()).unwrap();
        let factors = [9, 7].map(|cols| (0..cols).map(|j| 0.5 + f64::from(j)).collect::<Vec<f64>>());
        let means = [9, 7].map(|cols| (0..cols).map(|j| f64::from(j) - 2.5).collect::<Vec<f64>>());
        for means in [None, Some(means.each_ref().map(|means| &means[..]))] {
            let found = form(&rows, factors.each_ref().map(|factors| &factors[..]), means, 1 << 20).unwrap();
            let dense = Side::BOTH.map(|side| {
                let factors = &factors[side as usize];
                let mean = |j: usize| means.map_or(0.0, |means| means[side as usize][j]);
                let mut z = Mat::from_fn(18, factors.len(), |_, j| -mean(j));
                (0..18).for_each(|i| rows.view(side).for_each(i, |j, value| z[(i, j)] += value));
                Mat::from_fn(18, factors.len(), |i, j| weights[i].sqrt() * factors[j] * z[(i, j)])
            });
            let expected = &dense[0] * dense[0].transpose() + &dense[1] * dense[1].transpose();
            for j in 0..18 {
                for i in j..18 {
                    assert!((found[(i, j)] - expected[(i, j)]).abs() < 1e-9 * expected.norm_max());
                }
            }
        }
    }
}
