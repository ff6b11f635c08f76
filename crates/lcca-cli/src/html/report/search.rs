//! The columns that the page can search for: as many as fit, those with the largest loadings first. Each is
//! stored with the components that it is strongest in.

use super::subject::Subject;
use crate::escape;
use crate::html::element::{self, Section};
use crate::html::pack;
use crate::text::grouped;
use lcca::data::Side;
use lcca::matrix::Panel;
use rayon::prelude::*;
use serde_json::{Value, json};

/// The most components stored per column.
const STRONGEST: usize = 3;
/// The bytes of a column without its name: a comma, one byte per component and four per loading as base64,
/// and quotes.
const PACKED: usize = 2 + (STRONGEST * 5).div_ceil(3) * 4;
/// The bytes reserved for the markup around the columns.
const AROUND: usize = 4_000;

/// The columns of both views that are stored in a page.
pub struct SearchIndex {
    x: StoredColumns,
    y: StoredColumns,
    /// The number of components stored per column.
    strongest: usize,
}

/// The stored columns of one view.
struct StoredColumns {
    /// The number of columns of the view.
    all: usize,
    names: Vec<String>,
    /// The strongest components of each column, counted from 0.
    components: Vec<u8>,
    /// The loadings on these components.
    loadings: Vec<f64>,
}

/// Indexes as many columns of both views as fit into `bytes`.
pub fn index(subject: &Subject<'_>, shown: usize, bytes: usize) -> SearchIndex {
    let ordered = Side::BOTH.map(|side| by_importance(&subject.model.view(side).loadings, shown));
    let sizes = |i: usize| ordered[i].iter().map(move |&column| size(&subject.column(Side::BOTH[i], column)));
    let bytes = bytes.saturating_sub(AROUND);
    // A view that needs less than half of the bytes leaves the remainder to the other.
    let y_needs: usize = sizes(1).sum();
    let for_x = bytes.saturating_sub(y_needs).max(bytes / 2);
    let x_stored = fitting(sizes(0), for_x);
    let y_stored = fitting(sizes(1), bytes.saturating_sub(sizes(0).take(x_stored).sum()));
    SearchIndex {
        x: stored(subject, Side::X, &ordered[0][..x_stored], shown),
        y: stored(subject, Side::Y, &ordered[1][..y_stored], shown),
        strongest: STRONGEST.min(shown),
    }
}

/// Columns by their largest loading on any component, largest first.
fn by_importance(loadings: &Panel, shown: usize) -> Vec<usize> {
    let largest = |row: usize| loadings.row(row)[..shown].iter().fold(0.0, |most: f64, v| most.max(v.abs()));
    let largest: Vec<f64> = (0..loadings.rows()).into_par_iter().map(largest).collect();
    let mut rows: Vec<usize> = (0..loadings.rows()).collect();
    rows.par_sort_unstable_by(|&a, &b| largest[b].total_cmp(&largest[a]).then(a.cmp(&b)));
    rows
}

/// The bytes that a column takes in the page.
fn size(name: &str) -> usize {
    escape::json(&json!(name)).len() + PACKED
}

/// The number of columns, from the first on, that fit together.
fn fitting(sizes: impl Iterator<Item = usize>, bytes: usize) -> usize {
    let mut used = 0;
    sizes.take_while(|size| (used + size <= bytes).then(|| used += size).is_some()).count()
}

fn stored(subject: &Subject<'_>, side: Side, columns: &[usize], shown: usize) -> StoredColumns {
    let loadings = &subject.model.view(side).loadings;
    let mut stored = StoredColumns {
        all: loadings.rows(),
        names: columns.iter().map(|&column| subject.column(side, column)).collect(),
        components: Vec::new(),
        loadings: Vec::new(),
    };
    for &column in columns {
        let row = &loadings.row(column)[..shown];
        let mut order: Vec<usize> = (0..shown).collect();
        order.sort_by(|&a, &b| row[b].abs().total_cmp(&row[a].abs()));
        order.truncate(STRONGEST);
        stored.components.extend(order.iter().map(|&j| j as u8));
        stored.loadings.extend(order.iter().map(|&j| row[j]));
    }
    stored
}

impl SearchIndex {
    pub fn section(&self) -> Section {
        let each = "A column is listed with the components it loads on most, each with its loading: choose \
            one to see it.";
        let is_complete = [&self.x, &self.y].iter().all(|view| view.names.len() == view.all);
        let remark = if is_complete {
            "All columns of both views can be found.".to_string()
        } else {
            format!(
                "So that the page stays small, {} of X and {} of Y can be found: those with the largest \
                 loadings.",
                self.x.count(),
                self.y.count()
            )
        };
        let content = format!(
            "<div class=\"controls\"><label for=\"query\">Column</label> \
             <input id=\"query\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" \
                 placeholder=\"part of a name\"></div>\n\
             <p id=\"found\" class=\"remark\" role=\"status\"></p>\n<div id=\"results\"></div>\n{}",
            element::remark(&format!("{each} {remark}"))
        );
        Section { id: "search", title: "Find a column", markup: content }
    }

    pub fn json(&self) -> Value {
        json!({ "strongest": self.strongest, "x": self.x.json(), "y": self.y.json() })
    }
}

impl StoredColumns {
    fn count(&self) -> String {
        format!("{} of {} columns", grouped(self.names.len() as u64), grouped(self.all as u64))
    }

    fn json(&self) -> Value {
        json!({
            "names": self.names,
            "components": pack::bytes(&self.components),
            "loadings": pack::numbers(self.loadings.iter().copied()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_taken_while_they_fit() {
        assert_eq!(fitting([5, 5, 5].into_iter(), 14), 2);
        assert_eq!(fitting([5, 5, 5].into_iter(), 15), 3);
        assert_eq!(fitting([5].into_iter(), 0), 0);
    }

    #[test]
    fn the_most_important_come_first() {
        let values = [[0.1, 0.2], [-0.9, 0.0], [0.3, 0.9]];
        let panel = Panel::from_fn(3, 2, |i, j| values[i][j]);
        assert_eq!(by_importance(&panel, 2), [1, 2, 0]);
        assert_eq!(by_importance(&panel, 1), [1, 2, 0]);
    }
}
