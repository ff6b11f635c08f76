//! Finds columns that both views have, as they are or as multiples: a label that leaked, an ID, the same
//! file twice.
//!
//! Shared columns may be the finding, as for a word and its translation, or a mistake, so the note says
//! which columns they are. The candidates are columns of X that pairs of high correlation consist of, by
//! their loadings, and those of them with the moments of a column of Y first. Rows that hold a candidate
//! are multiplied with those of Y. That takes far less time than a pass, because most rows of sparse views
//! hold none, and of dense views a sample of rows leaves hardly any column of Y to compare with.

use super::fitted::Fit;
use super::model::Model;
use crate::data::{InMemory, Moments, Pair, Side};
use crate::error::Result;
use crate::matrix::{DenseRows, Matrix};
use crate::outcome::Note;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Below this no pair can consist of a shared column.
const RELEVANT: f64 = 0.9;
/// The number of columns of X that are looked at.
const CANDIDATES: usize = 16;
/// The share of a column's variance that the relevant pairs must hold, unless its moments are those of a
/// column of Y.
const HELD: f64 = 0.5;
/// The bonus on that share for candidates with the moments of a column of Y, when candidates are put in
/// order.
const MATCHED: f64 = 0.25;
/// Moments of equal columns may differ by this, relative, because sums are formed in another order.
const ROUNDING: f64 = 1e-12;
/// Columns are multiples of each other but for a constant if their correlation is nearer to ±1 than this.
const SAME: f64 = 1e-7;
/// The number of pairs of columns that a note names.
const NAMED: usize = 3;

impl Fit {
    /// Looks for columns of X that are also columns of Y, or multiples of them, and notes those that it
    /// finds. Nothing is done without a correlation that would be worth explaining; otherwise it costs much
    /// less than a pass.
    pub fn look_for_shared_columns(&mut self, pair: &InMemory) -> Result<()> {
        self.model.check_widths(pair)?;
        let candidates = candidates(&self.model, pair)?;
        let mut columns = multiples(pair, &candidates, self.model.settings.center)?;
        if !columns.is_empty() {
            let (count, or_more) = (columns.len() as u64, candidates.len() == CANDIDATES);
            columns.truncate(NAMED);
            let equal = columns.iter().map(|&pair_of_columns| are_equal(pair, pair_of_columns)).collect();
            self.notes.push(Note::SharedColumns { count, or_more, columns, equal });
        }
        Ok(())
    }
}

/// Whether a column of X and one of Y hold the same number in every row that counts.
fn are_equal(pair: &InMemory, [x, y]: [u64; 2]) -> bool {
    let value = |side: Side, row: usize, column: u64| match pair.view(side) {
        Matrix::Dense(rows) => rows.get(row, column as usize),
        view => {
            let mut value = 0.0;
            view.for_each(row, |j, found| value = if j as u64 == column { found } else { value });
            value
        }
    };
    let rows = (0..pair.shape().rows).into_par_iter().with_min_len(1 << 13);
    rows.all(|row| pair.weight(row) == 0.0 || value(Side::X, row, x) == value(Side::Y, row, y))
}

/// Columns of X that may be columns of Y, the likeliest first.
fn candidates(model: &Model, pair: &dyn Pair) -> Result<Vec<usize>> {
    let relevant: Vec<usize> = (0..model.pairs()).filter(|&i| model.correlations[i] >= RELEVANT).collect();
    if relevant.is_empty() {
        return Ok(Vec::new());
    }
    let (x, y) = (pair.moments(Side::X)?, Signatures::new(pair.moments(Side::Y)?));
    let mut ranked: Vec<(f64, usize)> = Vec::new();
    for j in (0..x.sum.len()).filter(|&j| x.square[j] > 0.0) {
        let loadings = model.x.loadings.row(j);
        let held: f64 = relevant.iter().map(|&i| loadings[i] * loadings[i]).sum();
        let is_matched = y.have(x.square[j], x.sum[j]);
        if is_matched || held >= HELD {
            ranked.push((held + if is_matched { MATCHED } else { 0.0 }, j));
        }
    }
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    Ok(ranked.into_iter().take(CANDIDATES).map(|(_, j)| j).collect())
}

/// The moments of all columns of a view, sorted so that they can be searched.
struct Signatures(Vec<(f64, f64)>);

impl Signatures {
    fn new(moments: &Moments) -> Self {
        let mut all: Vec<(f64, f64)> =
            moments.square.iter().copied().zip(moments.sum.iter().copied()).collect();
        all.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        Signatures(all)
    }

    /// Whether a column has this sum of squares and this sum.
    fn have(&self, square: f64, sum: f64) -> bool {
        let (low, high) = (square * (1.0 - ROUNDING), square * (1.0 + ROUNDING));
        let first = self.0.partition_point(|column| column.0 < low);
        let near = self.0[first..].iter().take_while(|column| column.0 <= high);
        // Sums of both signs may cancel, so they are compared with the length of the column.
        near.into_iter().any(|column| (column.1 - sum).abs() <= ROUNDING * (sum.abs() + square))
    }
}

