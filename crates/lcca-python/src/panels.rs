//! Panels and vectors, to NumPy and back.

use lcca::matrix::Panel;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;

/// A copy without the padding, row after row.
pub fn to_numpy<'py>(py: Python<'py>, panel: &Panel) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let mut numbers = Vec::with_capacity(panel.rows() * panel.cols());
    (0..panel.rows()).for_each(|row| numbers.extend_from_slice(panel.row(row)));
    rows_to_numpy(py, numbers, panel.rows(), panel.cols())
}

/// Numbers row after row, handed over without a copy.
pub fn rows_to_numpy<'py>(
    py: Python<'py>,
    numbers: Vec<f64>,
    rows: usize,
    cols: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    PyArray1::from_vec(py, numbers).reshape([rows, cols])
}

/// A copy with padding.
pub fn from_numpy(array: &PyReadonlyArray2<'_, f64>) -> Panel {
    let view = array.as_array();
    Panel::from_fn(view.nrows(), view.ncols(), |row, col| view[(row, col)])
}
