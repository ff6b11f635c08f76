//! Equal rows merged into one row with their weights' sum, for pairs of one-hot views.
//!
//! A million tokens of text hold a few hundred thousand different pairs of words: a pass over those is as good.

use super::InMemory;
use crate::error::Result;
use crate::matrix::OneHotRows;
use rayon::prelude::*;

/// Rows looked at before deciding.
const SAMPLE: usize = 1 << 16;
/// Merging pays where fewer than this share of the sampled rows are different.
const DIFFERENT: f64 = 0.9;

/// The merged pair, where a sample says that it pays. `weight(row)` is a row's weight.
pub(super) fn merged(
    x: &OneHotRows,
    y: &OneHotRows,
    weight: impl Fn(usize) -> f64 + Sync,
) -> Result<Option<InMemory>> {
    let (xs, ys) = (x.columns().as_slice(), y.columns().as_slice());
    let key = |row: usize| u64::from(xs[row].get()) << 32 | u64::from(ys[row].get());
    let rows = x.rows();
    let step = rows.div_ceil(SAMPLE);
    let mut sample: Vec<u64> = (0..rows).step_by(step).map(key).collect();
    let sampled = sample.len() as f64;
    sample.sort_unstable();
    sample.dedup();
    let countable = (SAMPLE..u32::MAX as usize).contains(&rows);
    if !countable || sample.len() as f64 > DIFFERENT * sampled {
        return Ok(None);
    }
    let mut order: Vec<(u64, u32)> = (0..rows).into_par_iter().map(|row| (key(row), row as u32)).collect();
    order.par_sort_unstable();
    let (mut keys, mut weights): (Vec<u64>, Vec<f64>) = (Vec::new(), Vec::new());
    for (key, row) in order {
        if keys.last() != Some(&key) {
            keys.push(key);
            weights.push(0.0);
        }
        if let Some(sum) = weights.last_mut() {
            *sum += weight(row as usize);
        }
    }
    let side = |shift: u32| keys.iter().map(|key| (key >> shift) as u32).collect::<Vec<_>>();
    let x = OneHotRows::new(x.cols(), side(32).into())?;
    let y = OneHotRows::new(y.cols(), side(0).into())?;
    Ok(Some(InMemory::new(x.into(), y.into())?.weighted(weights.into())?))
}
