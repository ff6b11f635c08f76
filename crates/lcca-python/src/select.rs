//! Chooses a ridge on held-out rows.

use crate::matrix::{Matrix, groups_of, pair_from_views};
use crate::options::Options;
use crate::run::{Listeners, run};
use lcca::fit::{FoldScores, Folds, cross_validate_on};
use lcca::method::Settings;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The ridges to compare, and the rows to compare them on.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct CrossValidation<'py> {
    ridges: Vec<f64>,
    /// The ridge of y, if all candidates share it.
    ridge_y: Option<f64>,
    /// The number of random folds, unless there are splits.
    folds: usize,
    /// For each fold, the rows to train on and the rows to hold out.
    splits: Option<Vec<(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>)>>,
    /// The group of each row, if random folds keep groups together.
    groups: Option<PyReadonlyArray1<'py, i64>>,
    /// The folds that an earlier run finished: their scores, and whether their fits converged.
    finished: Vec<(Vec<f64>, bool)>,
}

impl CrossValidation<'_> {
    fn settings(&self, base: &Settings) -> Vec<Settings> {
        let ridges = self.ridges.iter();
        ridges.map(|&ridge| base.clone().ridges(ridge, self.ridge_y.unwrap_or(ridge))).collect()
    }

    fn splits(&self) -> Option<Vec<[Vec<usize>; 2]>> {
        let rows =
            |array: &PyReadonlyArray1<'_, i64>| array.as_array().iter().map(|&row| row as usize).collect();
        let splits = self.splits.as_ref()?.iter();
        Some(splits.map(|(training, held_out)| [rows(training), rows(held_out)]).collect())
    }
}

/// Scores ridges by cross-validation.
#[pyfunction]
#[pyo3(signature = (x, y, weights, options, plan, threads, on_fold, on_pass, on_iteration))]
pub fn cross_validate<'py>(
    py: Python<'py>,
    x: &Bound<'py, Matrix>,
    y: &Bound<'py, Matrix>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    options: Options,
    plan: CrossValidation<'py>,
    threads: usize,
    on_fold: Option<Bound<'py, PyAny>>,
    on_pass: Option<Bound<'py, PyAny>>,
    on_iteration: Option<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = options.settings()?;
    let pair = pair_from_views(x, y, weights)?;
    let (listeners, device) =
        (Listeners { on_pass, on_iteration, on_fold, ..Listeners::default() }, options.device.clone());
    let (all, splits, folds) = (plan.settings(&settings), plan.splits(), plan.folds);
    let groups = plan.groups.as_ref().map(groups_of);
    let finished: Vec<FoldScores> =
        plan.finished.iter().cloned().map(|(scores, converged)| FoldScores { scores, converged }).collect();
    let selection = run(py, threads, &listeners, move |reporter| {
        let (selection, ..) = device.compute(pair, &settings, reporter, |pair| {
            let folds = match &splits {
                Some(splits) => Folds::given(pair, splits)?,
                None => match &groups {
                    Some(groups) => Folds::grouped(pair, folds, groups, settings.seed)?,
                    None => Folds::new(pair, folds, settings.seed)?,
                },
            };
            Ok(cross_validate_on(&folds, &all, finished.clone(), &|fold| reporter.fold(fold), reporter)?)
        })?;
        Ok(selection)
    })?;
    let dict = PyDict::new(py);
    dict.set_item("scores", selection.scores)?;
    dict.set_item("mean", PyArray1::from_vec(py, selection.mean))?;
    dict.set_item("error", PyArray1::from_vec(py, selection.error))?;
    dict.set_item("best", selection.best)?;
    dict.set_item("simplest", selection.simplest)?;
    dict.set_item("pooled", selection.pooled)?;
    dict.set_item("converged", selection.converged)?;
    Ok(dict)
}
