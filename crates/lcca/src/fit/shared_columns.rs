//! Columns that both views have, as they are or as multiples: a label that leaked, an ID, the same file twice.
//!
//! Such a column correlates perfectly with itself, and says nothing about the views. The candidates are columns of X that
//! pairs of high correlation consist of, by their loadings, and those of them with the moments of a column of Y first. One
//! pass correlates the candidates with every column of Y.

use super::fitted::Fit;
use super::model::Model;
use crate::data::{Ask, Centered, Moments, Pair, Side};
use crate::error::Result;
use crate::matrix::Panel;
use crate::outcome::Note;

/// Below this no pair can consist of a shared column.
const RELEVANT: f64 = 0.9;
/// Columns of X that are looked at.
const CANDIDATES: usize = 16;
/// The share of a column's variance that the relevant pairs must hold, unless its moments are those of a column of Y.
const HELD: f64 = 0.5;
/// What equal moments add to that share when candidates are put in order.
const MATCHED: f64 = 0.25;
/// Moments of equal columns may differ by this, relative, because sums are formed in another order.
const ROUNDING: f64 = 1e-12;
/// Columns whose correlation is nearer to ±1 are multiples of each other but for a constant.
const SAME: f64 = 1e-7;
/// Pairs of columns that a note names.
const NAMED: usize = 3;

impl Fit {
    /// Looks for columns of X that are also columns of Y, or multiples of them, and notes what it finds. Without a
    /// correlation that would be worth explaining nothing is done; otherwise it costs at most half a pass.
    pub fn look_for_shared_columns(&mut self, pair: &dyn Pair) -> Result<()> {
        self.model.check_widths(pair)?;
        let note = if self.model.settings.center {
            shared(&self.model, pair, &|pair, visit| visit(&Centered::new(pair)?))?
        } else {
            shared(&self.model, pair, &|pair, visit| visit(pair))?
        };
        self.notes.extend(note);
        Ok(())
    }
}

/// Calls back with the pair as the model sees it.
type AsSeen<'a> = &'a dyn Fn(&dyn Pair, &mut dyn FnMut(&dyn Pair) -> Result<()>) -> Result<()>;

fn shared(model: &Model, pair: &dyn Pair, as_seen: AsSeen<'_>) -> Result<Option<Note>> {
    let candidates = candidates(model, pair)?;
    if candidates.is_empty() {
        return Ok(None);
    }
    let mut found = Vec::new();
    as_seen(pair, &mut |pair| {
        found = multiples(pair, &candidates)?;
        Ok(())
    })?;
    if found.is_empty() {
        return Ok(None);
    }
    let (count, is_limit) = (found.len() as u64, candidates.len() == CANDIDATES);
    found.truncate(NAMED);
    Ok(Some(Note::SharedColumns { count, or_more: is_limit, columns: found }))
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

/// The moments of all columns of a view, to be searched.
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
fn multiples(pair: &dyn Pair, candidates: &[usize]) -> Result<Vec<[u64; 2]>> {
    let shape = pair.shape();
    let mut unit = Panel::zeros(shape.x_cols, candidates.len());
    candidates.iter().enumerate().for_each(|(c, &j)| unit.row_mut(j)[c] = 1.0);
    let mut products = Panel::zeros(shape.y_cols, candidates.len());
    pair.pass(&mut Ask::new().source(Side::X, &unit).to(Side::Y, &mut products))?;
    let (x, y) = (&pair.moments(Side::X)?.square, &pair.moments(Side::Y)?.square);
    let find = |(c, &j): (usize, &usize)| {
        let is_multiple = |&l: &usize| {
            let length = (x[j] * y[l]).sqrt();
            length > 0.0 && products.row(l)[c].abs() >= (1.0 - SAME) * length
        };
        (0..shape.y_cols).find(is_multiple).map(|l| [j as u64, l as u64])
    };
    Ok(candidates.iter().enumerate().filter_map(find).collect())
}
