//! Chooses the tokens, words or columns to keep by their counts, and their order.

use serde::Serialize;

/// The order of equally frequent columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ties {
    /// By name.
    #[default]
    Name,
    /// By first appearance.
    First,
}

/// The columns to keep. They are ordered by the number of rows that hold them, most first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Keep {
    /// The least number of rows that must hold a column.
    pub min_count: u64,
    /// The largest share of all rows that may hold a column.
    pub max_share: Option<f64>,
    /// The number of the most frequent columns that are left out.
    pub skip: usize,
    /// The number of the most frequent columns that are kept of the others; `None` keeps all.
    pub top: Option<usize>,
    /// The order of equally frequent columns.
    pub ties: Ties,
}

impl Keep {
    /// The numbers of the kept columns, in their new order. `counts` has one count per number, in order of
    /// first appearance.
    pub(crate) fn choose<'a>(&self, counts: &[u64], rows: u64, name: impl Fn(u32) -> &'a str) -> Vec<u32> {
        let most = self.max_share.map_or(u64::MAX, |share| (share * rows as f64).floor() as u64);
        let least = self.min_count.max(1);
        let mut chosen: Vec<u32> = (0..counts.len() as u32)
            .filter(|&number| (least..=most).contains(&counts[number as usize]))
            .collect();
        chosen.sort_unstable_by(|&a, &b| {
            let by_count = counts[b as usize].cmp(&counts[a as usize]);
            by_count.then_with(|| match self.ties {
                Ties::Name => name(a).cmp(name(b)),
                Ties::First => a.cmp(&b),
            })
        });
        chosen.drain(..self.skip.min(chosen.len()));
        chosen.truncate(self.top.unwrap_or(usize::MAX));
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: Keep = Keep { min_count: 1, max_share: None, skip: 0, top: None, ties: Ties::Name };

    fn chosen(keep: Keep) -> String {
        let names = ["d", "c", "b", "a", "e"];
        let chosen = keep.choose(&[2, 5, 2, 2, 1], 5, |number| names[number as usize]);
        chosen.into_iter().map(|number| names[number as usize]).collect()
    }

    #[test]
    fn frequent_columns_come_first_and_ties_as_requested() {
        assert_eq!(chosen(ALL), "cabde");
        assert_eq!(chosen(Keep { ties: Ties::First, ..ALL }), "cdbae");
    }

    #[test]
    fn rare_constant_and_frequent_columns_are_dropped_before_the_top_is_taken() {
        assert_eq!(chosen(Keep { min_count: 2, ..ALL }), "cabd");
        assert_eq!(chosen(Keep { max_share: Some(0.9), ..ALL }), "abde");
        assert_eq!(chosen(Keep { skip: 1, top: Some(2), ..ALL }), "ab");
        assert_eq!(chosen(Keep { skip: 9, ..ALL }), "");
    }
}
