//! Numbers columns from the most to the least frequent, as the paper's experiments do.

use std::cmp::Reverse;

/// How often each of the numbers below `size` occurs.
pub fn counts(numbers: impl IntoIterator<Item = usize>, size: usize) -> Vec<usize> {
    let mut counts = vec![0; size];
    numbers.into_iter().for_each(|number| counts[number] += 1);
    counts
}

/// A renumbering of columns.
pub struct Numbering {
    /// The new number of each old one, or `None` if it was dropped.
    pub new: Vec<Option<u32>>,
    /// The number of columns that were kept.
    pub kept: usize,
}

impl Numbering {
    /// Numbers the most frequent column first, and ties in the old order. Columns that occur fewer than
    /// `at_least` times are dropped.
    pub fn by_frequency(counts: &[usize], at_least: usize) -> Self {
        let mut order: Vec<usize> = (0..counts.len()).filter(|&old| counts[old] >= at_least).collect();
        order.sort_by_key(|&old| (Reverse(counts[old]), old));
        let mut new = vec![None; counts.len()];
        order.iter().zip(0..).for_each(|(&old, number)| new[old] = Some(number));
        Numbering { new, kept: order.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_comes_first_and_the_rare_not_at_all() {
        let numbering = Numbering::by_frequency(&counts([3, 1, 3, 4, 1, 0, 4, 4], 6), 2);
        assert_eq!(numbering.new, [None, Some(1), None, Some(2), Some(0), None]);
        assert_eq!(numbering.kept, 3);
    }
}
