//! What all tests on a GPU begin with.

use lcca_cuda::Cuda;
use std::sync::Arc;

/// The first GPU, with at most so many bytes of its memory. On a machine without one it says so; `LCCA_GPU=1`
/// makes that a failure.
pub fn gpu_with(memory: Option<u64>) -> Option<Arc<Cuda>> {
    match lcca_cuda::open(0, memory) {
        Ok(cuda) => Some(cuda),
        Err(reason) if std::env::var_os("LCCA_GPU").is_none() => {
            println!("skipped, because {reason}");
            None
        }
        Err(reason) => panic!("{reason}"),
    }
}
