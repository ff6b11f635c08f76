//! The dense Gram matrices of the folds of cross-validation, for narrow views: the rows are read once for all
//! folds.
//!
//! Every fold's matrix is taken about the same center, the mean of all rows. The matrices can therefore be
//! added, and centering on the mean of some folds afterwards is a small correction. The matrix of all folds
//! but one is the sum of those before and after it: nothing is subtracted. Memory: two matrices for each
//! fold.

use super::summed::Summed;
use super::sums::Sums;
use crate::data::facts::moments::Moments;
use crate::data::grams::dense_gram;
use crate::data::grams::product::Allowance;
use crate::data::grams::scatter_gram;
use crate::data::in_memory::InMemory;
use crate::data::pair::Pair;
use crate::error::Result;
use crate::matrix::Matrix;
use crate::side::Side;
use rayon::prelude::*;

/// The dense Gram matrix of each fold, and of all other folds.
pub struct FoldSums {
    own: Vec<Sums>,
    others: Vec<Sums>,
}

impl FoldSums {
    /// Whether a view is dense, or matrix products form the Gram matrix of these views. Otherwise sparse
    /// rows have a cheaper way, and folds gain little by sharing it.
    pub fn pays(pair: &InMemory) -> bool {
        let views = Side::BOTH.map(|side| pair.view(side).clone());
        views.iter().any(|view| matches!(view, Matrix::Dense(_))) || !scatter_gram::pays(&views)
    }

    /// Forms the matrices of `count` folds; `fold` has the fold of each row. An error if the matrices would
    /// take more than `limit` bytes.
    pub fn form(pair: &InMemory, fold: &[u32], count: usize, limit: u64) -> Result<Self> {
        let views: [Matrix; 2] = Side::BOTH.map(|side| pair.view(side).clone());
        let width = views.iter().map(Matrix::cols).sum::<usize>() as u64;
        let allowance = Allowance::new("the Gram matrices of the folds", limit);
        let needed = (2 * count as u64 + 1).saturating_mul(8).saturating_mul(width.saturating_mul(width));
        allowance.take(needed.saturating_add(8 * fold.len() as u64))?;
        let center = [pair.moments(Side::X)?.mean(), pair.moments(Side::Y)?.mean()];
        let mut rows: Vec<Vec<usize>> = vec![Vec::new(); count];
        fold.iter().enumerate().for_each(|(row, &fold)| rows[fold as usize].push(row));
        let moments: Vec<[Moments; 2]> = rows
            .par_iter()
            .with_max_len(1)
            .map(|rows| {
                views.each_ref().map(|view| Moments::new(view, rows.iter().copied(), |row| pair.weight(row)))
            })
            .collect();
        let mut own = Vec::with_capacity(count);
        for (rows, moments) in rows.iter().zip(moments) {
            let about = [&center[0][..], &center[1]];
            let row = |i: usize| rows[i];
            let gram =
                dense_gram::form_rows(&views, pair.weights(), Some(&about), (rows.len(), &row), limit)?;
            own.push(Sums { rows: rows.len(), moments, center: center.clone(), gram });
        }
        let others = all_but_one(&own, Sums::plus);
        Ok(FoldSums { own, others })
    }

    /// All rows but those of one fold, as sums. `rows` are the same rows, to answer questions that Gram
    /// matrices cannot.
    pub fn without(&self, fold: usize, rows: InMemory) -> Summed<'_> {
        Summed::new(&self.others[fold], Some(rows))
    }

    /// The rows of one fold, known by their Gram matrix.
    pub fn only(&self, fold: usize) -> Summed<'_> {
        Summed::new(&self.own[fold], None)
    }
}

/// For each of the items, the sum of all others: those before it and those after it. There must be two
/// items or more.
fn all_but_one<T: Clone>(items: &[T], plus: impl Fn(T, &T) -> T) -> Vec<T> {
    let mut after: Vec<T> = Vec::with_capacity(items.len());
    // From the last item down, because the sum over the items after the current one then comes last.
    for item in items[1..].iter().rev() {
        let sum = after.last().cloned().map_or_else(|| item.clone(), |sum| plus(sum, item));
        after.push(sum);
    }
    let mut before: Option<T> = None;
    let mut sums = Vec::with_capacity(items.len());
    for item in items {
        sums.push(match (&before, after.pop()) {
            (Some(before), Some(after)) => plus(before.clone(), &after),
            (Some(before), None) => before.clone(),
            (None, Some(after)) => after,
            (None, None) => item.clone(),
        });
        before = Some(before.map_or_else(|| item.clone(), |sum| plus(sum, item)));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_left_out_once() {
        let sums = all_but_one(&[1, 10, 100, 1000], |a, b| a + b);
        assert_eq!(sums, [1110, 1101, 1011, 111]);
        assert_eq!(all_but_one(&[1, 10], |a, b| a + b), [10, 1]);
    }
}
