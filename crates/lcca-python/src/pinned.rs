//! Lends NumPy arrays as byte slices that Rust may read while the interpreter runs other code.

use crate::failure::Failure;
use lcca_io::Array;
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;

/// A NumPy array that our own reference keeps alive. If the reference is dropped without the interpreter's
/// lock, PyO3 releases it the next time any thread takes the lock.
struct PinnedArray {
    _array: Py<PyUntypedArray>,
    start: *const u8,
    len: usize,
}

// SAFETY: the bytes are only read, and the reference keeps them in place. Python code may write to the
// array meanwhile: the numbers are then wrong, as they would be for NumPy, but every index that we make
// from them is checked.
unsafe impl Send for PinnedArray {}
// SAFETY: the bytes are only read, and the reference keeps them in place.
unsafe impl Sync for PinnedArray {}

impl AsRef<[u8]> for PinnedArray {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: `start` and `len` describe the array's one contiguous allocation, which lives as long as
        // `self`.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

/// Pins a contiguous array and shares its numbers without a copy.
pub fn pin(array: &Bound<'_, PyUntypedArray>) -> Result<Array, Failure> {
    if !array.is_c_contiguous() && !array.is_fortran_contiguous() {
        return Err(Failure::Usage("the array has gaps, expected a contiguous one".into()));
    }
    let dtype = array.dtype();
    let (width, len) = (dtype.itemsize(), array.len() * dtype.itemsize());
    // SAFETY: the array is alive.
    let data = unsafe { (*array.as_array_ptr()).fields.data }.cast_const().cast::<u8>();
    // The data pointer of an empty array may be null, which a slice must never be.
    let start = if len == 0 { std::ptr::NonNull::dangling().as_ptr() } else { data };
    let owner = Arc::new(PinnedArray { _array: array.clone().unbind(), start, len });
    Ok(Array { owner, letter: dtype.kind(), width, big_endian: dtype.byteorder() == b'>' })
}
