//! Turns the parameters of an estimator into settings of the engine, and describes the engine's parameters.

use crate::device::Device;
use crate::failure::Failure;
use lcca::Error;
use lcca::matrix::Normalize;
use lcca::method::{Method, Metric, Parameter, Scale, Settings, Variables};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use std::collections::BTreeMap;

/// The parameters of an estimator, as a dictionary under its own names.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    method: String,
    /// The parameters of the method that the user gave, as texts.
    parameters: BTreeMap<String, String>,
    n_components: usize,
    ridge: f64,
    ridge_y: Option<f64>,
    /// How the rows of X and of y were normalized.
    normalize: [String; 2],
    /// The metrics of X and y.
    metrics: [String; 2],
    center: bool,
    scale: String,
    /// The scale of canonical variables.
    variables: String,
    /// The share of rows to hold out first, which only fits in memory can do.
    pub hold_out: Option<f64>,
    /// The mean correlation on held-out rows of cross-validation, and the number of its folds, if
    /// cross-validation chose the ridge.
    pub cross_validated: Option<(f64, u64)>,
    /// Where the fit runs, and how much memory of a GPU it may use.
    pub device: Device,
    tol: f64,
    max_passes: Option<f64>,
    structure: bool,
    oversample: Option<usize>,
    power: usize,
    memory: u64,
    seed: u64,
}

impl Options {
    pub fn settings(&self) -> Result<Settings, Failure> {
        Ok(Settings::new(self.method()?, self.n_components)
            .ridges(self.ridge, self.ridge_y.unwrap_or(self.ridge))
            .metrics(metric(&self.metrics[0])?, metric(&self.metrics[1])?)
            .normalized([normalize(&self.normalize[0])?, normalize(&self.normalize[1])?])
            .center(self.center)
            .scale(self.scale()?)
            .variables(self.variables()?)
            .oversample(self.oversample)
            .power(self.power)
            .seed(self.seed)
            .memory(self.memory)
            .tol(self.tol)
            .max_passes(self.max_passes)
            .structure(self.structure))
    }

    fn scale(&self) -> Result<Scale, Failure> {
        match &self.scale[..] {
            "auto" => Ok(Scale::Auto),
            "yes" => Ok(Scale::Yes),
            "no" => Ok(Scale::No),
            other => Err(Failure::Usage(format!("scale == {other:?}, expected \"auto\", True or False"))),
        }
    }

    fn variables(&self) -> Result<Variables, Failure> {
        Variables::named(&self.variables).ok_or_else(|| {
            let expected = "expected \"unit-variance\" or \"unit-length\"";
            Failure::Usage(format!("variables == {:?}, {expected}", self.variables))
        })
    }

    fn method(&self) -> Result<Method, Failure> {
        let Some(method) = Method::named(&self.method) else {
            let expected = quoted(Method::names());
            return Err(Failure::Usage(format!("method == {:?}, expected one of {expected}", self.method)));
        };
        let texts: Vec<(String, &str)> =
            self.parameters.iter().map(|(name, text)| (engine_name(name), &text[..])).collect();
        method.configured(texts.iter().map(|(name, text)| (&name[..], *text))).map_err(|error| match error {
            Error::NoSuchParameter { parameter, method } => Failure::Usage(format!(
                "{} is no parameter of method {method}; leave it None",
                python_name(&parameter)
            )),
            Error::Setting { name, value, .. } if !choices(name).is_empty() => {
                let expected = quoted(choices(name).iter().copied());
                Failure::Usage(format!("{} == {value:?}, expected one of {expected}", python_name(name)))
            }
            error => error.into(),
        })
    }
}

/// The way to normalize rows that has the given name.
pub fn normalize(name: &str) -> Result<Normalize, Failure> {
    Normalize::named(name).ok_or_else(|| {
        let expected = quoted(Normalize::ALL.into_iter().map(|(name, _)| name));
        Failure::Usage(format!("normalize_rows == {name:?}, expected one of {expected}"))
    })
}

fn metric(name: &str) -> Result<Metric, Failure> {
    Metric::named(name).ok_or_else(|| {
        let expected = quoted(Metric::ALL.into_iter().map(Metric::name));
        Failure::Usage(format!("metric == {name:?}, expected one of {expected}"))
    })
}

/// The parameters of a method whose values differ from the defaults, with these values.
pub fn method_dict<'py>(py: Python<'py>, method: &Method) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (parameter, value) in method.settings().filter(|(parameter, value)| *value != parameter.default) {
        set_value(&dict, &python_name(parameter.name), parameter, value)?;
    }
    Ok(dict)
}

/// Every parameter of any method, as the engine describes it.
#[pyfunction]
pub fn method_parameters(py: Python<'_>) -> PyResult<Bound<'_, PyList>> {
    let list = PyList::empty(py);
    for (parameter, methods) in Method::parameters() {
        let dict = PyDict::new(py);
        dict.set_item("name", python_name(parameter.name))?;
        dict.set_item("help", parameter.help)?;
        dict.set_item("methods", methods)?;
        set_value(&dict, "default", parameter, parameter.default)?;
        dict.set_item("least", parameter.least)?;
        let is_number = parameter.choices.is_empty();
        dict.set_item("choices", (!is_number).then(|| parameter.choices.to_vec()))?;
        list.append(dict)?;
    }
    Ok(list)
}

/// Sets an item to a number, or to the name of a choice.
fn set_value(dict: &Bound<'_, PyDict>, key: &str, parameter: &Parameter, value: usize) -> PyResult<()> {
    if parameter.choices.is_empty() {
        dict.set_item(key, value)
    } else {
        dict.set_item(key, parameter.format(value))
    }
}

fn choices(name: &str) -> &'static [&'static str] {
    let parameters = Method::parameters();
    parameters
        .iter()
        .find(|(parameter, _)| parameter.name == name)
        .map_or(&[], |(parameter, _)| parameter.choices)
}

/// The name of a parameter in Python: the engine's `k-pc` is `k_pc`.
pub fn python_name(parameter: &str) -> String {
    parameter.replace('-', "_")
}

fn engine_name(parameter: &str) -> String {
    parameter.replace('_', "-")
}

fn quoted<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}
