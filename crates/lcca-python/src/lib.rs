//! The Python module `lcca._lcca`: the engine on NumPy and SciPy arrays, without a copy if their layout
//! allows.
//!
//! There is no mathematics here: every function converts its arguments, calls the engine once and converts
//! the result. Every call computes on its own thread pool and ends it, because a process without idle
//! threads can be forked at any time. Cluster workers are the exception: they keep a pool between passes.
//! The interpreter is free during a call and checks for signals twenty times per second.

mod accumulated;
mod certify;
mod device;
mod dlpack;
mod failure;
mod fit;
mod gpu_array;
mod grams;
mod infer;
#[cfg(feature = "laws")]
mod laws;
mod matrix;
mod merge;
mod model;
mod options;
mod panels;
mod pieces;
mod pinned;
mod pool;
mod remote;
mod resume;
mod row_labels;
mod rows;
mod rows_sample;
mod run;
mod select;
mod solve;
mod sums;
mod table;
mod two_samples;

use pyo3::prelude::*;

/// The engine of lcca.
#[pymodule(gil_used = true)]
fn _lcca(module: &Bound<'_, PyModule>) -> PyResult<()> {
    silence_guarded_panics();
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add("QUANTILE", lcca::fit::Interval::QUANTILE)?;
    module.add("METHODS", lcca::method::Method::names().collect::<Vec<_>>())?;
    module.add_class::<matrix::Matrix>()?;
    module.add_class::<dlpack::DlpackTensor>()?;
    module.add_class::<rows::Rows>()?;
    module.add_class::<pieces::Pieces>()?;
    module.add_class::<pool::Pool>()?;
    module.add_class::<accumulated::Sums>()?;
    module.add_class::<two_samples::RowSums>()?;
    module.add_function(wrap_pyfunction!(fit::fit, module)?)?;
    module.add_function(wrap_pyfunction!(fit::fit_remote, module)?)?;
    module.add_function(wrap_pyfunction!(fit::fit_auto, module)?)?;
    module.add_function(wrap_pyfunction!(fit::fit_sums, module)?)?;
    module.add_function(wrap_pyfunction!(model::score_remote, module)?)?;
    module.add_function(wrap_pyfunction!(certify::certify, module)?)?;
    module.add_function(wrap_pyfunction!(certify::certify_remote, module)?)?;
    module.add_function(wrap_pyfunction!(merge::add_moments, module)?)?;
    module.add_function(wrap_pyfunction!(merge::add_grams, module)?)?;
    module.add_function(wrap_pyfunction!(merge::add_gram_samples, module)?)?;
    module.add_function(wrap_pyfunction!(merge::add_joint_grams, module)?)?;
    module.add_function(wrap_pyfunction!(merge::stack_triangles, module)?)?;
    module.add_function(wrap_pyfunction!(model::transform, module)?)?;
    module.add_function(wrap_pyfunction!(model::score, module)?)?;
    module.add_class::<row_labels::RowLabels>()?;
    module.add_function(wrap_pyfunction!(row_labels::match_rows, module)?)?;
    module.add_function(wrap_pyfunction!(row_labels::is_called_like_id, module)?)?;
    module.add_function(wrap_pyfunction!(model::note_sentences, module)?)?;
    module.add_function(wrap_pyfunction!(model::save, module)?)?;
    module.add_function(wrap_pyfunction!(model::load, module)?)?;
    module.add_function(wrap_pyfunction!(select::cross_validate, module)?)?;
    module.add_function(wrap_pyfunction!(infer::permutation_test, module)?)?;
    module.add_function(wrap_pyfunction!(infer::bootstrap, module)?)?;
    module.add_function(wrap_pyfunction!(infer::wilks, module)?)?;
    module.add_function(wrap_pyfunction!(infer::p_value_text, module)?)?;
    module.add_function(wrap_pyfunction!(solve::least_squares, module)?)?;
    module.add_function(wrap_pyfunction!(solve::singular_vectors, module)?)?;
    module.add_function(wrap_pyfunction!(two_samples::two_samples, module)?)?;
    module.add_function(wrap_pyfunction!(options::method_parameters, module)?)?;
    module.add_function(wrap_pyfunction!(device::cuda_devices, module)?)?;
    // The module does not export this name, because the builds that users get do not have it.
    #[cfg(feature = "laws")]
    module.setattr("_check_laws", wrap_pyfunction!(laws::check_laws, module)?)?;
    Ok(())
}

/// Keeps Rust from printing the panics that readers catch. Some libraries panic on broken files, and the
/// reader turns the panic into an error.
fn silence_guarded_panics() {
    let default_hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if !lcca_io::panics_are_guarded() {
            default_hook(panic);
        }
    }));
}
