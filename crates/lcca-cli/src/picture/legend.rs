//! The legend above a picture: a mark and a name for each series, in as many rows as they take.

use super::marker::marker;
use super::measure::{TEXT, fitted, width};
use super::svg::{Anchor, Svg};

/// The height of one row.
const ROW: f64 = 20.0;
/// The width of the mark before a name, and the space after a name.
const MARK: f64 = 22.0;
const GAP: f64 = 16.0;

/// The look of a series, in the picture and in the legend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Look {
    /// A color and a shape by number.
    Solid(usize),
    /// A color and a shape by number, with shapes that are not filled.
    Hollow(usize),
    /// A dashed line without points, which the others are compared with.
    Dashed,
}

impl Look {
    /// The number of the look's color.
    pub fn color(self) -> usize {
        match self {
            Look::Solid(i) | Look::Hollow(i) => i,
            Look::Dashed => 0,
        }
    }
}

/// The height of a legend at this width.
pub fn height(names: &[&str], available: f64) -> f64 {
    ROW * rows(names, available).len() as f64
}

/// Draws names with their marks from the upper left corner on.
pub fn draw(svg: &mut Svg, entries: &[(&str, Look)], (left, top): (f64, f64), available: f64) {
    let names: Vec<&str> = entries.iter().map(|entry| entry.0).collect();
    let mut looks = entries.iter().map(|entry| entry.1);
    for (i, row) in rows(&names, available).iter().enumerate() {
        let (mut x, y) = (left, top + ROW * (i as f64 + 0.5));
        for name in row {
            let Some(look) = looks.next() else { return };
            let middle = (x + MARK / 2.0 - 4.0, y);
            match look {
                Look::Dashed => svg.line("reference", (x, y), (x + MARK - 6.0, y)),
                Look::Hollow(i) => svg.path(&format!("hollow s{i}"), &marker(i, middle, 4.0)),
                Look::Solid(i) => svg.path(&format!("f{i}"), &marker(i, middle, 4.5)),
            }
            svg.text("ink", (x + MARK, y + 4.0), Anchor::Start, name);
            x += MARK + width(name, TEXT) + GAP;
        }
    }
}

/// The names, cut to the width and broken into rows.
fn rows(names: &[&str], available: f64) -> Vec<Vec<String>> {
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut used = f64::INFINITY;
    for name in names {
        let name = fitted(name, TEXT, available - MARK);
        let needed = MARK + width(&name, TEXT);
        if used + needed > available {
            rows.push(Vec::new());
            used = 0.0;
        }
        used += needed + GAP;
        rows.last_mut().into_iter().for_each(|row| row.push(name.clone()));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_broken_into_rows_that_fit() {
        let names: Vec<String> = (0..9).map(|i| format!("label number {i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let found = rows(&names, 320.0);
        assert!(found.len() > 3 && found.iter().flatten().count() == 9, "{found:?}");
        let long = "long ".repeat(80);
        assert!(rows(&[&long], 320.0)[0][0].ends_with('…'));
        assert_eq!(height(&[], 320.0), 0.0);
    }
}
