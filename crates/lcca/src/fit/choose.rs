//! Which columns the coarse block holds.
//!
//! - Before the first iteration: the columns of the largest variance, and those of the strongest witnesses.
//! - Later: the columns on which the pairs live (leverage, Σᵢ wⱼᵢ²·bⱼⱼ) or on which they still have to change (residual,
//!   Σᵢ rⱼᵢ²/bⱼⱼ), those of the witnesses that the pairs found explain least, and some of the largest variance, so that what
//!   was overlooked is not lost for good.

use super::witness::Witness;
use rayon::prelude::*;

/// Of the columns of each view, this share is chosen by what witnesses say.
const BY_WITNESSES: f64 = 1.0 / 3.0;
/// Later on, this share is chosen by variance.
const BY_VARIANCE: f64 = 1.0 / 6.0;

/// And this share by how nearly they depend on another column, if that is known.
const BY_DEPENDENCE: f64 = 1.0 / 6.0;
/// Columns that one thread looks through at a time.
const PART: usize = 1 << 14;
/// Columns below this are not chosen for it.
const DEPENDENT: f64 = 5.0;

/// What is known of one view when its columns are chosen.
pub(super) struct ViewScores<'a> {
    /// 1/bⱼⱼ, 0 for a constant column.
    pub inverse: &'a [f64],
    /// Leverage and residual, once there are pairs.
    pub activity: Option<Vec<f64>>,
    /// How strongly witnesses ask for each column.
    pub witnesses: Vec<f64>,
    /// How nearly each column depends on another one, if that is known.
    pub dependence: Option<&'a [f64]>,
}

impl ViewScores<'_> {
    /// About `count` columns, ascending; all that are not constant if there are no more.
    pub fn choose(&self, count: usize) -> Vec<u32> {
        let varies = |&column: &u32| self.inverse[column as usize] > 0.0;
        let all: Vec<u32> = (0..self.inverse.len() as u32).filter(varies).collect();
        if all.len() <= count {
            return all;
        }
        let share = |share: f64| (share * count as f64) as usize;
        let variance: Vec<f64> =
            self.inverse.iter().map(|i| if *i > 0.0 { i.recip() } else { 0.0 }).collect();
        let mut chosen = top(&all, &self.witnesses, share(BY_WITNESSES));
        if let Some(dependence) = self.dependence {
            let dependent: Vec<u32> =
                all.iter().copied().filter(|&column| dependence[column as usize] > DEPENDENT).collect();
            chosen.extend(top(&dependent, dependence, share(BY_DEPENDENCE)));
        }
        if let Some(activity) = &self.activity {
            chosen.extend(top(&all, &variance, share(BY_VARIANCE)));
            fill(&mut chosen, &all, activity, count);
        } else {
            fill(&mut chosen, &all, &variance, count);
        }
        chosen.sort_unstable();
        chosen
    }
}

/// The columns of the `count` largest positive scores, the first of equal ones, in no particular order.
fn top(columns: &[u32], scores: &[f64], count: usize) -> Vec<u32> {
    let score = |column: u32| scores[column as usize];
    let most = |mut columns: Vec<u32>| {
        if count < columns.len() {
            columns.select_nth_unstable_by(count, |&a, &b| score(b).total_cmp(&score(a)).then(a.cmp(&b)));
            columns.truncate(count);
        }
        columns
    };
    // The best of all are among the best of each part.
    let parts = columns
        .par_chunks(PART.max(2 * count))
        .map(|part| most(part.iter().copied().filter(|&column| score(column) > 0.0).collect()));
    most(parts.collect::<Vec<_>>().concat())
}

/// Adds columns by score until `count` different ones are chosen.
fn fill(chosen: &mut Vec<u32>, columns: &[u32], scores: &[f64], count: usize) {
    let mut is_chosen = vec![false; scores.len()];
    chosen.retain(|&column| !std::mem::replace(&mut is_chosen[column as usize], true));
    let others: Vec<u32> = columns.iter().copied().filter(|&column| !is_chosen[column as usize]).collect();
    chosen.extend(top(&others, scores, count.saturating_sub(chosen.len())));
}

/// For each column of a view, the score of the strongest witness that it belongs to.
pub(super) fn by_column(witnesses: &[Witness], scores: &[f64], side: usize, columns: usize) -> Vec<f64> {
    let mut strongest = vec![0.0f64; columns];
    for (witness, &score) in witnesses.iter().zip(scores) {
        for &column in &witness.columns[side] {
            let entry = &mut strongest[column as usize];
            *entry = entry.max(score);
        }
    }
    strongest
}

/// Σᵢ w[j, i]²·bⱼⱼ + Σᵢ r[j, i]²/bⱼⱼ for each row j, given the sums of squares, the residual times the column's dependence; 0 for a
/// constant column.
pub(super) fn activity(w: &[f64], r: &[f64], inverse: &[f64], dependence: Option<&[f64]>) -> Vec<f64> {
    let of_row = |(j, &inverse): (usize, &f64)| {
        let weight = dependence.map_or(1.0, |dependence| dependence[j]);
        if inverse == 0.0 { 0.0 } else { w[j] / inverse + r[j] * inverse * weight }
    };
    inverse.iter().enumerate().map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_scores_are_found_whatever_the_parts() {
        let scores: Vec<f64> = (0..100_000u64).map(|i| ((i * 7919) % 5003) as f64 - 100.0).collect();
        let columns: Vec<u32> = (0..100_000).filter(|column| column % 3 != 0).collect();
        let mut order: Vec<u32> = columns.iter().copied().filter(|&c| scores[c as usize] > 0.0).collect();
        order.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
        for count in [0, 1, 500, 30_000, 100_000] {
            let mut found = top(&columns, &scores, count);
            let mut expected = order[..count.min(order.len())].to_vec();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{count}");
        }
        let mut chosen = vec![7, 4, 7, 1];
        fill(&mut chosen, &columns, &scores, 10);
        assert_eq!(chosen.len(), 10);
        assert_eq!(chosen[..3], [7, 4, 1]);
        assert!(chosen[3..].iter().all(|column| ![7, 4, 1].contains(column)));
    }
}
