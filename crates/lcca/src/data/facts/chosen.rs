//! Some columns of both views, numbered anew: those of X first, then those of Y.

use crate::side::{Shape, Side};

/// The chosen columns and the place of each.
pub(in crate::data) struct Chosen<'a> {
    columns: [&'a [u32]; 2],
    /// For each view, the place of every column; `NONE` if it is not chosen.
    places: [Vec<u32>; 2],
}

impl<'a> Chosen<'a> {
    /// The place of a column that is not chosen.
    pub const NONE: u32 = u32::MAX;

    /// # Panics
    /// If the columns of a view do not ascend or are not its own. That is a broken contract, not bad data.
    pub fn new(shape: Shape, columns: [&'a [u32]; 2]) -> Self {
        let mut next = 0;
        let places = Side::BOTH.map(|side| {
            let (cols, chosen) = (shape.cols(side), columns[side as usize]);
            assert!(chosen.is_sorted_by(|a, b| a < b), "the chosen columns of {side} do not ascend");
            let last = chosen.last().map_or(0, |&last| 1 + last as usize);
            assert!(last <= cols, "column {} of {side} is chosen, which has {cols}", last.saturating_sub(1));
            let mut places = vec![Self::NONE; cols];
            for &column in chosen {
                places[column as usize] = next;
                next += 1;
            }
            places
        });
        Chosen { columns, places }
    }

    /// Chosen columns of both views together.
    pub fn len(&self) -> usize {
        self.columns[0].len() + self.columns[1].len()
    }

    /// The chosen columns of one view.
    pub fn columns(&self, side: Side) -> &'a [u32] {
        self.columns[side as usize]
    }

    /// The place of every column of one view.
    pub fn places(&self, side: Side) -> &[u32] {
        &self.places[side as usize]
    }

    /// The number of each place, from one list per view of the numbers of all columns.
    pub fn select(&self, numbers: [&[f64]; 2]) -> Vec<f64> {
        let of = |side: Side| {
            let numbers = numbers[side as usize];
            self.columns(side).iter().map(move |&column| numbers[column as usize])
        };
        Side::BOTH.into_iter().flat_map(of).collect()
    }
}
