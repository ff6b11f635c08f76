//! B − A of sparse Gram matrices as elimination sees it: scaled to a unit diagonal, rare columns first.

use crate::data::{JointGram, Pair, Side};
use crate::error::Result;
use crate::fit::pairs::problem::Problem;
use crate::fit::precondition::coarse_factor::EPSILON;
use rayon::prelude::*;

/// The columns that vary, those with the fewest entries first.
pub(in crate::fit) fn rarest_first(
    problem: &Problem<'_>,
    inverse: &[Vec<f64>; 2],
) -> Result<Vec<(usize, u32)>> {
    let mut columns: Vec<(u64, usize, u32)> = Vec::new();
    for side in Side::BOTH {
        let view = side as usize;
        let all = (0u32..).zip(&problem.pair.moments(side)?.count).zip(&inverse[view]);
        let varying = all.filter(|(_, inverse)| **inverse > 0.0);
        columns.extend(varying.map(|((column, &entries), _)| (entries, view, column)));
    }
    columns.par_sort_unstable();
    Ok(columns.into_iter().map(|(_, view, column)| (view, column)).collect())
}

/// B − A without terms of low rank, scaled to a unit diagonal and in the order of elimination.
pub(in crate::fit) struct Scaled<'a> {
    joint: &'a JointGram,
    pub columns: Vec<(usize, u32)>,
    /// The place of each column of each view; `NOWHERE` if it does not vary.
    pub places: [Vec<u32>; 2],
    pub scale: Vec<f64>,
    /// The least that an exact pivot can be.
    pub floors: Vec<f64>,
}

pub(in crate::fit) const NOWHERE: u32 = u32::MAX;
/// The signs of the views in F = [X, −Y].
pub(in crate::fit) const SIGNS: [f64; 2] = [1.0, -1.0];

impl<'a> Scaled<'a> {
    pub fn new(joint: &'a JointGram, ridges: [f64; 2], columns: Vec<(usize, u32)>) -> Self {
        let shape = joint.shape();
        let mut places = [shape.x_cols, shape.y_cols].map(|columns| vec![NOWHERE; columns]);
        for (place, &(view, column)) in columns.iter().enumerate() {
            places[view][column as usize] = place as u32;
        }
        let squares = Side::BOTH.map(|side| &joint.moments(side).square);
        let (scale, floors) = columns
            .par_iter()
            .map(|&(view, column)| {
                let square = squares[view][column as usize] + ridges[view];
                (square.sqrt().recip(), (ridges[view] / square).max(EPSILON))
            })
            .unzip();
        Scaled { joint, columns, places, scale, floors }
    }

    /// Calls `visit` with the place and number of each entry below the diagonal of one column.
    pub fn below(&self, place: usize, mut visit: impl FnMut(usize, f64)) {
        let (view, column) = self.columns[place];
        for source in Side::BOTH {
            let places = &self.places[source as usize];
            let block = self.joint.block(Side::BOTH[view], source);
            let own = SIGNS[view] * SIGNS[source as usize] * self.scale[place];
            block.for_each(column as usize, |other, value| {
                let other = places[other];
                if other != NOWHERE && other as usize > place {
                    visit(other as usize, value * own * self.scale[other as usize]);
                }
            });
        }
    }
}
