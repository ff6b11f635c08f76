//! Fitting two views.

use crate::failure::Failure;
use crate::matrix::{Matrix, pair_from_views};
use crate::options::Options;
use crate::panels::panel_to_numpy;
use crate::remote::Remote;
use crate::resume::{fit_with_state, remove_state_if_converged};
use crate::run::{Listeners, Spent, row_dict, run};
use lcca::data::Pair;
use lcca::fit::{Fit, Model, View, Watch};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::PathBuf;

/// Fits two views in memory and returns the result as a dictionary.
#[pyfunction]
#[pyo3(signature = (x, y, weights, options, resume, threads, on_pass, on_iteration))]
pub fn fit<'py>(
    py: Python<'py>,
    x: &Bound<'py, Matrix>,
    y: &Bound<'py, Matrix>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    options: Options,
    resume: Option<PathBuf>,
    threads: usize,
    on_pass: Option<Bound<'py, PyAny>>,
    on_iteration: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let listeners = Listeners { on_pass, on_iteration, saves: resume.is_some(), meter: None };
    run_fit(py, Box::new(pair_from_views(x, y, weights)?), options, resume, threads, listeners)
}

/// Fits a pair of views that a Python object answers for.
#[pyfunction]
#[pyo3(signature = (pair, options, resume, threads, on_pass, on_iteration))]
pub fn fit_remote<'py>(
    py: Python<'py>,
    pair: &Bound<'py, PyAny>,
    options: Options,
    resume: Option<PathBuf>,
    threads: usize,
    on_pass: Option<Bound<'py, PyAny>>,
    on_iteration: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let meter = Some(pair.getattr("spent")?.unbind());
    let listeners = Listeners { on_pass, on_iteration, saves: resume.is_some(), meter };
    run_fit(py, Box::new(Remote::new(pair)?), options, resume, threads, listeners)
}

fn run_fit<'py>(
    py: Python<'py>,
    pair: Box<dyn Pair + Send>,
    options: Options,
    resume: Option<PathBuf>,
    threads: usize,
    listeners: Listeners<'py>,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = options.settings()?;
    let state_file = resume.clone();
    let (fit, seconds, readings) = run(py, threads, &listeners, move |reporter| {
        let (fit, seconds) = match resume {
            None => (lcca::fit::fit(&*pair, &settings, reporter)?, reporter.seconds()),
            Some(path) => fit_with_state(&path, &*pair, &settings, reporter)?,
        };
        Ok((fit, seconds, reporter.readings()))
    })?;
    if let Some(path) = state_file {
        remove_state_if_converged(py, &path, &fit)?;
    }
    let dict = fit_dict(py, &fit, &readings)?;
    dict.set_item("seconds", seconds)?;
    Ok(dict)
}

/// The result of a fit. The readings belong to the last rows of the trace: if the fit was resumed, the rows before them come
/// from an earlier run.
fn fit_dict<'py>(py: Python<'py>, fit: &Fit, readings: &[Spent]) -> PyResult<Bound<'py, PyDict>> {
    let dict = model_dict(py, &fit.model)?;
    let before = fit.trace.len().saturating_sub(readings.len());
    let trace = PyList::empty(py);
    for (index, row) in fit.trace.iter().enumerate() {
        let spent = index.checked_sub(before).and_then(|index| readings.get(index)).copied();
        trace.append(row_dict(py, row, spent)?)?;
    }
    dict.set_item("trace", trace)?;
    dict.set_item("x_regression", panel_to_numpy(py, &fit.regressions.x)?)?;
    dict.set_item("y_regression", panel_to_numpy(py, &fit.regressions.y)?)?;
    dict.set_item("y_on_x_regression", panel_to_numpy(py, &fit.regressions.y_on_x)?)?;
    dict.set_item("chosen", fit.chosen.name())?;
    dict.set_item("why", &fit.why)?;
    dict.set_item("passes", fit.cost.passes)?;
    dict.set_item("gram_passes", fit.cost.gram_passes)?;
    dict.set_item("work", fit.cost.work(fit.model.settings.k))?;
    dict.set_item("converged", fit.converged)?;
    dict.set_item("missing", fit.missing)?;
    dict.set_item("notes", &fit.notes)?;
    Ok(dict)
}

/// The part of a result that a model file holds as well.
pub fn model_dict<'py>(py: Python<'py>, model: &Model) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    view_items(py, &dict, "x", &model.x)?;
    view_items(py, &dict, "y", &model.y)?;
    dict.set_item("correlations", PyArray1::from_slice(py, &model.correlations))?;
    dict.set_item("objective", PyArray1::from_slice(py, &model.objective))?;
    dict.set_item("residuals", PyArray1::from_slice(py, &model.residuals))?;
    dict.set_item("total", model.total)?;
    dict.set_item("rows", model.rows)?;
    let settings = serde_json::to_string(&model.settings);
    dict.set_item("settings", settings.map_err(|error| Failure::Machine(error.to_string()))?)?;
    Ok(dict)
}

fn view_items(py: Python<'_>, dict: &Bound<'_, PyDict>, side: &str, view: &View) -> PyResult<()> {
    dict.set_item(format!("{side}_weights"), panel_to_numpy(py, &view.weights)?)?;
    dict.set_item(format!("{side}_loadings"), panel_to_numpy(py, &view.loadings)?)?;
    let mean = view.mean.as_ref().map(|mean| PyArray1::from_slice(py, mean));
    dict.set_item(format!("{side}_mean"), mean)
}
