//! Fitted models: canonical variables, correlations, model files.

use crate::failure::Failure;
use crate::matrix::{Matrix, pair_from_views};
use crate::options::method_dict;
use crate::panels::{panel_from_numpy, panel_to_numpy, rows_to_numpy};
use crate::remote::Remote;
use crate::run::compute;
use lcca::data::{Pair, Side};
use lcca::fit::{Effects, Model, Regressions, View};
use lcca::matrix::Panel;
use lcca::method::{Method, Settings};
use lcca::outcome::Note;
use lcca_io::{FitRecord, ModelFile, ModelNames, Names, wording, write_model_whole};
use numpy::{PyArray1, PyArray2, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The weights of one view, its column means if it was centered, and the effects of its covariates if it
/// has any.
#[derive(FromPyObject)]
pub enum ViewWeights<'py> {
    Adjusted(PyReadonlyArray2<'py, f64>, Option<PyReadonlyArray1<'py, f64>>, ViewEffects<'py>),
    Plain(PyReadonlyArray2<'py, f64>, Option<PyReadonlyArray1<'py, f64>>),
}

/// The means of the covariates, and the coefficients of a view's columns on the covariates.
pub type ViewEffects<'py> = (PyReadonlyArray1<'py, f64>, PyReadonlyArray2<'py, f64>);

impl ViewWeights<'_> {
    /// The view of a model that can transform, without loadings.
    fn view(&self) -> View {
        let (weights, mean, effects) = match self {
            ViewWeights::Adjusted(weights, mean, effects) => (weights, mean, Some(effects)),
            ViewWeights::Plain(weights, mean) => (weights, mean, None),
        };
        let mean = mean.as_ref().map(|mean| mean.as_array().to_vec());
        let mut view = View::new(panel_from_numpy(weights), Panel::zeros(0, 0), mean);
        view.effects = effects.map(effects_from_numpy);
        view
    }
}

fn effects_from_numpy((mean, coefficients): &ViewEffects<'_>) -> Effects {
    Effects { mean: mean.as_array().to_vec(), coefficients: panel_from_numpy(coefficients) }
}

/// The canonical variables (x − μ)ᵀW of rows.
#[pyfunction]
pub fn transform<'py>(
    py: Python<'py>,
    weights: ViewWeights<'py>,
    rows: &Bound<'py, Matrix>,
    threads: usize,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let (view, covariates) = (weights.view(), rows.get().covariates.clone());
    let rows = rows.get().rows.clone();
    let (count, k) = (rows.rows(), view.weights.cols());
    let scores = compute(py, threads, move || {
        let mut scores = Vec::with_capacity(count * k);
        view.transform_with(Side::X, &rows, covariates.as_ref(), |block| -> Result<(), Failure> {
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

/// A model that can score and transform, without the results of its training.
pub fn bare_model(x: &ViewWeights<'_>, y: &ViewWeights<'_>) -> Model {
    let (x, y) = (x.view(), y.view());
    let (k, center) = (x.weights.cols(), x.mean.is_some());
    Model::new(x, y, Settings::new(Method::auto(), k).center(center))
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
    covariate_names: Option<Vec<String>>,
    x_effects: Option<ViewEffects<'py>>,
    y_effects: Option<ViewEffects<'py>>,
    correlations: PyReadonlyArray1<'py, f64>,
    objective: PyReadonlyArray1<'py, f64>,
    residuals: PyReadonlyArray1<'py, f64>,
    x_regression: Option<PyReadonlyArray2<'py, f64>>,
    y_regression: Option<PyReadonlyArray2<'py, f64>>,
    y_on_x_regression: Option<PyReadonlyArray2<'py, f64>>,
    total: f64,
    rows: u64,
    settings: String,
    provenance: String,
}

/// The parts of a model as a dictionary.
pub fn model_dict<'py>(py: Python<'py>, model: &Model) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    view_items(py, &dict, "x", &model.x)?;
    view_items(py, &dict, "y", &model.y)?;
    dict.set_item("correlations", PyArray1::from_slice(py, &model.correlations))?;
    dict.set_item("objective", PyArray1::from_slice(py, &model.objective))?;
    dict.set_item("residuals", PyArray1::from_slice(py, &model.residuals))?;
    dict.set_item("total", model.total)?;
    dict.set_item("rows", model.rows)?;
    dict.set_item("settings", to_json(&model.settings)?)?;
    dict.set_item("parameters", method_dict(py, &model.settings.method)?)?;
    Ok(dict)
}

fn view_items(py: Python<'_>, dict: &Bound<'_, PyDict>, side: &str, view: &View) -> PyResult<()> {
    dict.set_item(format!("{side}_weights"), panel_to_numpy(py, &view.weights)?)?;
    dict.set_item(format!("{side}_loadings"), panel_to_numpy(py, &view.loadings)?)?;
    let mean = view.mean.as_ref().map(|mean| PyArray1::from_slice(py, mean));
    dict.set_item(format!("{side}_mean"), mean)?;
    let effects = match &view.effects {
        Some(effects) => {
            Some((PyArray1::from_slice(py, &effects.mean), panel_to_numpy(py, &effects.coefficients)?))
        }
        None => None,
    };
    dict.set_item(format!("{side}_effects"), effects)
}

/// The regressions of a fit, or of a file that has them; otherwise the items are None.
pub fn regression_items(
    py: Python<'_>,
    dict: &Bound<'_, PyDict>,
    regressions: Option<&Regressions>,
) -> PyResult<()> {
    let array = |panel: Option<&Panel>| panel.map(|panel| panel_to_numpy(py, panel)).transpose();
    dict.set_item("x_regression", array(regressions.map(|all| &all.x))?)?;
    dict.set_item("y_regression", array(regressions.map(|all| &all.y))?)?;
    dict.set_item("y_on_x_regression", array(regressions.map(|all| &all.y_on_x))?)
}

/// The record of how a fit ended, from a fit or from the file of a model.
pub fn record_dict<'py>(py: Python<'py>, record: &FitRecord) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    // Only the name, because its parameters are in the settings as well.
    dict.set_item("chosen", record.chosen.split_whitespace().next())?;
    dict.set_item("why", record.why())?;
    dict.set_item("notes", record.note_sentences())?;
    dict.set_item("note_data", to_json(&record.notes)?)?;
    dict.set_item("held_out", to_json(&record.held_out)?)?;
    dict.set_item("certified", to_json(&record.certificate)?)?;
    dict.set_item("decisions", to_json(&record.decisions)?)?;
    dict.set_item("converged", record.converged)?;
    // A method reports infinity when it cannot tell; a file cannot hold infinity and leaves the number out.
    dict.set_item("missing", record.missing.unwrap_or(f64::INFINITY))?;
    dict.set_item("passes", record.passes)?;
    dict.set_item("gram_passes", record.gram_passes)?;
    let trace = PyList::empty(py);
    for point in &record.trace {
        let row = PyDict::new(py);
        row.set_item("iteration", point.iteration)?;
        row.set_item("passes", point.passes)?;
        row.set_item("gram_passes", point.gram_passes)?;
        row.set_item("total", point.total)?;
        row.set_item("missing", point.missing)?;
        trace.append(row)?;
    }
    dict.set_item("trace", trace)?;
    Ok(dict)
}

