//! Rows in the memory of a GPU, dense and sparse, as CuPy, PyTorch and others describe their arrays.

use crate::failure::Failure;
use lcca::Error;
use lcca::matrix::{Buffer, DenseRows, DenseValues, Matrix};
use lcca_cuda::{CudaError, DeviceArray, DeviceChoice, Written};
use lcca_io::{Array, Arrays};
use pyo3::prelude::*;
use std::sync::Arc;

/// A run of numbers without gaps, from a Python object with these attributes.
#[derive(FromPyObject)]
pub struct GpuNumbers {
    /// NumPy's letter for their type.
    letter: char,
    /// Bytes per number.
    width: usize,
    length: usize,
    address: u64,
    /// The handle of the stream that writes them; 0 if that is unknown, and `None` if they are written.
    stream: Option<u64>,
    /// The Python object that owns the memory.
    keeper: Py<PyAny>,
}

impl GpuNumbers {
    /// The array where it lies; `None` if a fit on this device cannot use it there.
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
            // The second is the default stream of the thread that called, which another thread cannot name.
            Some(0 | 2) => Written::ByAll,
            Some(stream) => Written::By(stream),
        };
        // SAFETY: the object says that its numbers are there and which stream writes them, and our reference
        // keeps it alive. Other code must not write to them meanwhile, which is documented: values would be
        // wrong, and columns that are no longer those that were checked could make the GPU read where it must
        // not, which the driver reports.
        match unsafe { DeviceArray::new(ordinal, address, bytes, Box::new(keeper), written) } {
            Ok(array) => Ok(array),
            Err(error @ CudaError::NotOnGpu { .. }) => Err(Failure::Usage(format!("{name}: {error}"))),
            // What is wrong with the GPU is said by the fit, or it goes on without one.
            Err(_) => Ok(None),
        }
    }
}

/// Dense rows where they lie: f32 or f64 numbers, row after row. `None` if a fit on this device cannot use
/// them there, or if some number is not finite: then a copy is used, and what is wrong with it is said as it
/// is for any array.
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

/// Compressed sparse rows, from their offsets, columns and values. The host copies them once and checks the
/// copy as it does arrays of its own; arrays of types that the engine reads are used by the GPU where they
/// lie. `None` if a fit on this device cannot use them there, or if something is wrong with them, which is
/// then said as it is for any array.
pub fn sparse_rows(
    name: &str,
    device: &str,
    (rows, cols): (usize, usize),
    [indptr, indices, data]: [GpuNumbers; 3],
) -> Result<Option<Matrix>, Failure> {
    let array = |numbers: GpuNumbers| -> Result<Option<Array>, Failure> {
        let (letter, width) = (u8::try_from(numbers.letter).unwrap_or(b'?'), numbers.width);
        let Some(owner) = numbers.array(name, device)? else { return Ok(None) };
        // A copy that fails is tried once more when the array is read, and is an error then.
        let _ = owner.copy_ahead();
        Ok(Some(Array { owner, letter, width, big_endian: false }))
    };
    let Some(indptr) = array(indptr)? else { return Ok(None) };
    let Some(indices) = array(indices)? else { return Ok(None) };
    let Some(data) = array(data)? else { return Ok(None) };
    let loaded = lcca_io::matrix_from(name, rows, cols, &Arrays::Csr { indptr, indices, data });
    Ok(loaded.ok().map(|loaded| loaded.matrix))
}
