//! Columns that are zero after subtraction: constant columns without their mean, and columns that
//! covariates explain. A pass leaves their rows of every product as they were, because their products would
//! be rounding errors, and Gram matrices have zeros there.

use super::ask::Ask;
use crate::matrix::Line;
use crate::side::Side;
use faer::MatMut;

/// For each view, its dead columns, ascending.
pub(in crate::data) struct DeadColumns(pub [Vec<usize>; 2]);

impl DeadColumns {
    /// Copies the dead columns' rows of all products into `kept`.
    pub fn keep(&self, ask: &mut Ask<'_>, kept: &mut Vec<Line>) {
        kept.clear();
        self.for_each(ask, |row| kept.extend_from_slice(row));
    }

    /// Puts back the rows that [`DeadColumns::keep`] copied.
    pub fn put_back(&self, ask: &mut Ask<'_>, mut kept: &[Line]) {
        self.for_each(ask, |row| {
            let (before, after) = kept.split_at(row.len());
            row.copy_from_slice(before);
            kept = after;
        });
    }

    /// Clears the rows and columns of dead columns in the lower triangle of a Gram matrix, whose row i is
    /// that of column `columns[i].1` of view `columns[i].0`.
    pub fn clear(&self, mut gram: MatMut<'_, f64>, columns: impl Iterator<Item = (usize, usize)>) {
        for (place, (side, column)) in columns.enumerate() {
            if self.0[side].binary_search(&column).is_ok() {
                (0..=place).for_each(|j| gram[(place, j)] = 0.0);
                (place..gram.nrows()).for_each(|i| gram[(i, place)] = 0.0);
            }
        }
    }

    /// Calls `visit` with every row of a product that belongs to a dead column.
    fn for_each(&self, ask: &mut Ask<'_>, mut visit: impl FnMut(&mut [Line])) {
        for (target, source) in Side::BOTH.into_iter().flat_map(|t| Side::BOTH.map(|s| (t, s))) {
            let Some(panel) = ask.target(target, source) else { continue };
            let stride = panel.lines_per_row();
            for &j in &self.0[target as usize] {
                visit(&mut panel.lines_mut()[j * stride..(j + 1) * stride]);
            }
        }
    }
}

/// The chosen columns of both views by view and number, those of X first.
pub(in crate::data) fn numbered(columns: [&[u32]; 2]) -> impl Iterator<Item = (usize, usize)> + Clone + '_ {
    let of_view = move |side: usize| columns[side].iter().map(move |&column| (side, column as usize));
    of_view(0).chain(of_view(1))
}
