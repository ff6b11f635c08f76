//! Tells how sure a model is: permutation tests on held-out rows, the bootstrap, Wilks' test.

use crate::device::Device;
use crate::matrix::{Matrix, groups_of, pair_from_views};
use crate::model::{Parts, ViewWeights, bare_model, to_json};
use crate::panels::panel_to_numpy;
use crate::run::{Listeners, run};
use lcca::fit::{self, Exchange, PermutationTest, Resampling};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The settings of a permutation test, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Permutations<'py> {
    count: usize,
    seed: u64,
    /// The group of each row, if only some rows may change places.
    groups: Option<PyReadonlyArray1<'py, i64>>,
    /// Whether groups change places as wholes.
    whole: bool,
    /// Where the test runs.
    device: Device,
}

/// Three numbers per pair: its correlation, its p-value, and its p-value adjusted for testing all pairs.
/// The text holds decisions as JSON.
pub type Tested<'py> =
    (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, String);

/// Tests whether correlations on held-out rows could be chance, without the covariates that X has.
#[pyfunction]
pub fn permutation_test<'py>(
    py: Python<'py>,
    x_weights: ViewWeights<'py>,
    y_weights: ViewWeights<'py>,
    x: &Bound<'py, Matrix>,
    y: &Bound<'py, Matrix>,
    plan: Permutations<'py>,
    threads: usize,
) -> PyResult<Tested<'py>> {
    let model = bare_model(&x_weights, &y_weights);
    let (x, y, covariates) = (x.get().rows.clone(), y.get().rows.clone(), x.get().covariates.clone());
    let groups = plan.groups.as_ref().map(groups_of);
    let Permutations { count, seed, whole, device, .. } = plan;
    let (test, ran) = run(py, threads, &Listeners::default(), move |reporter| {
        let exchange = match &groups {
            None => Exchange::Rows,
            Some(groups) if whole => Exchange::Whole(groups),
            Some(groups) => Exchange::Within(groups),
        };
        let covariates = covariates.as_ref();
        let test = PermutationTest { exchange, covariates, ..PermutationTest::new(count, seed) };
        device.test([x.rows(), model.pairs(), count], reporter, |space| {
            Ok(model.permutation_test_in(space, &x, &y, &test, reporter)?)
        })
    })?;
    let array = |values: Vec<f64>| PyArray1::from_vec(py, values);
    let decisions = to_json(&ran.into_iter().collect::<Vec<_>>())?;
    Ok((array(test.correlations), array(test.p), array(test.adjusted), decisions))
}

/// The settings of a bootstrap, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Resamples<'py> {
    count: usize,
    seed: u64,
    tol: Option<f64>,
    /// The group of each row, if groups are drawn whole.
    groups: Option<PyReadonlyArray1<'py, i64>>,
    /// Where the fits run.
    device: Device,
}

/// Repeats a fit on resamples of its rows.
#[pyfunction]
#[pyo3(signature = (parts, x, y, weights, plan, threads))]
pub fn bootstrap<'py>(
    py: Python<'py>,
    parts: Parts<'py>,
    x: &Bound<'py, Matrix>,
    y: &Bound<'py, Matrix>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    plan: Resamples<'py>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let (model, pair) = (parts.model()?, pair_from_views(x, y, weights)?);
    let groups = plan.groups.as_ref().map(groups_of);
    let Resamples { count, seed, tol, device, .. } = plan;
    let result = run(py, threads, &Listeners::default(), move |reporter| {
        let resampling = Resampling { count, seed, tol, groups: groups.as_ref() };
        let (result, ..) = device.compute(pair, &model.settings, reporter, |pair| {
            Ok(fit::bootstrap(&model, pair, &resampling, &|_| (), reporter)?)
        })?;
        Ok(result)
    })?;
    let dict = PyDict::new(py);
    let ends = |end: fn(&fit::Interval) -> f64| result.correlations.iter().map(end).collect::<Vec<f64>>();
    dict.set_item("low", PyArray1::from_vec(py, ends(|interval| interval.low)))?;
    dict.set_item("corrected", PyArray1::from_vec(py, ends(|interval| interval.estimate)))?;
    dict.set_item("high", PyArray1::from_vec(py, ends(|interval| interval.high)))?;
    dict.set_item("stability", PyArray1::from_vec(py, result.stability))?;
    dict.set_item("alone", PyArray1::from_vec(py, result.alone))?;
    dict.set_item("resampled", result.resampled)?;
    dict.set_item("missing", result.missing)?;
    for (name, errors) in ["x", "y"].into_iter().zip(&result.errors) {
        dict.set_item(format!("{name}_weights"), panel_to_numpy(py, &errors.weights)?)?;
        dict.set_item(format!("{name}_loadings"), panel_to_numpy(py, &errors.loadings)?)?;
    }
    Ok(dict)
}

/// Wilks' test of all pairs of small views.
#[pyfunction]
pub fn wilks<'py>(
    py: Python<'py>,
    x: &Bound<'py, Matrix>,
    y: &Bound<'py, Matrix>,
    threads: usize,
) -> PyResult<Bound<'py, PyDict>> {
    let pair = pair_from_views(x, y, None)?;
    let result = run(py, threads, &Listeners::default(), move |reporter| Ok(fit::wilks(&pair, reporter)?))?;
    let dict = PyDict::new(py);
    let columns = [
        ("correlations", result.correlations),
        ("wilks_lambda", result.lambda),
        ("chi_square", result.chi_square),
        ("degrees", result.degrees),
        ("p_values", result.p),
    ];
    for (name, values) in columns {
        dict.set_item(name, PyArray1::from_vec(py, values))?;
    }
    dict.set_item("ranks", (result.ranks[0], result.ranks[1]))?;
    dict.set_item("n_covariates", result.covariates)?;
    Ok(dict)
}

/// A p-value as people read it.
#[pyfunction]
pub fn p_value_text(p: f64) -> String {
    lcca_io::numbers::p_value(p)
}
