//! The Python module `lcca._lcca`: the engine over NumPy's and SciPy's arrays, without a copy where their layout allows.
//!
//! No mathematics: conversion in, one call of the engine, conversion out. Every call computes on a pool of threads of its own,
//! which ends with it, so that no thread is left behind and a process can be forked at any time. The interpreter is free
//! meanwhile, and asked for signals twenty times a second.

mod blocks;
mod failure;
mod fit;
mod held;
mod matrix;
mod model;
mod options;
mod panels;
mod remote;
mod resume;
mod rows;
mod run;
mod select;
mod solve;

use pyo3::prelude::*;

/// The engine of lcca.
#[pymodule(gil_used = true)]
fn _lcca(module: &Bound<'_, PyModule>) -> PyResult<()> {
    be_silent_about_guarded_panics();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("METHODS", lcca::method::Method::NAMES)?;
    module.add_class::<matrix::Matrix>()?;
    module.add_class::<rows::Rows>()?;
    module.add_class::<rows::Pieces>()?;
    module.add_function(wrap_pyfunction!(fit::fit, module)?)?;
    module.add_function(wrap_pyfunction!(fit::fit_remote, module)?)?;
    module.add_function(wrap_pyfunction!(model::score_remote, module)?)?;
    module.add_function(wrap_pyfunction!(blocks::add_grams, module)?)?;
    module.add_function(wrap_pyfunction!(blocks::add_joint_grams, module)?)?;
    module.add_function(wrap_pyfunction!(model::transform, module)?)?;
    module.add_function(wrap_pyfunction!(model::score, module)?)?;
    module.add_function(wrap_pyfunction!(model::save, module)?)?;
    module.add_function(wrap_pyfunction!(model::load, module)?)?;
    module.add_function(wrap_pyfunction!(select::cross_validate, module)?)?;
    module.add_function(wrap_pyfunction!(select::permutation_test, module)?)?;
    module.add_function(wrap_pyfunction!(solve::least_squares, module)?)?;
    module.add_function(wrap_pyfunction!(solve::singular_vectors, module)?)
}

/// Readers catch the panics of libraries over broken files; nobody needs to see those.
fn be_silent_about_guarded_panics() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !lcca_io::panics_are_guarded() {
            before(panic);
        }
    }));
}
