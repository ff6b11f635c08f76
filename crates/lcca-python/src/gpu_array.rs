//! Rows in the memory of a GPU, dense and sparse, as CuPy, PyTorch and other libraries describe their
//! arrays.

use crate::failure::Failure;
use lcca::Error;
use lcca::matrix::{Buffer, DenseRows, DenseValues, Matrix};
use lcca_cuda::{CudaError, DeviceArray, DeviceChoice, Written};
use lcca_io::{Array, Arrays};
use pyo3::prelude::*;
use std::sync::Arc;

/// Numbers without gaps in the memory of a GPU, from a Python object with these attributes.
#[derive(FromPyObject)]
pub struct GpuNumbers {
    /// NumPy's letter for the type of the numbers.
    letter: char,
    /// Bytes per number.
    width: usize,
    length: usize,
    address: u64,
    /// The handle of the stream that writes the numbers; 0 if it is unknown, and `None` if they are written
    /// already.
    stream: Option<u64>,
    /// The Python object that owns the memory.
    keeper: Py<PyAny>,
}

impl GpuNumbers {
    /// Shares the array in place; `None` if a fit on this device cannot use it there.
    fn array(self, name: &str, device: &str) -> Result<Option<Arc<DeviceArray>>, Failure> {
        let ordinal = match device.parse() {
            Ok(DeviceChoice::Cuda(ordinal)) => ordinal,
            Ok(DeviceChoice::Auto) => 0,
            Ok(DeviceChoice::Cpu) | Err(_) => return Ok(None),
        };
        let GpuNumbers { width, length, address, stream, keeper, .. } = self;
        let Some(bytes) = length.checked_mul(width) else {
            return Err(Failure::Usage(format!("{name}: no memory holds {length} numbers of {width} bytes")));
        };
        let written = match stream {
            None => Written::Already,
            // Handle 2 is the default stream of the calling thread, which another thread cannot name.
            Some(0 | 2) => Written::ByAll,
            Some(stream) => Written::By(stream),
        };
        // SAFETY: the object promises that its numbers are there and names the stream that writes them, and
        // our reference keeps it alive. The documentation says that other code must not write to them
        // meanwhile: values would be wrong, and columns that changed after the check could make the GPU
        // read outside of its memory, which the driver reports.
        match unsafe { DeviceArray::new(ordinal, address, bytes, Box::new(keeper), written) } {
            Ok(array) => Ok(array),
            Err(error @ CudaError::NotOnGpu { .. }) => Err(Failure::Usage(format!("{name}: {error}"))),
            // The fit reports the failure of the GPU, or goes on without it.
            Err(_) => Ok(None),
        }
    }
}

/// Shares dense rows in place: f32 or f64 numbers, row after row. `None` if a fit on this device cannot use
/// them there, or if some number is not finite: then the caller copies them, and the copy is checked and
/// refused like any other array.
pub fn dense_rows(
    name: &str,
    device: &str,
    (rows, cols): (usize, usize),
    numbers: GpuNumbers,
) -> Result<Option<Matrix>, Failure> {
    let (length, is_single) = (numbers.length, numbers.width == 4);
    let Some(array) = numbers.array(name, device)? else { return Ok(None) };
    let values = if is_single {
        DenseValues::F32(Buffer::shared(array, 0, length)?)
    } else {
        DenseValues::F64(Buffer::shared(array, 0, length)?)
    };
    match DenseRows::new(rows, cols, values) {
        Ok(rows) => Ok(Some(rows.into())),
        Err(Error::NotFinite { .. } | Error::External(_)) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Shares compressed sparse rows in place, from their offsets, columns and values. The host copies them
/// once and checks the copy like its own arrays; the GPU uses arrays of types that the engine reads in
/// place. `None` if a fit on this device cannot use the rows there, or if they are invalid: then the caller
/// copies them, and the copy is checked and refused like any other array.
pub fn sparse_rows(
    name: &str,
    device: &str,
    (rows, cols): (usize, usize),
    [indptr, indices, data]: [GpuNumbers; 3],
) -> Result<Option<Matrix>, Failure> {
    let array = |numbers: GpuNumbers| -> Result<Option<Array>, Failure> {
        let (letter, width) = (u8::try_from(numbers.letter).unwrap_or(b'?'), numbers.width);
        let Some(owner) = numbers.array(name, device)? else { return Ok(None) };
        // A failure is ignored here, because the copy is tried again when the array is read, and is an
        // error then.
        let _ = owner.copy_ahead();
        Ok(Some(Array { owner, letter, width, big_endian: false }))
    };
    let Some(indptr) = array(indptr)? else { return Ok(None) };
    let Some(indices) = array(indices)? else { return Ok(None) };
    let Some(data) = array(data)? else { return Ok(None) };
    let loaded = lcca_io::matrix_from(name, rows, cols, &Arrays::Csr { indptr, indices, data });
    Ok(loaded.ok().map(|loaded| loaded.matrix))
}
