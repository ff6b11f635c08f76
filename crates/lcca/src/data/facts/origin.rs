//! The numbers that were subtracted from columns before anything was summed; `near_origin.rs` says when and
//! why.

use super::moments::Moments;
use crate::side::Side;

/// The fewest units of their last digit by which values must differ to say anything.
const FEWEST_UNITS: f64 = 100.0;

/// The numbers that were subtracted from columns, in terms of the columns of the data.
#[derive(Clone, Debug)]
pub struct Origin {
    /// One number per column of each view; `None` if nothing was subtracted from it.
    pub views: [Option<Vec<f64>>; 2],
    /// One number per covariate.
    pub covariates: Option<Vec<f64>>,
    /// The distance of neighboring stored numbers near 1, for each view.
    pub(in crate::data) unit: [f64; 2],
}

impl Origin {
    /// The origin of both views whose stored numbers are doubles.
    pub(in crate::data) fn of_doubles([x, y]: [Vec<f64>; 2]) -> Self {
        Origin { views: [Some(x), Some(y)], covariates: None, unit: [f64::EPSILON; 2] }
    }

    /// The columns of a view whose values differ by little more than the last digit in which they are stored.
    /// `moments` are those of the rows near the origin.
    pub(crate) fn columns_without_digits(&self, side: Side, moments: &Moments) -> Vec<usize> {
        let Some(numbers) = &self.views[side as usize] else { return Vec::new() };
        let is_vague = |&j: &usize| {
            let deviation = (moments.centered_square(j) / moments.weight).sqrt();
            deviation > 0.0 && deviation < FEWEST_UNITS * self.unit[side as usize] * numbers[j].abs()
        };
        (0..numbers.len()).filter(is_vague).collect()
    }

    /// The sum of two origins: this one was subtracted first, then `then`.
    pub(in crate::data) fn plus(&self, then: &Origin) -> Origin {
        let sum = |a: &Option<Vec<f64>>, b: &Option<Vec<f64>>| match (a, b) {
            (Some(a), Some(b)) => Some(a.iter().zip(b).map(|(a, b)| a + b).collect()),
            (Some(only), None) | (None, Some(only)) => Some(only.clone()),
            (None, None) => None,
        };
        let views = [0, 1].map(|side| sum(&self.views[side], &then.views[side]));
        Origin { views, covariates: sum(&self.covariates, &then.covariates), unit: self.unit }
    }
}
