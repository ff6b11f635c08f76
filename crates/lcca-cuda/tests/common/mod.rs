//! The helper with which all tests on a GPU begin.

use lcca_cuda::Cuda;
use std::sync::Arc;

/// Opens the first GPU, with at most `memory` bytes of its memory. Tests that call this are ignored unless
/// `cargo xtask test --gpu` runs them.
pub fn gpu_with(memory: Option<u64>) -> Arc<Cuda> {
    lcca_cuda::open(0, memory).unwrap_or_else(|reason| panic!("{reason}"))
}
