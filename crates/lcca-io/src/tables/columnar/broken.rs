//! Turns errors and panics of the Parquet library into faults.

use crate::error::{Fault, Outcome, one_line};
use parquet::errors::ParquetError;

/// Runs work on the file, and catches panics, because the library panics over some broken pages.
pub(super) fn guarded<T>(work: impl FnOnce() -> Outcome<T>) -> Outcome<T> {
    crate::safe::guard::guarded("Parquet", work)
}

pub(super) fn broken(error: ParquetError) -> Fault {
    Fault::new(format!("truncated, corrupt or not a Parquet file ({})", one_line(&error)))
}
