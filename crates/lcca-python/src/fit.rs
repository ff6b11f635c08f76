//! Fitting two views.

use crate::failure::Failure;
use crate::matrix::Matrix;
use crate::options::Options;
use crate::panels::to_numpy;
use crate::remote::Remote;
use crate::resume::{resumable, settle};
use crate::run::{Listeners, Spent, row_dict, run};
use lcca::data::{InMemory, Pair};
use lcca::fit::{Fit, Model, View, Watch};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::PathBuf;

/// Fits; a dictionary of everything that is known afterwards.
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
    run_fit(py, Box::new(pair(x, y, weights)?), options, resume, threads, listeners)
}

/// Fits rows that a Python object holds.
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
    let state = resume.clone();
    let (fit, seconds, readings) = run(py, threads, &listeners, move |reporter| {
        let (fit, seconds) = match resume {
            None => (lcca::fit::fit(&*pair, &settings, reporter)?, reporter.seconds()),
            Some(path) => resumable(&path, &*pair, &settings, reporter)?,
        };
        Ok((fit, seconds, reporter.readings()))
    })?;
    state.map_or(Ok(()), |path| settle(py, &path, &fit))?;
    let found = fit_dict(py, &fit, &readings)?;
    found.set_item("seconds", seconds)?;
    Ok(found)
}

/// Two views with the same rows, and weights of the rows where there are any.
pub fn pair(
    x: &Bound<'_, Matrix>,
    y: &Bound<'_, Matrix>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
) -> Result<InMemory, Failure> {
    let pair = InMemory::new(x.get().rows.clone(), y.get().rows.clone())?;
    match weights {
        None => Ok(pair),
        Some(weights) => Ok(pair.weighted(weights.as_array().to_vec().into())?),
    }
}

/// Readings belong to the last rows of the trace: those before are of an earlier run.
fn fit_dict<'py>(py: Python<'py>, fit: &Fit, readings: &[Spent]) -> PyResult<Bound<'py, PyDict>> {
    let found = model_dict(py, &fit.model)?;
    let before = fit.trace.len().saturating_sub(readings.len());
    let spent = |at: usize| at.checked_sub(before).and_then(|at| readings.get(at)).copied();
    let row = |(at, row)| row_dict(py, row, spent(at));
    let trace: Vec<_> = fit.trace.iter().enumerate().map(row).collect::<PyResult<_>>()?;
    found.set_item("trace", PyList::new(py, trace)?)?;
    found.set_item("x_regression", to_numpy(py, &fit.regressions.x)?)?;
    found.set_item("y_regression", to_numpy(py, &fit.regressions.y)?)?;
    found.set_item("y_on_x_regression", to_numpy(py, &fit.regressions.y_on_x)?)?;
    found.set_item("chosen", fit.chosen.name())?;
    found.set_item("why", &fit.why)?;
    found.set_item("passes", fit.cost.passes)?;
    found.set_item("gram_passes", fit.cost.gram_passes)?;
    found.set_item("work", fit.cost.work(fit.model.settings.k))?;
    found.set_item("converged", fit.converged)?;
    found.set_item("missing", fit.missing)?;
    found.set_item("notes", &fit.notes)?;
    Ok(found)
}

/// What a model file holds as well.
pub fn model_dict<'py>(py: Python<'py>, model: &Model) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    view_items(py, &found, "x", &model.x)?;
    view_items(py, &found, "y", &model.y)?;
    found.set_item("correlations", PyArray1::from_slice(py, &model.correlations))?;
    found.set_item("objective", PyArray1::from_slice(py, &model.objective))?;
    found.set_item("residuals", PyArray1::from_slice(py, &model.residuals))?;
    found.set_item("total", model.total)?;
    found.set_item("rows", model.rows)?;
    let settings = serde_json::to_string(&model.settings);
    found.set_item("settings", settings.map_err(|error| Failure::Machine(error.to_string()))?)?;
    Ok(found)
}

fn view_items(py: Python<'_>, found: &Bound<'_, PyDict>, side: &str, view: &View) -> PyResult<()> {
    found.set_item(format!("{side}_weights"), to_numpy(py, &view.weights)?)?;
    found.set_item(format!("{side}_loadings"), to_numpy(py, &view.loadings)?)?;
    let mean = view.mean.as_ref().map(|mean| PyArray1::from_slice(py, mean));
    found.set_item(format!("{side}_mean"), mean)
}
