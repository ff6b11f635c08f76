//! The same data cut another way: the chosen columns of both views become one view, all others the second.
//!
//! A preconditioner treats frequent and rare columns differently, no matter which view they belong to.
//! After this cut, a pass multiplies any of the four blocks between frequent and rare columns, with the
//! kernels that every other pass uses.

use super::facts::composition::Composition;
use super::in_memory::InMemory;
use crate::error::Result;
use crate::matrix::{Matrix, RowsBuilder};
use crate::side::{Shape, Side};
use rayon::prelude::*;

/// The number of rows that one thread cuts at a time.
const ROWS: usize = 2048;

/// The place to which each column of two views goes.
pub(crate) struct Cut {
    /// The columns that are not chosen, ascending in each view.
    pub others: [Vec<u32>; 2],
    /// For each view and column, whether it is chosen, and its number among the chosen or the other columns
    /// of both views.
    places: [Vec<(bool, u32)>; 2],
    /// The numbers of other columns and of chosen ones.
    widths: [usize; 2],
}

impl Cut {
    /// Chosen columns must ascend in each view.
    pub fn new(shape: Shape, chosen: [&[u32]; 2]) -> Self {
        let (mut others, mut widths) = ([Vec::new(), Vec::new()], [0, 0]);
        let places = Side::BOTH.map(|side| {
            let mut is_chosen = vec![false; shape.cols(side)];
            chosen[side as usize].iter().for_each(|&column| is_chosen[column as usize] = true);
            let place = |(column, is_chosen): (usize, bool)| {
                let width = &mut widths[usize::from(is_chosen)];
                *width += 1;
                if !is_chosen {
                    others[side as usize].push(column as u32);
                }
                (is_chosen, (*width - 1) as u32)
            };
            is_chosen.into_iter().enumerate().map(place).collect()
        });
        Cut { others, places, widths }
    }

    /// The innermost rows of a pair, with the other columns as X and the chosen ones as Y. They are taken
    /// as they are stored, neither centered nor scaled. `None` if rows are dense or out of reach.
    pub fn apply(&self, composition: &Composition<'_>) -> Result<Option<InMemory>> {
        match composition.home.downcast_ref::<InMemory>() {
            Some(rows) => self.rows(rows),
            None => Ok(None),
        }
    }

    fn rows(&self, rows: &InMemory) -> Result<Option<InMemory>> {
        let views = Side::BOTH.map(|side| rows.view(side));
        if views.iter().any(|view| matches!(view, Matrix::Dense(_))) {
            return Ok(None);
        }
        let cut = |start: usize| {
            let mut parts = [RowsBuilder::default(), RowsBuilder::default()];
            for row in start..(start + ROWS).min(views[0].rows()) {
                for (view, places) in views.iter().zip(&self.places) {
                    view.for_each(row, |column, value| {
                        let (is_chosen, place) = places[column];
                        parts[usize::from(is_chosen)].push(place, value);
                    });
                }
                parts.iter_mut().for_each(RowsBuilder::end_row);
            }
            parts
        };
        let starts: Vec<usize> = (0..views[0].rows()).step_by(ROWS).collect();
        let (mut others, mut chosen) = (Vec::new(), Vec::new());
        for [other, own] in starts.into_par_iter().map(cut).collect::<Vec<_>>() {
            others.push(other);
            chosen.push(own);
        }
        let are_ones = views.iter().all(|view| view.is_all_ones());
        let x = RowsBuilder::join(others, self.widths[0], are_ones)?;
        let y = RowsBuilder::join(chosen, self.widths[1], are_ones)?;
        let pair = InMemory::new(x.into(), y.into())?;
        Ok(Some(match rows.weights() {
            Some(weights) => pair.weighted(weights.clone())?,
            None => pair,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Ask, Pair};
    use crate::matrix::{Panel, SparseRows, Values};

    #[test]
    fn a_pass_over_the_parts_is_a_pass_over_the_whole() {
        let view = |cols: usize, step: u64| -> Matrix {
            let columns: Vec<u32> = (0..40u64).map(|i| ((i * step) % cols as u64) as u32).collect();
            let values: Vec<f64> = (0..40).map(|i| 1.0 + f64::from(i % 7)).collect();
            let offsets: Vec<u64> = (0..=40).collect();
            SparseRows::new(cols, offsets.into(), columns.into(), Values::F64(values.into())).unwrap().into()
        };
        let weights: Vec<f64> = (0..40).map(|i| 0.5 + f64::from(i % 3)).collect();
        let whole = InMemory::new(view(9, 5), view(7, 3)).unwrap().weighted(weights.into()).unwrap();
        let chosen = [&[1u32, 4, 5][..], &[0, 6]];
        let cut = Cut::new(whole.shape(), chosen);
        let parts = cut.apply(&whole.composition().unwrap()).unwrap().unwrap();
        assert_eq!((parts.shape().x_cols, parts.shape().y_cols), (11, 5));
        // W is zero outside the other columns, in both layouts.
        let entry = |view: usize, column: u32| f64::from(1 + column) + 10.0 * view as f64;
        let all: Vec<(usize, u32)> =
            (0..2).flat_map(|v| cut.others[v].iter().map(move |&c| (v, c))).collect();
        let w = Panel::from_fn(11, 1, |i, _| entry(all[i].0, all[i].1));
        let of_view = |view: usize, cols: usize| {
            Panel::from_fn(cols, 1, |c, _| {
                if chosen[view].contains(&(c as u32)) { 0.0 } else { entry(view, c as u32) }
            })
        };
        let (wx, wy) = (of_view(0, 9), of_view(1, 7));
        let (mut rare, mut frequent) = (Panel::zeros(11, 1), Panel::zeros(5, 1));
        let mut ask = Ask::new().source(Side::X, &w).to(Side::X, &mut rare).to(Side::Y, &mut frequent);
        parts.pass(&mut ask).unwrap();
        let mut products =
            [[Panel::zeros(9, 1), Panel::zeros(9, 1)], [Panel::zeros(7, 1), Panel::zeros(7, 1)]];
        let [[xx, xy], [yx, yy]] = &mut products;
        let ask = Ask::new().source(Side::X, &wx).to(Side::X, xx).to(Side::Y, yx);
        whole.pass(&mut ask.source(Side::Y, &wy).to(Side::X, xy).to(Side::Y, yy)).unwrap();
        let of_whole =
            |view: usize, c: u32| products[view][0].row(c as usize)[0] + products[view][1].row(c as usize)[0];
        for (i, &(view, column)) in all.iter().enumerate() {
            assert!((rare.row(i)[0] - of_whole(view, column)).abs() < 1e-9);
        }
        let own = (0..2).flat_map(|v| chosen[v].iter().map(move |&c| (v, c)));
        for (i, (view, column)) in own.enumerate() {
            assert!((frequent.row(i)[0] - of_whole(view, column)).abs() < 1e-9);
        }
    }
}
