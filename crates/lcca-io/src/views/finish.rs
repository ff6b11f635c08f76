//! Turns a bag of token numbers into a matrix: columns are chosen and numbered, other entries dropped, rows
//! sorted.
//!
//! Beyond the bag, only values that are not all ones take memory, because the work is done in place.

use super::bag::{Amounts, Bag, Bagging, Columns};
use crate::error::{Fault, Outcome, Remedy};
use crate::matrix::assemble::smallest;
use crate::parts::names::Names;
use lcca::matrix::{Matrix, OneHotRows, SparseRows, Values};
use rayon::prelude::*;

/// A finished view.
#[non_exhaustive]
pub struct MadeView {
    /// The rows.
    pub matrix: Matrix,
    /// The names of the columns; hashed columns have none.
    pub names: Option<Names>,
    /// The number of rows that hold each column.
    pub counts: Vec<u64>,
    /// The number of tokens, repeated ones counted.
    pub tokens: u64,
    /// The number of distinct tokens; unknown for hashed columns.
    pub distinct: Option<u64>,
    /// The number of rows without an entry.
    pub empty_rows: u64,
}

const DROPPED: u32 = u32::MAX;

/// Turns a bag into a matrix; `what` names the view in messages.
pub(crate) fn finish(bag: Bag, how: &Bagging, what: &str) -> Outcome<MadeView> {
    let rows = bag.ends.len() as u64;
    let (chosen, cols) = match &how.columns {
        Columns::Tokens(keep) => {
            let chosen = keep.choose(&bag.rows_with, rows, |id| bag.names.name(id));
            let cols = chosen.len();
            (Some(chosen), cols)
        }
        Columns::Hashed(bits) => (None, 1usize << bits),
    };
    if bag.ids.is_empty() || cols == 0 {
        return Err(nothing_left(&bag, what));
    }
    let counts = match &chosen {
        Some(chosen) => chosen.iter().map(|&id| bag.rows_with[id as usize]).collect(),
        None => counted(&bag.ids, cols),
    };
    let names = chosen.as_ref().map(|chosen| Names::new(chosen.iter().map(|&id| bag.names.name(id))));
    let column = chosen.as_ref().map(|chosen| numbered(chosen, bag.rows_with.len()));
    let (tokens, distinct) = (bag.tokens, chosen.is_some().then_some(bag.rows_with.len() as u64));
    let matrix = matrix(bag, column.as_deref(), &counts, how.amounts)?;
    Ok(MadeView { empty_rows: empty_rows(&matrix), matrix, names, counts, tokens, distinct })
}

fn counted(ids: &[u32], cols: usize) -> Vec<u64> {
    let mut counts = vec![0; cols];
    ids.iter().for_each(|&id| counts[id as usize] += 1);
    counts
}

fn nothing_left(bag: &Bag, what: &str) -> Fault {
    let most = bag.rows_with.iter().max().copied().unwrap_or(0);
    let (distinct, rows) = (bag.rows_with.len(), bag.ends.len());
    if distinct == 0 {
        return Fault::new(format!("{what}: no text has a token, in {rows} rows"));
    }
    let message = format!(
        "{what}: no column is left of {distinct} different tokens in {rows} rows, the most frequent in \
         {most} of them: keep more of them"
    );
    Fault::new(message).remedied_by(Remedy::KeepMoreTokens)
}

fn empty_rows(matrix: &Matrix) -> u64 {
    match matrix {
        Matrix::Sparse(rows) => {
            rows.offsets().as_slice().windows(2).filter(|pair| pair[0].get() == pair[1].get()).count() as u64
        }
        Matrix::OneHot(rows) => {
            rows.columns().iter().filter(|&column| column == OneHotRows::EMPTY).count() as u64
        }
        Matrix::Dense(_) => 0,
    }
}

/// The column of each token number, or [`DROPPED`].
fn numbered(chosen: &[u32], numbers: usize) -> Vec<u32> {
    let mut column = vec![DROPPED; numbers];
    chosen.iter().zip(0..).for_each(|(&id, index)| column[id as usize] = index);
    column
}

