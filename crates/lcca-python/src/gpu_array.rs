//! Dense rows in the memory of a GPU, as CuPy, PyTorch and others describe them.

use crate::failure::Failure;
use lcca::Error;
use lcca::matrix::{Buffer, DenseRows, DenseValues, Matrix};
use lcca_cuda::{CudaError, DeviceArray, DeviceChoice, Written};
use pyo3::prelude::*;

/// An array with every number of a view, row after row.
pub struct GpuArray {
    pub shape: (usize, usize),
    /// Whether its numbers are f32; otherwise they are f64.
    pub is_single: bool,
    pub address: u64,
    /// The handle of the stream that writes it; 0 if that is unknown, and `None` if it is written.
    pub stream: Option<u64>,
    /// The Python object that owns the memory.
    pub keeper: Py<PyAny>,
}

impl GpuArray {
    /// The rows where they lie. `None` if a fit on this device cannot use them there, or if some number is not finite: then a copy is
    /// used, and what is wrong with it is said as it is for any array.
    pub fn rows(self, name: &str, device: &str) -> Result<Option<Matrix>, Failure> {
        let ordinal = match device.parse() {
            Ok(DeviceChoice::Cuda(ordinal)) => ordinal,
            Ok(DeviceChoice::Auto) => 0,
            Ok(DeviceChoice::Cpu) | Err(_) => return Ok(None),
        };
        let (rows, cols) = self.shape;
        let width = if self.is_single { 4 } else { 8 };
        let Some(bytes) = rows.checked_mul(cols).and_then(|numbers| numbers.checked_mul(width)) else {
            return Err(Failure::Usage(format!("{name}: no memory holds {rows} rows of {cols} numbers")));
        };
        let written = match self.stream {
            None => Written::Already,
            // The second is the default stream of the thread that called, which another thread cannot name.
            Some(0 | 2) => Written::ByAll,
            Some(stream) => Written::By(stream),
        };
        // SAFETY: the object says that its numbers are there and which stream writes them, and our reference keeps it alive. If other
        // code writes to them meanwhile, results are wrong and nothing else.
        let array =
            match unsafe { DeviceArray::new(ordinal, self.address, bytes, Box::new(self.keeper), written) } {
                Ok(Some(array)) => array,
                Err(error @ CudaError::NotOnGpu { .. }) => {
                    return Err(Failure::Usage(format!("{name}: {error}")));
                }
                // What is wrong with the GPU is said by the fit, or it goes on without one.
                Ok(None) | Err(_) => return Ok(None),
            };
        let values = if self.is_single {
            DenseValues::F32(Buffer::shared(array, 0, rows * cols)?)
        } else {
            DenseValues::F64(Buffer::shared(array, 0, rows * cols)?)
        };
        match DenseRows::new(rows, cols, values) {
            Ok(rows) => Ok(Some(rows.into())),
            Err(Error::NotFinite { .. } | Error::External(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}