/// The column of Y that each candidate is a multiple of, if there is one.
fn multiples(pair: &InMemory, candidates: &[usize], center: bool) -> Result<Vec<[u64; 2]>> {
    if candidates.is_empty() {
        return Ok(Vec::new());
    }
    let products = match (pair.view(Side::X), pair.view(Side::Y)) {
        (Matrix::Dense(x), Matrix::Dense(y)) => dense_products(pair, x, y, candidates)?,
        (x, y) => sparse_products(pair, x, y, candidates),
    };
    let raw = [pair.moments(Side::X)?, pair.moments(Side::Y)?];
    let seen = raw.map(|moments| if center { moments.centered() } else { moments.clone() });
    let is_multiple = |&(&(c, l), product): &(&(usize, usize), &f64)| {
        let j = candidates[c];
        let about_means = if center { raw[0].sum[j] * (raw[1].sum[l] / raw[0].weight) } else { 0.0 };
        let length = (seen[0].square[j] * seen[1].square[l]).sqrt();
        length > 0.0 && (product - about_means).abs() >= (1.0 - SAME) * length
    };
    // Products are in the order of candidates and then of columns, and the first column will do.
    let mut found: Vec<[u64; 2]> = Vec::new();
    for (&(c, l), _) in products.iter().filter(is_multiple) {
        if found.last().is_none_or(|[j, _]| *j != candidates[c] as u64) {
            found.push([candidates[c] as u64, l as u64]);
        }
    }
    Ok(found)
}

/// Σ w·x·y of candidates and columns of Y, by their numbers. Products that are not listed are 0, or those of
/// columns that are no multiples.
type Products = BTreeMap<(usize, usize), f64>;

/// The products of all rows that hold a candidate.
fn sparse_products(pair: &InMemory, x: &Matrix, y: &Matrix, candidates: &[usize]) -> Products {
    const NONE: u8 = u8::MAX;
    let mut number = vec![NONE; x.cols()];
    candidates.iter().zip(0..).for_each(|(&column, c)| number[column] = c);
    // A table is quicker to add to than a map, and small unless Y is very wide; then few of its columns meet
    // a candidate.
    const LARGEST_TABLE: usize = 1 << 22;
    let cells = candidates.len().saturating_mul(y.cols());
    let mut table = if cells <= LARGEST_TABLE { vec![0.0; cells] } else { Vec::new() };
    let mut products = Products::new();
    let held = |row: usize| {
        let mut held = Vec::new();
        x.for_each(row, |column, value| {
            if number[column] != NONE {
                held.push((usize::from(number[column]), value));
            }
        });
        (!held.is_empty()).then_some((row, held))
    };
    // Rows are looked through in parallel, and the few that hold a candidate are added in their order.
    const BATCH: usize = 1 << 20;
    for start in (0..x.rows()).step_by(BATCH) {
        let rows = (start..x.rows().min(start + BATCH)).into_par_iter().with_min_len(1 << 13);
        for (row, held) in rows.filter_map(held).collect::<Vec<_>>() {
            let weight = pair.weight(row);
            y.for_each(row, |l, value| {
                for &(c, x_value) in &held {
                    let sum = match table.get_mut(c * y.cols() + l) {
                        Some(cell) => cell,
                        None => products.entry((c, l)).or_default(),
                    };
                    *sum += weight * x_value * value;
                }
            });
        }
    }
    let in_table = table.iter().enumerate().filter(|(_, sum)| **sum != 0.0);
    products.extend(in_table.map(|(cell, &sum)| ((cell / y.cols(), cell % y.cols()), sum)));
    products
}

/// The products of candidates with those columns of Y that are multiples of them in a sample of the rows.
fn dense_products(pair: &InMemory, x: &DenseRows, y: &DenseRows, candidates: &[usize]) -> Result<Products> {
    const SAMPLED: usize = 256;
    let sample: Vec<usize> = (0..x.rows()).step_by(x.rows().div_ceil(SAMPLED)).collect();
    let (sampled_x, sampled_y) = (x.taken(&sample)?, y.taken(&sample)?);
    let centered = |rows: &DenseRows, column: usize| {
        let values: Vec<f64> = (0..rows.rows()).map(|row| rows.get(row, column)).collect();
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        values.into_iter().map(|value| value - mean).collect::<Vec<f64>>()
    };
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let length = |column: &[f64]| dot(column, column).sqrt();
    let x_sample: Vec<(Vec<f64>, f64)> = candidates
        .iter()
        .map(|&column| {
            let column = centered(&sampled_x, column);
            let length = length(&column);
            (column, length)
        })
        .collect();
    let mut products = Products::new();
    for l in 0..y.cols() {
        let y_column = centered(&sampled_y, l);
        let y_length = length(&y_column);
        for (c, (x_column, x_length)) in x_sample.iter().enumerate() {
            // Nothing can be said of columns that are both constant in the sample. Rounding is given a wide
            // berth.
            let both_vary_or_neither = (*x_length > 0.0) == (y_length > 0.0);
            if both_vary_or_neither && dot(x_column, &y_column).abs() >= 0.999 * x_length * y_length {
                products.insert((c, l), 0.0);
            }
        }
    }
    if !products.is_empty() {
        pair.bring()?;
    }
    for (&(c, l), product) in &mut products {
        let column = candidates[c];
        *product = (0..x.rows()).map(|row| pair.weight(row) * x.get(row, column) * y.get(row, l)).sum();
    }
    Ok(products)
}
