//! Which columns the coarse block holds.
//!
//! - Before the first iteration: the columns of the largest variance.
//! - Later: the columns on which the pairs live (leverage, Σᵢ wⱼᵢ²·bⱼⱼ) or on which they still have to change
//!   (residual, Σᵢ rⱼᵢ²/bⱼⱼ), and some of the largest variance, so that what was overlooked is not lost for
//!   good.

use rayon::prelude::*;

/// Later on, this share of the columns of each view is chosen by variance.
const BY_VARIANCE: f64 = 1.0 / 6.0;
/// Columns that one thread looks through at a time.
const PART: usize = 1 << 14;

/// What is known of one view when its columns are chosen.
pub(in crate::fit) struct ViewScores<'a> {
    /// 1/bⱼⱼ, 0 for a constant column.
    pub inverse: &'a [f64],
    /// How many columns are not constant.
    pub varying: usize,
    /// Leverage and residual, once there are pairs.
    pub activity: Option<Vec<f64>>,
}

impl ViewScores<'_> {
    /// About `count` columns, ascending; all that are not constant if there are no more.
    pub fn choose(&self, count: usize) -> Vec<u32> {
        let (height, varies) = (self.inverse.len(), |column: u32| self.inverse[column as usize] > 0.0);
        if self.varying <= count {
            return (0..height as u32).filter(|&column| varies(column)).collect();
        }
        let if_varying = |column: u32, score: f64| if varies(column) { score } else { 0.0 };
        let variance = |column: u32| if_varying(column, self.inverse[column as usize].recip());
        let mut chosen = Vec::new();
        if let Some(activity) = &self.activity {
            chosen = top(height, variance, (BY_VARIANCE * count as f64) as usize);
            fill(&mut chosen, height, |column| if_varying(column, activity[column as usize]), count);
        } else {
            fill(&mut chosen, height, variance, count);
        }
        chosen.sort_unstable();
        chosen
    }
}

/// Of `size` columns those of the `count` largest positive scores, the first of equal ones, in no particular
/// order.
fn top(size: usize, score: impl Fn(u32) -> f64 + Sync, count: usize) -> Vec<u32> {
    let most = |mut scored: Vec<(f64, u32)>| {
        if count < scored.len() {
            scored.select_nth_unstable_by(count, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            scored.truncate(count);
        }
        scored
    };
    // The best of all are among the best of each part.
    let part = PART.max(2 * count);
    let of_part = |start: usize| {
        let columns = start as u32..(start + part).min(size) as u32;
        most(columns.map(|column| (score(column), column)).filter(|&(score, _)| score > 0.0).collect())
    };
    let starts: Vec<usize> = (0..size).step_by(part).collect();
    let parts: Vec<Vec<(f64, u32)>> = starts.into_par_iter().map(of_part).collect();
    most(parts.concat()).into_iter().map(|(_, column)| column).collect()
}

/// Adds columns by score until `count` different ones are chosen.
fn fill(chosen: &mut Vec<u32>, height: usize, score: impl Fn(u32) -> f64 + Sync, count: usize) {
    let mut is_chosen = vec![false; height];
    chosen.retain(|&column| !std::mem::replace(&mut is_chosen[column as usize], true));
    let of_others = |column: u32| if is_chosen[column as usize] { 0.0 } else { score(column) };
    chosen.extend(top(height, of_others, count.saturating_sub(chosen.len())));
}

/// Σᵢ w[j, i]²·bⱼⱼ + Σᵢ r[j, i]²/bⱼⱼ for each row j, given the sums of squares; 0 for a constant column.
pub(in crate::fit) fn activity(w: &[f64], r: &[f64], inverse: &[f64]) -> Vec<f64> {
    let of_row = |(j, &inverse): (usize, &f64)| {
        if inverse == 0.0 { 0.0 } else { w[j] / inverse + r[j] * inverse }
    };
    inverse.par_iter().enumerate().with_min_len(PART).map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_scores_are_found_whatever_the_parts() {
        let scores: Vec<f64> = (0..100_000u64).map(|i| ((i * 7919) % 5003) as f64 - 100.0).collect();
        let mut order: Vec<u32> = (0..100_000).filter(|&c| scores[c as usize] > 0.0).collect();
        order.sort_by(|&a, &b| scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b)));
        for count in [0, 1, 500, 30_000, 100_000] {
            let mut found = top(scores.len(), |column| scores[column as usize], count);
            let mut expected = order[..count.min(order.len())].to_vec();
            found.sort_unstable();
            expected.sort_unstable();
            assert_eq!(found, expected, "{count}");
        }
        let mut chosen = vec![7, 4, 7, 1];
        fill(&mut chosen, scores.len(), |column| scores[column as usize], 10);
        assert_eq!(chosen.len(), 10);
        assert_eq!(chosen[..3], [7, 4, 1]);
        assert!(chosen[3..].iter().all(|column| ![7, 4, 1].contains(column)));
    }
}
