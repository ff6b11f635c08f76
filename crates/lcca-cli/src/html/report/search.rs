//! The columns that can be searched for in a page: as many as fit, those with the largest loadings first, each with the
//! components it is strongest in.

use super::Subject;
use crate::html::{element, escape, pack};
use crate::report::grouped;
use lcca::data::Side;
use lcca::matrix::Panel;
use rayon::prelude::*;
use serde_json::{Value, json};

/// Components kept of a column.
const STRONGEST: usize = 3;
/// What a column takes besides its name: a comma, and its components and loadings as base64.
const PACKED: usize = 2 + (STRONGEST * 5).div_ceil(3) * 4;
/// Left free for what surrounds the columns.
const AROUND: usize = 4_000;

/// The columns of one view that are stored.
struct Stored {
    all: usize,
    names: Vec<String>,
    /// `STRONGEST` components of each, counted from 0, and the loadings on them.
    components: Vec<u8>,
    loadings: Vec<f64>,
}

/// What can be found in a page.
pub struct Found {
    x: Stored,
    y: Stored,
    strongest: usize,
}

/// As many columns of both views as fit into so many bytes.
pub fn columns(subject: &Subject<'_>, shown: usize, room: usize) -> Found {
    let ordered = Side::BOTH.map(|side| by_importance(&subject.model.view(side).loadings, shown));
    let sizes = |i: usize| ordered[i].iter().map(move |&column| size(&subject.column(Side::BOTH[i], column)));
    let room = room.saturating_sub(AROUND);
    // A view that needs less than half leaves the rest to the other.
    let needs: [usize; 2] = [sizes(0).sum(), sizes(1).sum()];
    let for_x = room.saturating_sub(needs[1]).max(room / 2);
    let x_taken = fitting(sizes(0), for_x);
    let y_taken = fitting(sizes(1), room.saturating_sub(sizes(0).take(x_taken).sum()));
    let strongest = STRONGEST.min(shown);
    Found {
        x: stored(subject, Side::X, &ordered[0][..x_taken], shown),
        y: stored(subject, Side::Y, &ordered[1][..y_taken], shown),
        strongest,
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

/// The bytes a column takes in the page.
fn size(name: &str) -> usize {
    escape::json(&json!(name)).len() + PACKED
}

/// How many of the first fit together.
fn fitting(sizes: impl Iterator<Item = usize>, room: usize) -> usize {
    let mut used = 0;
    sizes.take_while(|size| (used + size <= room).then(|| used += size).is_some()).count()
}

fn stored(subject: &Subject<'_>, side: Side, columns: &[usize], shown: usize) -> Stored {
    let loadings = &subject.model.view(side).loadings;
    let mut stored = Stored {
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

impl Found {
    pub fn section(&self) -> String {
        let count = |s: &Stored, side: Side| {
            format!("{} of {} columns of {side}", grouped(s.names.len() as u64), grouped(s.all as u64))
        };
        let each = "A column is listed with the components it loads on most, each with its loading: choose one to see it.";
        let all = self.x.names.len() == self.x.all && self.y.names.len() == self.y.all;
        let remark = match all {
            true => "All columns of both views can be found.".to_string(),
            false => format!(
                "So that the page stays small, {} and {} can be found: those with the largest loadings.",
                count(&self.x, Side::X),
                count(&self.y, Side::Y)
            ),
        };
        let content = format!(
            "<div class=\"controls\"><label for=\"query\">Column</label> \
             <input id=\"query\" type=\"search\" autocomplete=\"off\" spellcheck=\"false\" placeholder=\"part of a name\"></div>\n\
             <p id=\"found\" class=\"remark\" role=\"status\"></p>\n<div id=\"results\"></div>\n{}",
            element::remark(&format!("{each} {remark}"))
        );
        element::section("search", "Find a column", &content)
    }

    pub fn json(&self) -> Value {
        let view = |s: &Stored| json!({ "names": s.names, "components": pack::bytes(&s.components), "loadings": pack::numbers(s.loadings.iter().copied()) });
        json!({ "strongest": self.strongest, "x": view(&self.x), "y": view(&self.y) })
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
