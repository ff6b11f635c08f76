//! The one place that turns failures into Python exceptions.

use lcca_io::wording;
use pyo3::exceptions::{PyKeyboardInterrupt, PyMemoryError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

/// Why a call failed.
pub enum Failure {
    /// An argument does not make sense.
    Usage(String),
    /// A file cannot be read, or arrays that take the place of one.
    File(lcca_io::Error),
    /// The engine refuses the data or the settings, or fails on them.
    Data(lcca::Error),
    /// Threads cannot be started, or lcca has a bug.
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
            // An exception that a Python-backed pair raised leaves the engine unchanged.
            Failure::Data(lcca::Error::External(error)) => match error.downcast::<PyErr>() {
                Ok(error) => *error,
                Err(error) => PyRuntimeError::new_err(error.to_string()),
            },
            Failure::Data(error) => data_error(&error, wording::error(&error)),
            Failure::File(lcca_io::Error::Io { path, source }) => {
                // Python chooses the subclass, such as FileNotFoundError, by the error number. Its message
                // shows the number, so Rust's own remark about it is cut off.
                let text = source.to_string();
                let text = text.split(" (os error").next().unwrap_or_default().to_string();
                PyOSError::new_err((source.raw_os_error(), text, path.display().to_string()))
            }
            Failure::File(lcca_io::Error::Data { path, source }) => {
                data_error(&source, format!("{}: {}", path.display(), wording::error(&source)))
            }
            Failure::File(error) => {
                PyValueError::new_err(format!("{error}{}", error.remedy().map_or("", remedy)))
            }
        }
    }
}

/// The advice that helps, in the words of `lcca.read` and `CCA`.
fn remedy(remedy: lcca_io::Remedy) -> &'static str {
    match remedy {
        lcca_io::Remedy::CountFromZero => "; zero_based=True says that they count from 0",
        lcca_io::Remedy::SayHeader => " (lcca.read with header=True or header=False)",
        lcca_io::Remedy::SayIndex => " (lcca.read with index=\"COLUMN\" or index=False)",
        lcca_io::Remedy::SayWhatTextsAre => {
            "; in lcca.read, na=[\"TEXT\"] if it stands for a missing value, categorical=[\"COLUMN\"] if the \
             column holds \
             categories"
        }
        lcca_io::Remedy::LeaveColumnOut => {
            "; in lcca.read, columns=[...] reads other columns only, and index=\"COLUMN\" makes it the row \
             names"
        }
        lcca_io::Remedy::TellColumnsApart => {
            "; rename one, or read one of them by its number: lcca.read with columns=[\"1\"]"
        }
        lcca_io::Remedy::SayDelimiter => " (lcca.read with delimiter=\"\\t\" or another character)",
        lcca_io::Remedy::SayDecimal => {
            "; lcca.read with decimal=\",\" or decimal=\".\" says which of them stands before decimals"
        }
        lcca_io::Remedy::SettleMissing => {
            "; missing=\"drop\" leaves such rows out, missing=\"mean\" fills in the mean of the column"
        }
        lcca_io::Remedy::PairOtherwise => {
            "; align=\"common\" keeps the rows that both have, align=\"none\" pairs rows by position"
        }
        lcca_io::Remedy::PairByPosition => "; align=\"none\" pairs rows by position",
        _ => "",
    }
}

fn data_error(error: &lcca::Error, message: String) -> PyErr {
    match error {
        lcca::Error::Memory { needed, allowed, .. } => memory_error(message, *needed, *allowed),
        lcca::Error::Interrupted => PyKeyboardInterrupt::new_err(()),
        lcca::Error::Setting { name, value, expected } => {
            let name = if *name == "k" { "n_components".into() } else { name.replace('-', "_") };
            PyValueError::new_err(format!("{name} == {value}, expected {expected}"))
        }
        _ => PyValueError::new_err(message),
    }
}

/// A MemoryError with both numbers as attributes, because a caller can then choose a method that needs
/// less.
fn memory_error(message: String, needed: u64, allowed: u64) -> PyErr {
    let error = PyMemoryError::new_err(message);
    Python::attach(|py| {
        // If the exception takes no attributes, it is still the right exception.
        let _ = error.value(py).setattr("needed", needed);
        let _ = error.value(py).setattr("allowed", allowed);
    });
    error
}
