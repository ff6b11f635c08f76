//! Canonical correlation analysis on an NVIDIA GPU.
//!
//! [`lcca`]'s default method keeps tall panels in a [`Space`](lcca::space::Space) and reads rows by passes.
//! [`Cuda`] is a space in the memory of a GPU, and it answers passes over rows or Gram matrices there. The
//! loop of a fit, its stopping rule, its checkpoints and its settings are therefore those of the CPU. Small
//! matrices stay on the host.
//!
//! Building needs no part of CUDA, because the driver is loaded only when a GPU is opened. The kernels are
//! compiled ahead of time to PTX, which the driver translates for the GPU that it finds.
//!
//! ```no_run
//! use lcca::method::{Method, Settings};
//! # fn rows() -> Result<lcca::data::InMemory, lcca::Error> { unimplemented!() }
//! let pair = rows()?;
//! let cuda = lcca_cuda::open(0, None)?;
//! let fit = lcca::fit::fit(&lcca_cuda::on(&cuda, &pair), &Settings::new(Method::auto(), 20), &())?;
//! # Ok::<(), lcca::Error>(())
//! ```

mod choice;
mod decompose;
mod dense;
mod error;
mod gram;
mod inverse;
mod kernels;
#[doc(hidden)]
pub mod measure;
mod passes;
mod permute;
mod runtime;
mod scattered;
mod space;

pub use choice::{DeviceChoice, EXPECTED, Placement, runs_there};
pub use dense::array::DeviceArray;
pub use error::CudaError;
pub use runtime::device::Device;
pub use runtime::foreign::Written;
pub use space::Cuda;

use lcca::data::Pair;
use lcca::space::Placed;
use std::sync::Arc;

/// Returns the names of the GPUs that can be used, or the reason why there are none.
pub fn available() -> Result<Vec<String>, CudaError> {
    runtime::context::names()
}

/// Opens a GPU as the home of panels, after checking that it computes a small sum correctly. It takes at
/// most `memory` bytes of the GPU, or the free memory if that is `None`.
pub fn open(ordinal: u32, memory: Option<u64>) -> Result<Arc<Cuda>, CudaError> {
    runtime::known_answer::check(ordinal)?;
    Ok(Arc::new(Cuda::new(Device::open(ordinal, memory)?)))
}

/// Places a pair on a GPU: a fit to the returned pair runs there.
pub fn on<'p>(cuda: &Arc<Cuda>, pair: &'p dyn Pair) -> Placed<&'p dyn Pair> {
    Placed::new(pair, cuda.clone())
}
