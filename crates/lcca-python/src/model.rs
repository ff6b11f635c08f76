//! Fitted models: canonical variables, correlations, model files.

use crate::failure::Failure;
use crate::fit::model_dict;
use crate::matrix::{Matrix, pair_from_views};
use crate::panels::{panel_from_numpy, rows_to_numpy};
use crate::remote::Remote;
use crate::run::compute;
use lcca::data::{Pair, Side};
use lcca::fit::{Model, View};
use lcca::matrix::Panel;
use lcca::method::{Method, Settings};
use lcca_io::{ModelNames, Names, read_model, read_model_names, write_model_named};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

/// Weights of one view, and its column means if it was centered.
pub type ViewWeights<'py> = (PyReadonlyArray2<'py, f64>, Option<PyReadonlyArray1<'py, f64>>);

/// The canonical variables (x − μ)ᵀW of rows.
#[pyfunction]
pub fn transform<'py>(
    py: Python<'py>,
    weights: ViewWeights<'py>,
    rows: &Bound<'py, Matrix>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (view, rows) = (bare_view(&weights), rows.get().rows.clone());
    let (count, k) = (rows.rows(), view.weights.cols());
    let scores = compute(py, threads, move || {
        let mut scores = Vec::with_capacity(count * k);
        view.transform(Side::X, &rows, |block| -> Result<(), Failure> {
            scores.extend_from_slice(block);
            Ok(())
        })?;
        Ok(scores)
    })?;
    rows_to_numpy(py, scores, count, k)
}

/// Correlations on the given rows: one per pair, and the sum of those captured between the two subspaces.
#[pyfunction]
pub fn score<'py>(
    py: Python<'py>,
    x_weights: ViewWeights<'py>,
    y_weights: ViewWeights<'py>,
    x: &Bound<'py, Matrix>,
    y: &Bound<'py, Matrix>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    threads: usize,
) -> PyResult<(Bound<'py, PyArray1<f64>>, f64)> {
    run_score(py, x_weights, y_weights, Box::new(pair_from_views(x, y, weights)?), threads)
}

/// The same for a pair of views that a Python object answers for.
#[pyfunction]
pub fn score_remote<'py>(
    py: Python<'py>,
    x_weights: ViewWeights<'py>,
    y_weights: ViewWeights<'py>,
    pair: &Bound<'py, PyAny>,
    threads: usize,
) -> PyResult<(Bound<'py, PyArray1<f64>>, f64)> {
    run_score(py, x_weights, y_weights, Box::new(Remote::new(pair)?), threads)
}

fn run_score<'py>(
    py: Python<'py>,
    x_weights: ViewWeights<'py>,
    y_weights: ViewWeights<'py>,
    pair: Box<dyn Pair + Send>,
    threads: usize,
) -> PyResult<(Bound<'py, PyArray1<f64>>, f64)> {
    let model = bare_model(&x_weights, &y_weights);
    let scores = compute(py, threads, move || Ok(model.score(&*pair)?))?;
    Ok((PyArray1::from_vec(py, scores.correlations), scores.captured))
}

/// A model that can score and transform, without the numbers of its training.
pub fn bare_model(x: &ViewWeights<'_>, y: &ViewWeights<'_>) -> Model {
    let (k, center) = (x.0.as_array().ncols(), x.1.is_some());
    Model {
        x: bare_view(x),
        y: bare_view(y),
        correlations: vec![0.0; k],
        objective: vec![0.0; k],
        residuals: vec![0.0; k],
        total: 0.0,
        rows: 0,
        settings: Settings { center, ..Settings::new(Method::Auto, k) },
    }
}

/// A view that can transform, without loadings.
fn bare_view((weights, mean): &ViewWeights<'_>) -> View {
    let mean = mean.as_ref().map(|mean| mean.as_array().to_vec());
    View { weights: panel_from_numpy(weights), loadings: Panel::zeros(0, 0), mean }
}

/// A dictionary as [`load`] returns it.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Parts<'py> {
    x_weights: PyReadonlyArray2<'py, f64>,
    y_weights: PyReadonlyArray2<'py, f64>,
    x_loadings: PyReadonlyArray2<'py, f64>,
    y_loadings: PyReadonlyArray2<'py, f64>,
    x_mean: Option<PyReadonlyArray1<'py, f64>>,
    y_mean: Option<PyReadonlyArray1<'py, f64>>,
    x_names: Option<Vec<String>>,
    y_names: Option<Vec<String>>,
    correlations: PyReadonlyArray1<'py, f64>,
    objective: PyReadonlyArray1<'py, f64>,
    residuals: PyReadonlyArray1<'py, f64>,
    total: f64,
    rows: u64,
    settings: String,
    provenance: String,
}

/// Writes a model file, whole or not at all.
#[pyfunction]
pub fn save(py: Python<'_>, path: PathBuf, parts: Parts<'_>) -> PyResult<()> {
    let model = parts.model()?;
    let provenance = json(&parts.provenance)?;
    let names =
        ModelNames { x: parts.x_names.as_ref().map(Names::new), y: parts.y_names.as_ref().map(Names::new) };
    let written = py.detach(|| write_model_named(&path, &model, &names, &provenance));
    Ok(written.map_err(Failure::from)?)
}

/// Reads a model file.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let read = py.detach(|| Ok((read_model(&path)?, read_model_names(&path)?)));
    let ((model, provenance), names) = read.map_err(|error: lcca_io::Error| Failure::from(error))?;
    let dict = model_dict(py, &model)?;
    let list = |names: Option<Names>| names.map(|names| names.iter().map(String::from).collect::<Vec<_>>());
    dict.set_item("x_names", list(names.x))?;
    dict.set_item("y_names", list(names.y))?;
    dict.set_item("provenance", serde_json::Value::Object(provenance).to_string())?;
    Ok(dict)
}

impl Parts<'_> {
    fn model(&self) -> Result<Model, Failure> {
        let numbers = |array: &PyReadonlyArray1<'_, f64>| array.as_array().to_vec();
        let view = |weights, loadings, mean: &Option<PyReadonlyArray1<'_, f64>>| View {
            weights: panel_from_numpy(weights),
            loadings: panel_from_numpy(loadings),
            mean: mean.as_ref().map(numbers),
        };
        Ok(Model {
            x: view(&self.x_weights, &self.x_loadings, &self.x_mean),
            y: view(&self.y_weights, &self.y_loadings, &self.y_mean),
            correlations: numbers(&self.correlations),
            objective: numbers(&self.objective),
            residuals: numbers(&self.residuals),
            total: self.total,
            rows: self.rows,
            settings: json(&self.settings)?,
        })
    }
}

fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::Machine(format!("the model's settings: {error}")))
}
