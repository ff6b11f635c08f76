//! Entries of Gram matrices, of all rows or of a sample of them, as the problem sees them: centered, and
//! scaled to the diagonal of B.

use super::problem::Problem;
use crate::data::{GramEstimate, JointGram, JointGrams, Side};
use crate::error::{Error, Result};
use crate::matrix::Panel;
use crate::space::GramScan;

/// A square that is not above this share of another is the smaller one, whatever rounding did.
pub(super) const NEARLY: f64 = 1.0 - 1e-9;

/// Rows of the sample that stands for all rows if there are no Gram matrices of them.
const SAMPLE: usize = 100_000;
/// A smaller sample tells too little.
const SMALLEST_SAMPLE: usize = 1000;
/// Multiplications that the Gram matrices of the sample may take: about a second of one core. Five times as
/// many found nothing more on descriptions, and cost as much as the whole iteration.
const MOST_WORK: f64 = 2e8;

/// Gram matrices, and what makes the problem's B and A of them.
#[derive(Clone, Copy)]
pub(super) struct LocalGrams<'a> {
    pub joint: &'a JointGram,
    pub means: Option<&'a [Vec<f64>; 2]>,
    /// The columns' products with an orthonormal basis of the covariates.
    pub along: Option<&'a [Panel; 2]>,
    pub ridges: [f64; 2],
    /// Whether B of a view is its ridge times I, without C.
    pub identities: [bool; 2],
    /// 1/diag(B) of each view, 0 for a constant column.
    pub inverse: &'a [Vec<f64>; 2],
    /// The same Gram matrices in a space that scans them.
    pub scan: Option<&'a dyn GramScan>,
}

impl LocalGrams<'_> {
    /// What a space found, or what the host finds on its own copy of the entries.
    pub fn or_on_host<T>(&self, found: Option<T>, on_host: impl FnOnce() -> T) -> Result<T> {
        match found {
            Some(found) => Ok(found),
            None => {
                self.joint.bring()?;
                Ok(on_host())
            }
        }
    }

    /// What centering and covariates take off the entries of one column of a view with columns of another.
    pub fn shifts(&self, views: [usize; 2], column: usize) -> Shifts<'_> {
        let weight = self.joint.moments(Side::X).weight;
        Shifts {
            means: self.means.map(|means| (weight * means[views[0]][column], &means[views[1]][..])),
            along: self.along.map(|along| (along[views[0]].row(column), &along[views[1]])),
        }
    }

    /// What centering and covariates take off the entry of two columns.
    pub fn shift(&self, views: [usize; 2], columns: [usize; 2]) -> f64 {
        self.shifts(views, columns[0]).of(columns[1])
    }

    /// An entry of B or A between columns of two views, for the stored `value` of the Gram matrix, if B had a
    /// unit diagonal. For two different columns only.
    pub fn scaled(&self, views: [usize; 2], columns: [usize; 2], value: f64) -> f64 {
        if views[0] == views[1] && self.identities[views[0]] {
            return 0.0;
        }
        let scale = self.inverse[views[0]][columns[0]] * self.inverse[views[1]][columns[1]];
        (value - self.shift(views, columns)) * scale.sqrt()
    }
}

/// What is taken off the entries of one column.
pub(super) struct Shifts<'a> {
    /// The column's own mean times the weight of all rows, and the means of the others.
    means: Option<(f64, &'a [f64])>,
    /// The column's own products with covariates, and those of the others.
    along: Option<(&'a [f64], &'a Panel)>,
}

impl Shifts<'_> {
    /// Of the entry with another column.
    #[inline(always)]
    pub fn of(&self, other: usize) -> f64 {
        let by_means = self.means.map_or(0.0, |(own, means)| own * means[other]);
        let Some((own, along)) = self.along else { return by_means };
        by_means + own.iter().zip(along.row(other)).map(|(a, b)| a * b).sum::<f64>()
    }
}

/// The Gram matrices of a sample of the rows, as many as are affordable; `None` if too few are.
pub(super) fn sampled(problem: &Problem<'_>) -> Result<Option<JointGram>> {
    let Some(samples) = problem.samples else { return Ok(None) };
    let mut rows = SAMPLE;
    while rows >= SMALLEST_SAMPLE {
        let sample = samples.sample(rows)?;
        let Some(GramEstimate { work, .. }) = sample.estimate()? else { return Ok(None) };
        if work < MOST_WORK {
            return match sample.joint_gram(problem.settings.memory / 4) {
                Err(Error::Memory { .. }) => Ok(None),
                formed => formed.map(Some),
            };
        }
        rows = (rows / 2).min((rows as f64 * MOST_WORK / work) as usize);
    }
    Ok(None)
}
