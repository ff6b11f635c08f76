//! Choosing a ridge and testing correlations, both on held-out rows.

use crate::matrix::{Matrix, pair_from_views};
use crate::model::{ViewWeights, bare_model};
use crate::options::Options;
use crate::run::{Listeners, run};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Scores ridges by cross-validation.
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
    let pair = pair_from_views(x, y, weights)?;
    let listeners = Listeners { on_pass, on_iteration, ..Listeners::default() };
    let selection = run(py, threads, &listeners, move |reporter| {
        Ok(lcca::fit::cross_validate(&pair, &settings, &ridges, folds, reporter)?)
    })?;
    let dict = PyDict::new(py);
    dict.set_item("scores", selection.scores)?;
    dict.set_item("mean", PyArray1::from_vec(py, selection.mean))?;
    dict.set_item("error", PyArray1::from_vec(py, selection.error))?;
    dict.set_item("best", selection.best)?;
    dict.set_item("simplest", selection.simplest)?;
    dict.set_item("converged", selection.converged)?;
    Ok(dict)
}

/// Three numbers per pair: its correlation, its p-value, and its p-value adjusted for testing all pairs.
pub type TestArrays<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Tests whether correlations on held-out rows could be chance.
#[pyfunction]
pub fn permutation_test<'py>(
    py: Python<'py>,
    x_weights: ViewWeights<'py>,
    y_weights: ViewWeights<'py>,
    x: &Bound<'py, Matrix>,
    y: &Bound<'py, Matrix>,
    permutations: usize,
    seed: u64,
    threads: usize,
) -> PyResult<TestArrays<'py>> {
    let model = bare_model(&x_weights, &y_weights);
    let (x, y) = (x.get().rows.clone(), y.get().rows.clone());
    let test = run(py, threads, &Listeners::default(), move |reporter| {
        Ok(model.permutation_test(&x, &y, permutations, seed, reporter)?)
    })?;
    let array = |values: Vec<f64>| PyArray1::from_vec(py, values);
    Ok((array(test.correlations), array(test.p), array(test.adjusted)))
}
