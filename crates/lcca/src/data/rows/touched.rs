//! The columns of a wide view that some rows hold. A part of the rows holds few of all columns, because
//! neighboring rows of wide data share most of theirs, so its products need few rows of a panel.

use super::paired_rows::PairedRows;
use crate::matrix::{Matrix, Reader};
use crate::side::Side;
use std::ops::Range;

/// The fewest columns of a wide view. Panels of narrower views are laid out in full.
const WIDE: usize = 1 << 16;

/// The columns that occur, ascending.
pub(in crate::data) struct Touched {
    pub columns: Vec<u32>,
    /// For each column of the view, its place in `columns`; 0 if it does not occur.
    pub places: Vec<u32>,
}

impl Touched {
    /// The columns of one view that occur in some rows of each piece; `None` if the view is dense or not
    /// wide.
    pub fn new<'a>(rows: impl Iterator<Item = (&'a PairedRows, Range<usize>)>, side: Side) -> Option<Self> {
        let mut places: Vec<u32> = Vec::new();
        for (piece, rows) in rows {
            let view = piece.view(side);
            if view.cols() < WIDE || matches!(view, Matrix::Dense(_)) {
                return None;
            }
            places.resize(view.cols(), 0);
            let reader = Reader::new(view);
            rows.for_each(|row| reader.for_each(row, |column, _| places[column] = 1));
        }
        let columns: Vec<u32> = (0..places.len() as u32).filter(|&j| places[j as usize] > 0).collect();
        columns.iter().zip(0..).for_each(|(&column, place)| places[column as usize] = place);
        Some(Touched { columns, places })
    }
}
