//! Arrays that other libraries lend by DLPack: <https://dmlc.github.io/dlpack/latest/c_api.html>.
//!
//! A producer packs a tensor into a capsule. The consumer that takes the tensor out renames the capsule,
//! and calls the producer's deleter once, when the tensor is no longer needed. A capsule that still has its
//! first name calls the deleter itself. That is why a tensor that we refuse stays in its capsule.

use crate::failure::Failure;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

/// The major version whose layout we know. Later minor versions only add flags and kinds of numbers.
const MAJOR: u32 = 1;
/// The most dimensions that NumPy has. A tensor with more of them is broken.
const MOST_DIMENSIONS: i32 = 64;
/// The DLPack code for the memory of a CUDA device.
const CUDA: i32 = 2;

/// DLPack's `DLTensor`, with the fields of its `DLDevice` and `DLDataType` in place.
#[repr(C)]
struct Tensor {
    data: *mut c_void,
    device_type: i32,
    device_id: i32,
    dimensions: i32,
    code: u8,
    bits: u8,
    lanes: u16,
    shape: *const i64,
    /// The steps between neighbors, in numbers, not bytes. Null if rows follow each other without gaps.
    strides: *const i64,
    byte_offset: u64,
}

impl Tensor {
    /// NumPy's name for the type of the tensor's numbers. A type that NumPy does not have gets the name of
    /// bytes without a meaning.
    fn typestr(&self) -> String {
        let bytes = self.bits / 8;
        match (self.code, self.lanes, self.bits) {
            (0, 1, 8) => "|i1".into(),
            (1, 1, 8) => "|u1".into(),
            (6, 1, 8) => "|b1".into(),
            (0, 1, 16 | 32 | 64) => format!("<i{bytes}"),
            (1, 1, 16 | 32 | 64) => format!("<u{bytes}"),
            (2, 1, 16 | 32 | 64) => format!("<f{bytes}"),
            _ => format!("|V{bytes}"),
        }
    }
}

/// DLPack's `DLManagedTensor`, as it was before version 1.0.
#[repr(C)]
struct Unversioned {
    tensor: Tensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Unversioned)>,
}

/// DLPack's `DLManagedTensorVersioned`.
#[repr(C)]
struct Versioned {
    major: u32,
    minor: u32,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Versioned)>,
    flags: u64,
    tensor: Tensor,
}

/// A tensor that must be deleted once.
#[derive(Clone, Copy)]
enum Managed {
    Unversioned(NonNull<Unversioned>),
    Versioned(NonNull<Versioned>),
}

impl Managed {
    /// The tensor in a capsule that is still unused, and the name that marks the capsule as used.
    fn inside(capsule: &Bound<'_, PyAny>) -> Option<(Self, &'static CStr)> {
        let pointer = |name: &CStr| -> Option<NonNull<c_void>> {
            // SAFETY: the object is alive and may be of any type; the name ends with a zero byte. A valid
            // capsule has a pointer.
            unsafe {
                if ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) == 0 {
                    return None;
                }
                NonNull::new(ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr()))
            }
        };
        if let Some(found) = pointer(c"dltensor_versioned") {
            return Some((Managed::Versioned(found.cast()), c"used_dltensor_versioned"));
        }
        pointer(c"dltensor").map(|found| (Managed::Unversioned(found.cast()), c"used_dltensor"))
    }

    /// The tensor; `None` if a version that we do not know yet laid it out.
    ///
    /// # Safety
    /// The tensor must not be deleted yet.
    unsafe fn tensor(&self) -> Option<&Tensor> {
        // SAFETY: the producer promises a tensor of this layout, and a versioned tensor begins with its
        // version.
        unsafe {
            match self {
                Managed::Unversioned(managed) => Some(&managed.as_ref().tensor),
                Managed::Versioned(managed) if managed.as_ref().major == MAJOR => {
                    Some(&managed.as_ref().tensor)
                }
                Managed::Versioned(_) => None,
            }
        }
    }

    /// Tells the producer that we no longer need the tensor.
    ///
    /// # Safety
    /// The tensor must not be deleted yet, and must not be used afterward.
    unsafe fn delete(self) {
        // SAFETY: the caller promises it. A tensor without a deleter needs none.
        unsafe {
            match self {
                Managed::Unversioned(managed) => {
                    if let Some(deleter) = managed.as_ref().deleter {
                        deleter(managed.as_ptr());
                    }
                }
                Managed::Versioned(managed) => {
                    if let Some(deleter) = managed.as_ref().deleter {
                        deleter(managed.as_ptr());
                    }
                }
            }
        }
    }
}