fn matrix(mut bag: Bag, column: Option<&[u32]>, counts: &[u64], amounts: Amounts) -> Outcome<Matrix> {
    let rows = bag.ends.len();
    let kept = renumber(&mut bag, column);
    compact(&mut bag, &kept);
    let mut offsets = Vec::with_capacity(rows + 1);
    offsets.push(0u64);
    let mut sum = 0;
    offsets.extend(kept.iter().map(|&kept| {
        sum += u64::from(kept);
        sum
    }));
    let values = match (bag.amounts.is_empty(), amounts) {
        (true, _) => Values::Ones,
        (false, Amounts::TfIdf) => Values::F32(tf_idf(&bag, &offsets, counts).into()),
        (false, _) if bag.amounts.iter().all(|&amount| amount == 1) => Values::Ones,
        (false, _) => Values::F32(bag.amounts.iter().map(|&amount| amount as f32).collect::<Vec<_>>().into()),
    };
    bag.amounts = Vec::new();
    smallest(SparseRows::new(counts.len(), offsets.into(), bag.ids.into(), values)?)
}

/// Moves the kept entries of each row to its front, columns ascending, and returns the number that each row
/// keeps.
fn renumber(bag: &mut Bag, column: Option<&[u32]>) -> Vec<u32> {
    // A part of 16,384 rows is enough work to be worth handing to another thread.
    const ROWS: usize = 1 << 14;
    let Bag { ids, amounts, ends, .. } = bag;
    let (mut ids, mut amounts, mut start) = (&mut ids[..], &mut amounts[..], 0);
    let mut parts = Vec::new();
    for ends in ends.chunks(ROWS) {
        let len = (ends[ends.len() - 1] - start) as usize;
        let (front, rest) = std::mem::take(&mut ids).split_at_mut(len);
        let with = if amounts.is_empty() { 0 } else { len };
        let (some, others) = std::mem::take(&mut amounts).split_at_mut(with);
        parts.push((start, ends, front, some));
        (ids, amounts, start) = (rest, others, ends[ends.len() - 1]);
    }
    let kept =
        parts.into_par_iter().map(|(start, ends, ids, amounts)| part(start, ends, ids, amounts, column));
    kept.collect::<Vec<_>>().concat()
}

fn part(start: u64, ends: &[u64], ids: &mut [u32], amounts: &mut [i32], column: Option<&[u32]>) -> Vec<u32> {
    let mut row: Vec<(u32, i32)> = Vec::new();
    let mut kept = Vec::with_capacity(ends.len());
    let mut from = 0;
    for &end in ends {
        let span = from..(end - start) as usize;
        from = span.end;
        row.clear();
        row.extend(span.clone().map(|entry| {
            let to = column.map_or(ids[entry], |column| column[ids[entry] as usize]);
            (to, amounts.get(entry).copied().unwrap_or(1))
        }));
        row.retain(|&(to, _)| to != DROPPED);
        row.sort_unstable();
        for (&(to, amount), entry) in row.iter().zip(span) {
            ids[entry] = to;
            if let Some(place) = amounts.get_mut(entry) {
                *place = amount;
            }
        }
        kept.push(row.len() as u32);
    }
    kept
}

/// Closes the gaps between the kept entries of the rows.
fn compact(bag: &mut Bag, kept: &[u32]) {
    let (mut to, mut from) = (0, 0);
    for (&end, &kept) in bag.ends.iter().zip(kept) {
        let span = from..from + kept as usize;
        bag.ids.copy_within(span.clone(), to);
        if !bag.amounts.is_empty() {
            bag.amounts.copy_within(span, to);
        }
        to += kept as usize;
        from = end as usize;
    }
    bag.ids.truncate(to);
    bag.amounts.truncate(to);
    bag.ids.shrink_to_fit();
    bag.ends = Vec::new();
    bag.names = Default::default();
}

fn tf_idf(bag: &Bag, offsets: &[u64], counts: &[u64]) -> Vec<f32> {
    let rows = (offsets.len() - 1) as f64;
    let weight: Vec<f64> =
        counts.iter().map(|&count| ((1.0 + rows) / (1.0 + count as f64)).ln() + 1.0).collect();
    let mut values = Vec::with_capacity(bag.ids.len());
    for pair in offsets.windows(2) {
        let span = pair[0] as usize..pair[1] as usize;
        let value = |entry: usize| f64::from(bag.amounts[entry]) * weight[bag.ids[entry] as usize];
        let length = span.clone().map(|entry| value(entry).powi(2)).sum::<f64>().sqrt();
        values.extend(span.map(|entry| (value(entry) / length) as f32));
    }
    values
}
