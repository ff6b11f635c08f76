//! The dense matrix that remains for frequent columns once rare ones are eliminated.

use super::elimination::Lists;
use super::scaled_grams::Scaled;
use crate::error::Result;
use crate::fit::precondition::coarse_factor::{EPSILON, Factor, factor_of, single_factor_of};
use crate::matrix::Lower;
use rayon::prelude::*;

/// S = C − V·Vᵀ, column by column.
pub(in crate::fit) struct Complement<'a> {
    pub matrix: &'a Scaled<'a>,
    pub down: &'a Lists,
    pub across: &'a Lists,
    pub rare: usize,
}

impl Complement<'_> {
    /// The lower triangle.
    fn formed(&self) -> Lower {
        let size = self.matrix.columns.len() - self.rare;
        let mut rest = Lower::zeros(size);
        rest.par_columns_mut().enumerate().with_max_len(16).for_each(|(j, sums)| {
            sums[0] = 1.0 + EPSILON;
            self.add(self.rare + j, sums);
        });
        rest
    }

    /// Adds a column from its diagonal down, where `sums` have the 1.
    fn add(&self, place: usize, sums: &mut [f64]) {
        self.matrix.below(place, |other, value| sums[other - place] += value);
        for &(column, own) in self.across.of(place) {
            let list = self.down.of(column as usize);
            let from = list.partition_point(|&(row, _)| (row as usize) < place);
            for &(row, value) in &list[from..] {
                sums[row as usize - place] -= f64::from(own) * f64::from(value);
            }
        }
    }

    /// The multiplications that forming S takes.
    pub fn multiplications(&self) -> f64 {
        let pairs = |column: usize| {
            let list = self.down.of(column);
            let frequent = list.len() - list.partition_point(|&(row, _)| (row as usize) < self.rare);
            0.5 * (frequent as f64).powi(2)
        };
        (0..self.rare).into_par_iter().map(pairs).sum()
    }

    /// The factor with the least shift that makes S positive definite, and this shift. Single precision comes
    /// first; without a shift, pivots that it would spoil are tried again in double precision.
    pub fn factorized(&self, shifts: &[f64]) -> Result<Option<(Factor, f64)>> {
        let formed = self.formed();
        for &shift in shifts {
            let single = single_factor_of(shifted(&formed, shift))?;
            let found = match single {
                None if shift == 0.0 => factor_of(formed.clone())?,
                found => found,
            };
            if let Some(factor) = found {
                return Ok(Some((factor, shift)));
            }
        }
        Ok(None)
    }
}

/// A matrix in single precision with a raised diagonal.
fn shifted(matrix: &Lower, shift: f64) -> Lower<f32> {
    let mut single = Lower::zeros(matrix.size());
    single.par_columns_mut().enumerate().for_each(|(j, out)| {
        out.iter_mut().zip(matrix.column(j)).for_each(|(out, &number)| *out = number as f32);
        out[0] = (matrix[(j, j)] + shift) as f32;
    });
    single
}
