//! Sums over rows that are not matrices: the moments of a view and the sample behind an estimate of the joint Gram matrix.

use crate::panels::Vector;
use lcca::data::{GramSample, Moments};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;

/// Weight of all rows; sum, sum of squares and count of stored entries per column.
#[derive(FromPyObject)]
pub struct MomentArrays<'py>(
    f64,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, f64>,
    PyReadonlyArray1<'py, u64>,
);
/// What [`moments_to_numpy`] returns.
pub type MomentTuple<'py> = (f64, Vector<'py, f64>, Vector<'py, f64>, Vector<'py, u64>);

/// Rows; rows in the sample; pairs of columns in all rows; pairs in the largest row; stored entries; the sampled pairs.
#[derive(FromPyObject)]
pub struct SampleArrays<'py>(usize, usize, f64, f64, f64, PyReadonlyArray1<'py, u64>);
/// What [`sample_to_numpy`] returns.
pub type SampleTuple<'py> = (usize, usize, f64, f64, f64, Vector<'py, u64>);

pub fn moments_to_numpy(py: Python<'_>, moments: Moments) -> MomentTuple<'_> {
    let [sum, square] = [moments.sum, moments.square].map(|numbers| PyArray1::from_vec(py, numbers));
    (moments.weight, sum, square, PyArray1::from_vec(py, moments.count))
}

pub fn sample_to_numpy(py: Python<'_>, sample: GramSample) -> SampleTuple<'_> {
    let pairs = PyArray1::from_vec(py, sample.pairs);
    (sample.rows, sample.sampled_rows, sample.all, sample.largest, sample.stored, pairs)
}

impl From<MomentArrays<'_>> for Moments {
    fn from(MomentArrays(weight, sum, square, count): MomentArrays<'_>) -> Self {
        Moments {
            weight,
            sum: sum.as_array().to_vec(),
            square: square.as_array().to_vec(),
            count: count.as_array().to_vec(),
            nonzero: count.as_array().to_vec(),
        }
    }
}

impl From<SampleArrays<'_>> for GramSample {
    fn from(SampleArrays(rows, sampled_rows, all, largest, stored, pairs): SampleArrays<'_>) -> Self {
        GramSample { rows, sampled_rows, all, largest, stored, pairs: pairs.as_array().to_vec() }
    }
}
