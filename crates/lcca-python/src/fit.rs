//! Fitting two views.

use crate::accumulated::Sums;
use crate::failure::Failure;
use crate::matrix::{Matrix, groups_of, pair_from_views};
use crate::model::{model_dict, record_dict, regression_items};
use crate::options::Options;
use crate::remote::Remote;
use crate::resume::{fit_with_state, remove_state_if_converged};
use crate::run::{Listeners, Reporter, Spent, row_dict, run};
use lcca::data::{Pair, Shape};
use lcca::fit::{Fit, Watch};
use lcca::method::{Algorithm, Settings};
use lcca_io::FitRecord;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::path::{Path, PathBuf};

/// The most rows times squared columns for a fit on one thread. Such a fit takes about a millisecond.
const TINY: f64 = 2e7;

/// Fits two views in memory and returns the result as a dictionary.
#[pyfunction]
#[pyo3(signature = (x, y, weights, groups, options, resume, threads, on_pass, on_iteration))]
pub fn fit<'py>(
    py: Python<'py>,
    x: &Bound<'py, Matrix>,
    y: &Bound<'py, Matrix>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    groups: Option<PyReadonlyArray1<'py, i64>>,
    options: Options,
    resume: Option<PathBuf>,
    threads: usize,
    on_pass: Option<Bound<'py, PyAny>>,
    on_iteration: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let groups = groups.as_ref().map(groups_of);
    let listeners = Listeners { on_pass, on_iteration, saves: resume.is_some(), ..Listeners::default() };
    let (pair, share, device) = (pair_from_views(x, y, weights)?, options.hold_out, options.device.clone());
    let cross_validated = options.cross_validated;
    let threads = if is_tiny(pair.shape(), &options.settings()?) { 1 } else { threads };
    run_fit(py, options, resume, threads, listeners, move |settings, resume, reporter| {
        let ((mut fit, seconds), pair, placement) =
            device.compute(pair, settings, reporter, |pair| match (share, resume) {
                (Some(share), _) => {
                    let held_out =
                        lcca::fit::hold_out_groups(pair, settings, share, groups.as_ref(), reporter)?;
                    Ok((held_out.fit(pair, settings, reporter)?, reporter.seconds()))
                }
                (None, Some(path)) => fit_with_state(path, pair, settings, reporter),
                (None, None) => Ok((lcca::fit::fit(pair, settings, reporter)?, reporter.seconds())),
            })?;
        placement.add_to(&mut fit);
        if let Some((mean, folds)) = cross_validated {
            fit.add_cross_validated(mean, folds);
        }
        fit.look_for_shared_columns(&pair)?;
        Ok((fit, seconds))
    })
}

/// Fits as many pairs as can be proved on held-out rows, at most those that the options name.
#[pyfunction]
#[pyo3(signature = (x, y, weights, groups, options, threads, on_pass, on_iteration))]
pub fn fit_auto<'py>(
    py: Python<'py>,
    x: &Bound<'py, Matrix>,
    y: &Bound<'py, Matrix>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    groups: Option<PyReadonlyArray1<'py, i64>>,
    options: Options,
    threads: usize,
    on_pass: Option<Bound<'py, PyAny>>,
    on_iteration: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let listeners = Listeners { on_pass, on_iteration, ..Listeners::default() };
    let (pair, groups) = (pair_from_views(x, y, weights)?, groups.as_ref().map(groups_of));
    let device = options.device.clone();
    run_fit(py, options, None, threads, listeners, move |settings, _, reporter| {
        let (mut fit, pair, placement) = device.compute(pair, settings, reporter, |pair| {
            let found =
                lcca::fit::recommend_components(pair, settings, settings.k, groups.as_ref(), reporter)?;
            let mut chosen = settings.clone();
            chosen.k = found.chosen;
            let mut fit = lcca::fit::fit(pair, &chosen, reporter)?;
            found.add_to(&mut fit);
            Ok(fit)
        })?;
        placement.add_to(&mut fit);
        fit.look_for_shared_columns(&pair)?;
        Ok((fit, reporter.seconds()))
    })
}

/// Whether a fit is so short that starting threads would take most of the time.
fn is_tiny(shape: Shape, settings: &Settings) -> bool {
    let width = (shape.x_cols + shape.y_cols) as f64;
    matches!(settings.method.algorithm(), Algorithm::Auto | Algorithm::Gram)
        && shape.rows as f64 * width * width <= TINY
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
    let pair = Remote::new(pair)?;
    run_fit(py, options, resume, threads, listeners, move |settings, resume, reporter| match resume {
        Some(path) => fit_with_state(path, &pair, settings, reporter),
        None => Ok((lcca::fit::fit(&pair, settings, reporter)?, reporter.seconds())),
    })
}

/// Fits two views of which sums over the rows are known, and nothing else.
#[pyfunction]
#[pyo3(signature = (sums, options, threads, on_pass, on_iteration))]
pub fn fit_sums<'py>(
    py: Python<'py>,
    sums: &Bound<'py, Sums>,
    options: Options,
    threads: usize,
    on_pass: Option<Bound<'py, PyAny>>,
    on_iteration: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let listeners = Listeners { on_pass, on_iteration, ..Listeners::default() };
    let (sums, device) = (sums.get().sums.clone(), options.device.clone());
    run_fit(py, options, None, threads, listeners, move |settings, _, reporter| {
        let (mut fit, placement) = device.compute_any(&*sums.pair(), settings, reporter, |pair| {
            Ok(lcca::fit::fit(pair, settings, reporter)?)
        })?;
        placement.add_to(&mut fit);
        Ok((fit, reporter.seconds()))
    })
}

/// A fit, the seconds of all its runs together, and the cost of moving data after each iteration.
type Timed = (Fit, f64, Vec<Spent>);

fn run_fit<'py>(
    py: Python<'py>,
    options: Options,
    resume: Option<PathBuf>,
    threads: usize,
    listeners: Listeners<'py>,
    fit: impl FnOnce(&Settings, Option<&Path>, &Reporter<Timed>) -> Result<(Fit, f64), Failure> + Send + 'static,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = options.settings()?;
    let state_file = resume.clone();
    let (fit, seconds, readings) = run(py, threads, &listeners, move |reporter| {
        let (fit, seconds) = fit(&settings, resume.as_deref(), reporter)?;
        Ok((fit, seconds, reporter.readings()))
    })?;
    if let Some(path) = state_file {
        remove_state_if_converged(py, &path, &fit)?;
    }
    let dict = fit_dict(py, &fit, &readings)?;
    dict.set_item("seconds", seconds)?;
    Ok(dict)
}

/// A fit as a dictionary. The readings belong to the last rows of the trace, because the rows before them
/// come from an earlier run if the fit was resumed.
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
