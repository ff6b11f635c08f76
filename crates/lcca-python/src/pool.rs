//! Threads to compute on.

use crate::failure::Failure;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::Arc;

/// Threads that live as long as this object, for a cluster worker that makes thousands of short calls.
///
/// Python keeps one pool per size by a weak reference, so the threads end with the last object that computes
/// on them.
#[pyclass(frozen, weakref, module = "lcca._lcca")]
pub struct Pool {
    pub threads: Arc<ThreadPool>,
}

#[pymethods]
impl Pool {
    #[new]
    fn new(threads: usize) -> PyResult<Self> {
        Ok(Pool { threads: Arc::new(start(threads)?) })
    }

    /// The number of threads.
    #[getter]
    fn size(&self) -> usize {
        self.threads.current_num_threads()
    }
}

/// Starts a pool of at least one thread.
pub fn start(threads: usize) -> Result<ThreadPool, Failure> {
    let pool = ThreadPoolBuilder::new().num_threads(threads.max(1)).build();
    pool.map_err(|error| Failure::Machine(format!("{threads} threads could not be started: {error}")))
}