/// The sentences of notes, given as a JSON list, with the names of some columns of X and of Y in place of
/// their numbers.
#[pyfunction]
pub fn note_sentences(
    notes: &str,
    x_names: BTreeMap<usize, String>,
    y_names: BTreeMap<usize, String>,
) -> PyResult<Vec<String>> {
    let notes: Vec<Note> = json(notes)?;
    let name = |side: Side, column: usize| match side {
        Side::X => x_names.get(&column).cloned(),
        Side::Y => y_names.get(&column).cloned(),
    };
    Ok(notes.iter().map(|note| wording::note_with_names(note, name)).collect())
}

/// Writes a model file, whole or not at all.
#[pyfunction]
pub fn save(py: Python<'_>, path: PathBuf, parts: Parts<'_>) -> PyResult<()> {
    let model = parts.model()?;
    let provenance = json(&parts.provenance)?;
    let [x, y, covariates] =
        [&parts.x_names, &parts.y_names, &parts.covariate_names].map(|names| names.as_ref().map(Names::new));
    let names = ModelNames { x, y, covariates };
    let regressions = parts.regressions();
    let written = py.detach(|| write_model_whole(&path, &model, regressions.as_ref(), &names, &provenance));
    Ok(written.map_err(Failure::from)?)
}

/// Reads a model file.
#[pyfunction]
pub fn load(py: Python<'_>, path: PathBuf) -> PyResult<Bound<'_, PyDict>> {
    let read = py.detach(|| {
        let file = ModelFile::open(&path)?;
        let (names, regressions) = (file.names()?, file.regressions()?);
        Ok((file, names, regressions))
    });
    let (file, names, regressions) = read.map_err(|error: lcca_io::Error| Failure::from(error))?;
    let dict = model_dict(py, &file.model)?;
    regression_items(py, &dict, regressions.as_ref())?;
    let record = file.record().map(|record| record_dict(py, &record)).transpose()?;
    dict.set_item("record", record)?;
    let list = |names: Option<Names>| names.map(|names| names.iter().map(String::from).collect::<Vec<_>>());
    dict.set_item("x_names", list(names.x))?;
    dict.set_item("y_names", list(names.y))?;
    dict.set_item("covariate_names", list(names.covariates))?;
    dict.set_item("provenance", serde_json::Value::Object(file.provenance).to_string())?;
    Ok(dict)
}

impl Parts<'_> {
    /// The regressions; `None` if any of them is missing.
    fn regressions(&self) -> Option<Regressions> {
        Some(Regressions {
            x: panel_from_numpy(self.x_regression.as_ref()?),
            y: panel_from_numpy(self.y_regression.as_ref()?),
            y_on_x: panel_from_numpy(self.y_on_x_regression.as_ref()?),
        })
    }

    pub fn model(&self) -> Result<Model, Failure> {
        let numbers = |array: &PyReadonlyArray1<'_, f64>| array.as_array().to_vec();
        let view = |weights, loadings, mean: &Option<PyReadonlyArray1<'_, f64>>| {
            View::new(panel_from_numpy(weights), panel_from_numpy(loadings), mean.as_ref().map(numbers))
        };
        let mut model = Model::new(
            view(&self.x_weights, &self.x_loadings, &self.x_mean),
            view(&self.y_weights, &self.y_loadings, &self.y_mean),
            json(&self.settings)?,
        );
        model.x.effects = self.x_effects.as_ref().map(effects_from_numpy);
        model.y.effects = self.y_effects.as_ref().map(effects_from_numpy);
        model.correlations = numbers(&self.correlations);
        model.objective = numbers(&self.objective);
        model.residuals = numbers(&self.residuals);
        model.total = self.total;
        model.rows = self.rows;
        Ok(model)
    }
}

pub fn to_json(data: &impl serde::Serialize) -> Result<String, Failure> {
    serde_json::to_string(data).map_err(|error| Failure::Machine(error.to_string()))
}

fn json<T: serde::de::DeserializeOwned>(text: &str) -> Result<T, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::Machine(format!("the model's settings: {error}")))
}
