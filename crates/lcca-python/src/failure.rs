//! The one place that turns failures into Python's exceptions.

use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// Why a call did not do what was asked.
pub enum Failure {
    /// What was asked makes no sense.
    Usage(String),
    /// A file, or arrays in place of one.
    File(lcca_io::Error),
    /// The data or settings.
    Data(lcca::Error),
    /// Threads that could not be started, or a bug.
    Machine(String),
}

impl From<lcca::Error> for Failure {
    fn from(error: lcca::Error) -> Self {
        Failure::Data(error)
    }
}

impl From<lcca_io::Error> for Failure {
    fn from(error: lcca_io::Error) -> Self {
        Failure::File(error)
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        match failure {
            Failure::Usage(message) => PyValueError::new_err(message),
            Failure::Machine(message) => PyRuntimeError::new_err(message),
            Failure::Data(lcca::Error::Elsewhere(error)) => match error.downcast::<PyErr>() {
                Ok(error) => *error,
                Err(error) => PyRuntimeError::new_err(error.to_string()),
            },
            Failure::Data(error) => of_data(&error, error.to_string()),
            Failure::File(lcca_io::Error::Io { path, source }) => {
                // Python makes a FileNotFoundError and the like of the number.
                PyOSError::new_err((source.raw_os_error(), words(&source), path.display().to_string()))
            }
            Failure::File(lcca_io::Error::Data { path, source }) => {
                of_data(&source, format!("{}: {source}", path.display()))
            }
            Failure::File(error) => PyValueError::new_err(error.to_string()),
        }
    }
}

fn of_data(error: &lcca::Error, message: String) -> PyErr {
    match error {
        lcca::Error::Memory { needed, allowed, .. } => of_memory(message, *needed, *allowed),
        lcca::Error::Interrupted => PyKeyboardInterrupt::new_err(()),
        lcca::Error::Setting { name, value, expected } => {
            let name = if *name == "k" { "n_components".into() } else { name.replace('-', "_") };
            PyValueError::new_err(format!("{name} == {value}, expected {expected}"))
        }
        _ => PyValueError::new_err(message),
    }
}

/// With the numbers as attributes, for whoever can go on with less.
fn of_memory(message: String, needed: u64, allowed: u64) -> PyErr {
    let error = PyMemoryError::new_err(message);
    Python::attach(|py| {
        // An exception that takes no attributes is still the right one.
        let _ = error.value(py).setattr("needed", needed);
        let _ = error.value(py).setattr("allowed", allowed);
    });
    error
}

/// What the operating system said, without Rust's remark about the number.
fn words(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or_default().to_string()
}
