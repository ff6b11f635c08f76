//! Sums over rows that are not matrices: the moments of a view, and the sample behind an estimate of the
//! joint Gram matrix.

use crate::panels::Vector;
use lcca::data::{GramSample, Moments};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// The weight of all rows; per column the sum, the sum of squares, the count of stored entries and, if it
/// differs, the count of nonzero entries.
#[derive(FromPyObject)]
pub enum MomentArrays<'py> {
    WithNonzero(f64, Numbers<'py>, Numbers<'py>, Counts<'py>, Counts<'py>),
    Stored(f64, Numbers<'py>, Numbers<'py>, Counts<'py>),
}
type Numbers<'py> = PyReadonlyArray1<'py, f64>;
type Counts<'py> = PyReadonlyArray1<'py, u64>;
/// The arrays that [`moments_to_numpy`] returns.
pub type MomentTuple<'py> = (f64, Vector<'py, f64>, Vector<'py, f64>, Vector<'py, u64>, Vector<'py, u64>);

/// The number of rows; rows in the sample; pairs of columns in all rows; pairs in the largest row; stored
/// entries; the sampled pairs.
#[derive(FromPyObject)]
pub struct SampleArrays<'py>(usize, usize, f64, f64, f64, PyReadonlyArray1<'py, u64>);
/// The numbers that [`sample_to_numpy`] returns.
pub type SampleTuple<'py> = (usize, usize, f64, f64, f64, Vector<'py, u64>);

pub fn moments_to_numpy(py: Python<'_>, moments: Moments) -> MomentTuple<'_> {
    let [sum, square] = [moments.sum, moments.square].map(|numbers| PyArray1::from_vec(py, numbers));
    let [count, nonzero] = [moments.count, moments.nonzero].map(|counts| PyArray1::from_vec(py, counts));
    (moments.weight, sum, square, count, nonzero)
}

pub fn sample_to_numpy(py: Python<'_>, sample: GramSample) -> SampleTuple<'_> {
    let pairs = PyArray1::from_vec(py, sample.pairs);
    (sample.rows, sample.sampled_rows, sample.all, sample.largest, sample.stored, pairs)
}

impl From<MomentArrays<'_>> for Moments {
    fn from(arrays: MomentArrays<'_>) -> Self {
        let (weight, sum, square, count, nonzero) = match &arrays {
            MomentArrays::WithNonzero(weight, sum, square, count, nonzero) => {
                (weight, sum, square, count, nonzero)
            }
            MomentArrays::Stored(weight, sum, square, count) => (weight, sum, square, count, count),
        };
        Moments {
            weight: *weight,
            sum: sum.as_array().to_vec(),
            square: square.as_array().to_vec(),
            count: count.as_array().to_vec(),
            nonzero: nonzero.as_array().to_vec(),
        }
    }
}

impl From<SampleArrays<'_>> for GramSample {
    fn from(SampleArrays(rows, sampled_rows, all, largest, stored, pairs): SampleArrays<'_>) -> Self {
        GramSample { rows, sampled_rows, all, largest, stored, pairs: pairs.as_array().to_vec() }
    }
}
