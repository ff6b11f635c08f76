//! Checks the claim of a fitted model: proves bounds, and how much is missing.

use crate::matrix::{Matrix, pair_from_views};
use crate::model::{Parts, to_json};
use crate::remote::Remote;
use crate::run::{Listeners, run};
use lcca::data::Pair;
use lcca_io::wording;
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The claim of a fit: whether it converged, and the share that it estimates to be missing.
type Claim = (bool, f64);

/// Certifies a model on the rows that it was fitted to.
#[pyfunction]
#[pyo3(signature = (parts, claim, x, y, weights, threads, on_pass))]
pub fn certify<'py>(
    py: Python<'py>,
    parts: Parts<'py>,
    claim: Claim,
    x: &Bound<'py, Matrix>,
    y: &Bound<'py, Matrix>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    threads: usize,
    on_pass: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    run_certify(py, &parts, claim, Box::new(pair_from_views(x, y, weights)?), threads, on_pass)
}

/// The same for a pair of views that a Python object answers for.
#[pyfunction]
#[pyo3(signature = (parts, claim, pair, threads, on_pass))]
pub fn certify_remote<'py>(
    py: Python<'py>,
    parts: Parts<'py>,
    claim: Claim,
    pair: &Bound<'py, PyAny>,
    threads: usize,
    on_pass: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    run_certify(py, &parts, claim, Box::new(Remote::new(pair)?), threads, on_pass)
}

fn run_certify<'py>(
    py: Python<'py>,
    parts: &Parts<'py>,
    (converged, missing): Claim,
    pair: Box<dyn Pair + Send>,
    threads: usize,
    on_pass: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let model = parts.model()?;
    let listeners = Listeners { on_pass, ..Listeners::default() };
    let (certificate, verdict) = run(py, threads, &listeners, move |reporter| {
        let certificate = model.certify(&*pair, reporter)?;
        let verdict = certificate.judge(&model, converged, missing);
        Ok((certificate, verdict))
    })?;
    let dict = PyDict::new(py);
    dict.set_item("certificate", to_json(&certificate)?)?;
    dict.set_item("search", wording::search(&certificate))?;
    dict.set_item("converged", verdict.converged)?;
    dict.set_item("missing", verdict.missing)?;
    dict.set_item("notes", verdict.notes.iter().map(wording::note).collect::<Vec<_>>())?;
    dict.set_item("note_data", to_json(&verdict.notes)?)?;
    Ok(dict)
}
