//! NumPy arrays as runs of bytes that Rust may read while the interpreter does something else.

use crate::failure::Failure;
use lcca_io::Array;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;

/// An array kept alive by a reference of ours. Where that is given up without the interpreter's lock, PyO3 does so the next
/// time somebody holds it.
struct Held {
    _array: Py<PyUntypedArray>,
    start: *const u8,
    len: usize,
}

// SAFETY: the bytes are only read, and the reference keeps them where they are. Somebody may write to the array meanwhile:
// numbers are then wrong, as they would be for NumPy, but every index made from them is checked.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: `start` and `len` are those of the array's only run of bytes, which lives as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

/// Shares the numbers of an array that lies in one piece.
pub fn share(array: &Bound<'_, PyUntypedArray>) -> Result<Array, Failure> {
    if !array.is_c_contiguous() && !array.is_fortran_contiguous() {
        return Err(Failure::Usage("the array has gaps, expected one that is contiguous".into()));
    }
    let dtype = array.dtype();
    let (width, len) = (dtype.itemsize(), array.len() * dtype.itemsize());
    // SAFETY: the array is alive.
    let data = unsafe { (*array.as_array_ptr()).fields.data }.cast_const().cast::<u8>();
    let start = if len == 0 { std::ptr::NonNull::dangling().as_ptr() } else { data };
    let owner = Arc::new(Held { _array: array.clone().unbind(), start, len });
    Ok(Array { owner, letter: dtype.kind(), width, big_endian: dtype.byteorder() == b'>' })
}