/// The place of an array on a GPU, in the words of `__cuda_array_interface__`.
struct Description {
    shape: Vec<i64>,
    /// The steps between neighbors, in bytes; `None` if rows follow each other without gaps.
    strides: Option<Vec<i64>>,
    typestr: String,
    address: u64,
}

impl Description {
    /// Describes a tensor; `None` if it is broken or is not in the memory of a CUDA device.
    ///
    /// # Safety
    /// Shape and strides must have as many numbers as there are dimensions.
    unsafe fn new(tensor: &Tensor) -> Option<Self> {
        let is_known = tensor.device_type == CUDA && (1..=MOST_DIMENSIONS).contains(&tensor.dimensions);
        if !is_known || tensor.shape.is_null() {
            return None;
        }
        let dimensions = tensor.dimensions as usize;
        // SAFETY: the caller promises as many numbers as there are dimensions.
        let numbers = |from: *const i64| unsafe { std::slice::from_raw_parts(from, dimensions) }.to_vec();
        let bytes = i64::from(tensor.bits) / 8;
        let strides = (!tensor.strides.is_null()).then(|| {
            numbers(tensor.strides).into_iter().map(|stride| stride.saturating_mul(bytes)).collect()
        });
        Some(Description {
            shape: numbers(tensor.shape),
            strides,
            typestr: tensor.typestr(),
            address: (tensor.data as u64).checked_add(tensor.byte_offset)?,
        })
    }
}

/// An array on a GPU that another library lends. It is given back when this object goes.
#[pyclass(frozen, module = "lcca._lcca")]
pub struct DlpackTensor {
    managed: Managed,
    description: Description,
}

// SAFETY: the tensor is not read after this object was made. The interpreter holds its lock when it drops
// the object, and thus when it calls the deleter.
unsafe impl Send for DlpackTensor {}
// SAFETY: the tensor is not read after this object was made.
unsafe impl Sync for DlpackTensor {}

#[pymethods]
impl DlpackTensor {
    /// Takes the tensor out of the capsule that `__dlpack__` returned. What does not lie on a GPU stays
    /// there.
    #[new]
    fn new(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let refused = |reason: &str| PyErr::from(Failure::Usage(reason.into()));
        let Some((managed, used)) = Managed::inside(capsule) else {
            return Err(refused("not a capsule with a tensor that nobody has taken"));
        };
        // SAFETY: the tensor in an unused capsule is not deleted, and the producer promises its layout.
        let description = unsafe { managed.tensor().and_then(|tensor| Description::new(tensor)) };
        let description =
            description.ok_or_else(|| refused("not a tensor in the memory of a CUDA device"))?;
        // SAFETY: the capsule is valid, and the name lives as long as the process.
        if unsafe { ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr()) } != 0 {
            return Err(PyErr::fetch(capsule.py()));
        }
        Ok(DlpackTensor { managed, description })
    }

    /// Where it lies. The legacy default stream, which is number 1, is the one that the producer was asked to
    /// have it written by.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let Description { shape, strides, typestr, address } = &self.description;
        let tuple = |numbers: &[i64]| pyo3::types::PyTuple::new(py, numbers);
        let interface = PyDict::new(py);
        interface.set_item("shape", tuple(shape)?)?;
        interface.set_item("strides", strides.as_deref().map(tuple).transpose()?)?;
        interface.set_item("typestr", typestr)?;
        interface.set_item("data", (address, true))?;
        interface.set_item("version", 3)?;
        interface.set_item("stream", 1)?;
        Ok(interface)
    }
}

impl Drop for DlpackTensor {
    fn drop(&mut self) {
        // SAFETY: the tensor was taken from its capsule once, and is dropped once.
        unsafe { self.managed.delete() }
    }
}
