//! Labels of rows as colors: each frequent label has its own color, and the others share one.

use crate::picture::{LABELS, OTHERS};
use crate::shown::shortened;
use std::collections::HashMap;

/// The most characters of a label that are shown.
const LONGEST: usize = 40;

/// The labels of some rows.
pub struct RowLabels {
    /// The file that the labels are from.
    pub source: String,
    /// All labels, the most frequent first.
    names: Vec<String>,
    /// The label of each row, as an index.
    rows: Vec<usize>,
}

impl RowLabels {
    /// The labels of the sampled rows, from those of all rows.
    pub fn new(source: String, labels: &[String], sample: &[usize]) -> Self {
        let mut counts: HashMap<&str, (usize, usize)> = HashMap::new();
        for (row, label) in labels.iter().enumerate() {
            counts.entry(label).or_insert((0, row)).0 += 1;
        }
        let mut names: Vec<(&str, (usize, usize))> = counts.into_iter().collect();
        // Equally frequent labels come in the order of the rows.
        names.sort_by_key(|(_, (count, first))| (usize::MAX - count, *first));
        let index: HashMap<&str, usize> = names.iter().enumerate().map(|(i, (name, _))| (*name, i)).collect();
        let rows = sample.iter().map(|&row| index[labels[row].as_str()]).collect();
        let shown = |name: &str| if name.is_empty() { "no label".into() } else { shortened(name, LONGEST) };
        RowLabels { source, names: names.iter().map(|(name, _)| shown(name)).collect(), rows }
    }

    /// Names with looks for a legend, and the group of each row. A label has one look in all pictures.
    pub fn groups(&self) -> (Vec<(String, usize)>, Vec<usize>) {
        let room = OTHERS - LABELS;
        let own = self.names.len().min(room);
        let mut order: Vec<usize> = (0..own).collect();
        // The legend lists numbers first, by size, and then texts.
        let number = |i: usize| self.names[i].parse::<f64>().unwrap_or(f64::INFINITY);
        order.sort_by(|&a, &b| number(a).total_cmp(&number(b)).then(self.names[a].cmp(&self.names[b])));
        let mut places = vec![own; self.names.len()];
        order.iter().enumerate().for_each(|(place, &name)| places[name] = place);
        let mut legend: Vec<(String, usize)> = order
            .iter()
            .enumerate()
            .map(|(place, &name)| (self.names[name].clone(), LABELS + place))
            .collect();
        if own < self.names.len() {
            legend.push((format!("{} other labels", self.names.len() - own), OTHERS));
        }
        (legend, self.rows.iter().map(|&row| places[row]).collect())
    }

    /// The label of a sampled row.
    pub fn of_row(&self, row: usize) -> &str {
        &self.names[self.rows[row]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_labels_have_colors_and_the_others_share_one() {
        let labels: Vec<String> =
            (0..40).map(|i| if i < 20 { (i % 7).to_string() } else { format!("rare {i}") }).collect();
        let (legend, groups) = RowLabels::new("labels.txt".into(), &labels, &[0, 8, 30]).groups();
        assert_eq!(legend.len(), 7);
        assert_eq!((legend[0].0.as_str(), legend[0].1, legend[6].1), ("0", LABELS, OTHERS));
        assert_eq!(groups[..2], [0, 1]);
        assert_eq!(legend[6].0, "21 other labels");
    }

    /// Numbers as numbers and the rest as texts would not be an order, because 2 < 10 < 1a < 2.
    #[test]
    fn numbers_come_before_texts_by_their_size() {
        let labels = ["1a", "10", "2", "nan", "", "1"].map(String::from);
        let (legend, _) = RowLabels::new("g".into(), &labels, &[0]).groups();
        let names: Vec<&str> = legend.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["1", "2", "10", "1a", "no label", "nan"]);
    }

    #[test]
    fn two_labels_need_no_others() {
        let labels = ["wt", "", "ppar"].map(String::from);
        let (legend, groups) = RowLabels::new("g".into(), &labels, &[2, 0, 1]).groups();
        assert_eq!(legend, [("no label".into(), 2), ("ppar".into(), 3), ("wt".into(), 4)]);
        assert_eq!(groups, [1, 2, 0]);
    }
}
