//! Runs the laws of `lcca::data::Pair` on a pair that a Python object answers for. Built for tests only.

use crate::panels::mat_from_numpy;
use crate::remote::Remote;
use crate::run::compute;
use numpy::PyReadonlyArray2;
use pyo3::exceptions::PyAssertionError;
use pyo3::prelude::*;

/// Raises an AssertionError that names the broken law unless the pair behaves like the dense views `x` and
/// `y`. Rows with weights are repeated in the dense views.
#[pyfunction]
pub fn check_laws(
    py: Python<'_>,
    pair: &Bound<'_, PyAny>,
    x: PyReadonlyArray2<'_, f64>,
    y: PyReadonlyArray2<'_, f64>,
    seed: u64,
) -> PyResult<()> {
    let pair = Remote::new(pair)?;
    let [x, y] = [x, y].map(|view| mat_from_numpy(&view));
    let verdict = compute(py, 2, move || Ok(lcca::data::laws::check(&pair, &x, &y, seed)))?;
    verdict.map_err(PyAssertionError::new_err)
}
