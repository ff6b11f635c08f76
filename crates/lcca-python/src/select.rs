//! Choosing a ridge, and testing correlations, on rows that were not trained on.

use crate::fit::pair;
use crate::matrix::Matrix;
use crate::model::{Half, bare_model};
use crate::options::Options;
use crate::run::{Listeners, run};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// How ridges did in cross-validation.
#[pyfunction]
#[pyo3(signature = (x, y, weights, options, ridges, folds, threads, on_pass, on_iteration))]
pub fn cross_validate<'py>(
    py: Python<'py>,
    x: &Bound<'py, Matrix>,
    y: &Bound<'py, Matrix>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    options: Options,
    ridges: Vec<f64>,
    folds: usize,
    threads: usize,
    on_pass: Option<Bound<'py, PyAny>>,
    on_iteration: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = options.settings()?;
    let pair = pair(x, y, weights)?;
    let listeners = Listeners { on_pass, on_iteration, ..Listeners::default() };
    let selection = run(py, threads, &listeners, move |reporter| {
        Ok(lcca::fit::cross_validate(&pair, &settings, &ridges, folds, reporter)?)
    })?;
    let found = PyDict::new(py);
    found.set_item("scores", selection.scores)?;
    found.set_item("mean", PyArray1::from_vec(py, selection.mean))?;
    found.set_item("error", PyArray1::from_vec(py, selection.error))?;
    found.set_item("best", selection.best)?;
    found.set_item("simplest", selection.simplest)?;
    found.set_item("converged", selection.converged)?;
    Ok(found)
}

/// Three numbers for each pair: its correlation, its p-value alone, and its p-value among all.
pub type Tested<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Whether correlations on rows that were not trained on could be chance.
#[pyfunction]
pub fn permutation_test<'py>(
    py: Python<'py>,
    x_half: Half<'py>,
    y_half: Half<'py>,
    x: &Bound<'py, Matrix>,
    y: &Bound<'py, Matrix>,
    permutations: usize,
    seed: u64,
    threads: usize,
) -> PyResult<Tested<'py>> {
    let model = bare_model(&x_half, &y_half);
    let (x, y) = (x.get().rows.clone(), y.get().rows.clone());
    let found = run(py, threads, &Listeners::default(), move |reporter| {
        Ok(model.permutation_test(&x, &y, permutations, seed, reporter)?)
    })?;
    let array = |values: Vec<f64>| PyArray1::from_vec(py, values);
    Ok((array(found.correlations), array(found.p), array(found.adjusted)))
}
