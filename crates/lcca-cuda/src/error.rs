//! The errors of a device.

use cudarc::driver::result::DriverError;

/// The reason why a GPU cannot be used, or why it failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum CudaError {
    #[error("no NVIDIA driver was found (libcuda.so.1 or nvcuda.dll)")]
    NoDriver,
    #[error("the NVIDIA driver does not start: {0}")]
    BrokenDriver(String),
    #[error("the NVIDIA driver is for CUDA {found}, expected {expected} or later: update the driver")]
    OldDriver { found: String, expected: &'static str },
    #[error("the NVIDIA driver finds no GPU")]
    NoDevice,
    #[error("there is no GPU {ordinal}: the driver finds {count}, numbered from 0")]
    NoSuchDevice { ordinal: u32, count: u32 },
    #[error("{name} is of compute capability {major}.{minor}, expected 7.0 or later")]
    OldDevice { name: String, major: i32, minor: i32 },
    #[error("{name} computes {found} where {expected} is right: the GPU or its driver does not work")]
    WrongAnswer { name: String, found: f64, expected: f64 },
    #[error("there is no memory of a GPU at the address {address:#x}")]
    NotOnGpu { address: u64 },
    #[error("an array on the GPU cannot be copied to the host: {0}")]
    NotCopied(String),
    #[error("{what} needs {needed} bytes on the GPU, of which {free} are free")]
    Memory { what: &'static str, needed: u64, free: u64 },
    #[error("the GPU failed while it was to {what}: {reason}")]
    Failed { what: &'static str, reason: String },
}

impl CudaError {
    /// Returns the driver's own description of an error.
    pub(crate) fn reason(error: DriverError) -> String {
        match error.error_string() {
            Ok(text) => text.to_string_lossy().into_owned(),
            Err(_) => format!("error {}", error.0 as u32),
        }
    }

    /// Whether an error says that the GPU has too little memory.
    pub(crate) fn is_memory(error: &lcca::Error) -> bool {
        let lcca::Error::External(inner) = error else { return false };
        matches!(inner.downcast_ref(), Some(CudaError::Memory { .. }))
    }

    pub(crate) fn failed(what: &'static str) -> impl Fn(DriverError) -> CudaError {
        move |error| CudaError::Failed { what, reason: CudaError::reason(error) }
    }
}

impl From<CudaError> for lcca::Error {
    fn from(error: CudaError) -> Self {
        lcca::Error::External(Box::new(error))
    }
}

/// Returns the result, or `None` if the device has too little memory, because the host then does the work.
pub(crate) fn unless_full<T>(found: Result<T, CudaError>) -> lcca::Result<Option<T>> {
    match found {
        Err(CudaError::Memory { .. }) => Ok(None),
        found => Ok(Some(found?)),
    }
}
