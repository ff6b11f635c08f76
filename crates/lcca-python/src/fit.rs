//! Fitting two views.

use crate::matrix::{Matrix, pair_from_views};
use crate::model::{model_dict, record_dict, regression_items};
use crate::options::Options;
use crate::remote::Remote;
use crate::resume::{fit_with_state, remove_state_if_converged};
use crate::run::{Listeners, Spent, row_dict, run};
use lcca::data::Pair;
use lcca::fit::{Fit, Watch};
use lcca_io::FitRecord;
use numpy::PyReadonlyArray1;
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
    let listeners = Listeners { on_pass, on_iteration, saves: resume.is_some(), ..Listeners::default() };
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
    let listeners =
        Listeners { on_pass, on_iteration, saves: resume.is_some(), meter, ..Listeners::default() };
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
    regression_items(py, &dict, Some(&fit.regressions))?;
    dict.set_item("work", fit.cost.work(fit.model.settings.k))?;
    let record = FitRecord::new(fit);
    dict.set_item("record", record_dict(py, &record)?)?;
    let mut provenance = serde_json::Map::new();
    record.insert_into(&mut provenance);
    dict.set_item("provenance", serde_json::Value::Object(provenance).to_string())?;
    Ok(dict)
}
