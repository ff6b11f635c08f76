//! What was asked for, as settings of the engine.

use crate::failure::Failure;
use lcca::method::{Inner, Method, Settings};
use pyo3::prelude::*;

/// A dictionary of parameters, under the names the estimator has for them.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    method: String,
    n_components: usize,
    ridge: f64,
    ridge_y: Option<f64>,
    center: bool,
    tol: f64,
    max_passes: Option<f64>,
    structure: bool,
    t1: Option<usize>,
    t2: Option<usize>,
    inner: Option<String>,
    k_pc: Option<usize>,
    k_rpcca: Option<usize>,
    oversample: Option<usize>,
    power: usize,
    memory: u64,
    seed: u64,
}

impl Options {
    pub fn settings(&self) -> Result<Settings, Failure> {
        Ok(Settings {
            ridge_x: self.ridge,
            ridge_y: self.ridge_y.unwrap_or(self.ridge),
            center: self.center,
            oversample: self.oversample,
            power: self.power,
            seed: self.seed,
            memory: self.memory,
            tol: self.tol,
            max_passes: self.max_passes,
            structure: self.structure,
            ..Settings::new(self.method()?, self.n_components)
        })
    }

    fn method(&self) -> Result<Method, Failure> {
        let mut method = Method::from_name(&self.method).ok_or_else(|| self.no_method())?;
        if let Some(name) = &self.inner {
            let inner = Inner::from_name(name).ok_or_else(|| {
                Failure::Usage(format!("inner == {name:?}, expected one of {}", quoted(&Inner::NAMES)))
            })?;
            method.set_inner(inner).map_err(|_| refused("inner", &method))?;
        }
        let given = [("t1", self.t1), ("t2", self.t2), ("k-pc", self.k_pc), ("k-rpcca", self.k_rpcca)];
        for (name, value) in given {
            if let Some(value) = value {
                method.set(name, value).map_err(|_| refused(name, &method))?;
            }
        }
        Ok(method)
    }

    fn no_method(&self) -> Failure {
        Failure::Usage(format!("method == {:?}, expected one of {}", self.method, quoted(&Method::NAMES)))
    }
}

fn refused(parameter: &str, method: &Method) -> Failure {
    let (parameter, method) =
        (parameter.replace('-', "_"), method.full_name().replace("--inner ", "with inner="));
    Failure::Usage(format!("{parameter} is no parameter of method {method}; leave it None"))
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("{name:?}")).collect::<Vec<_>>().join(", ")
}
