//! The columns of a model: their names, and the strongest of them.

use crate::shown::shortened;
use lcca::data::Side;
use lcca::fit::Model;
use lcca::matrix::Panel;
use lcca_io::{ModelNames, Names};
use rayon::prelude::*;

/// The most characters of a column's name that are shown.
const LONGEST_NAME: usize = 60;

/// A model with the names of its columns.
#[derive(Clone, Copy)]
pub struct ColumnNames<'m> {
    pub model: &'m Model,
    pub names: &'m ModelNames,
}

impl ColumnNames<'_> {
    pub fn of(&self, side: Side) -> Option<&Names> {
        match side {
            Side::X => self.names.x.as_ref(),
            Side::Y => self.names.y.as_ref(),
        }
    }

    /// The name of a column, or its number.
    pub fn name(&self, side: Side, column: usize) -> String {
        match self.of(side) {
            Some(names) => shortened(names.get(column), LONGEST_NAME),
            None => format!("column {column}"),
        }
    }

    /// The columns of a view that are farthest from 0 in some components, farthest first.
    pub fn strongest(&self, side: Side, components: &[usize], most: usize) -> Vec<usize> {
        let loadings = &self.model.view(side).loadings;
        let size = |row: usize| components.iter().map(|&j| loadings.row(row)[j].powi(2)).sum::<f64>();
        let sizes: Vec<f64> = (0..loadings.rows()).into_par_iter().map(size).collect();
        first(loadings.rows(), most, |row| sizes[row])
    }

    /// The strongest columns of each of the first components. The components take turns, so each has its
    /// own columns as long as there are enough.
    pub fn taking_turns(&self, side: Side, components: usize, most: usize) -> Vec<usize> {
        let loadings = &self.model.view(side).loadings;
        let most = most.min(loadings.rows());
        let lists: Vec<Vec<usize>> =
            (0..components).into_par_iter().map(|j| largest(loadings, j, most)).collect();
        let mut chosen = Vec::with_capacity(most);
        let mut lists: Vec<_> = lists.into_iter().map(Vec::into_iter).collect();
        while chosen.len() < most && !lists.is_empty() {
            for list in &mut lists {
                let next = list.find(|column| !chosen.contains(column));
                chosen.extend(next.filter(|_| chosen.len() < most));
            }
            lists.retain(|list| list.len() > 0);
        }
        chosen
    }
}

/// The rows of a panel that are largest in column `j` by absolute value, largest first. Of equals the first
/// comes first.
pub fn largest(panel: &Panel, j: usize, most: usize) -> Vec<usize> {
    first(panel.rows(), most, |row| panel.row(row)[j].abs())
}

/// The numbers below `count` with the largest sizes, largest first. Of equals the first comes first, and
/// numbers whose size is NaN come last.
fn first(count: usize, most: usize, size: impl Fn(usize) -> f64) -> Vec<usize> {
    let size = |i: usize| Some(size(i)).filter(|size| !size.is_nan()).unwrap_or(-1.0);
    let order = |a: &usize, b: &usize| size(*b).total_cmp(&size(*a)).then(a.cmp(b));
    let mut rows: Vec<usize> = (0..count).collect();
    if most < rows.len() {
        rows.select_nth_unstable_by(most, order);
        rows.truncate(most);
    }
    rows.sort_unstable_by(order);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_are_found_whatever_their_sign() {
        let values = [0.1, -0.9, 0.3, 0.9, 0.0, -0.5];
        let panel = Panel::from_fn(6, 2, |i, j| if j == 1 { values[i] } else { 1.0 });
        assert_eq!(largest(&panel, 1, 4), [1, 3, 5, 2]);
        assert_eq!(largest(&panel, 1, 9), [1, 3, 5, 2, 0, 4]);
        assert_eq!(largest(&panel, 0, 3), [0, 1, 2]);
    }

    #[test]
    fn numbers_that_are_none_are_never_the_largest() {
        let values = [f64::NAN, 0.2, f64::NAN, -0.7];
        let panel = Panel::from_fn(4, 1, |i, _| values[i]);
        assert_eq!(largest(&panel, 0, 2), [3, 1]);
        assert_eq!(largest(&panel, 0, 4), [3, 1, 0, 2]);
    }
}
