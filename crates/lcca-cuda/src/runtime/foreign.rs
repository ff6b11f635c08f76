//! Memory on a GPU that belongs to other libraries of this process.

use super::context::Context;
use crate::error::CudaError;
use cudarc::driver::{result, sys};
use std::ffi::c_void;

/// The moment at which an array is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    /// The array is already written.
    Already,
    /// The array is written when the stream with this handle has done the work that was started there. The
    /// handle 1 is the default stream of the process.
    By(u64),
    /// The array is written when the GPU has done all work that this process started.
    ByAll,
}

impl Context {
    /// Whether an address is in memory of this GPU that this context may use; `None` if the driver knows of
    /// no memory there. For memory of the host that the driver knows, it is `false`.
    pub fn is_own(&self, address: u64) -> Result<Option<bool>, CudaError> {
        self.bind()?;
        use sys::CUpointer_attribute as Attribute;
        let (mut kind, mut ordinal, mut context) = (0u32, -1i32, std::ptr::null_mut::<c_void>());
        let mut attributes = [
            Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
            Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
            Attribute::CU_POINTER_ATTRIBUTE_CONTEXT,
        ];
        let mut places: [*mut c_void; 3] =
            [(&raw mut kind).cast(), (&raw mut ordinal).cast(), (&raw mut context).cast()];
        // SAFETY: each place has the type of its attribute. The address is looked up and not read.
        unsafe { sys::cuPointerGetAttributes(3, attributes.as_mut_ptr(), places.as_mut_ptr(), address) }
            .result()
            .map_err(CudaError::failed("look for an array"))?;
        if kind == sys::CUmemorytype::CU_MEMORYTYPE_HOST as u32 {
            return Ok(Some(false));
        }
        if kind != sys::CUmemorytype::CU_MEMORYTYPE_DEVICE as u32 {
            return Ok(None);
        }
        // Memory of a pool belongs to no context.
        let is_shared = context.is_null() || context == self.handle.cast();
        Ok(Some(is_shared && ordinal == self.ordinal as i32))
    }

    /// Waits until an array of another library is written.
    ///
    /// # Safety
    /// If `written` has a handle, it must be that of a stream.
    pub unsafe fn wait_until(&self, written: Written) -> Result<(), CudaError> {
        self.bind()?;
        match written {
            Written::Already => Ok(()),
            // SAFETY: the caller guarantees that it is a stream.
            Written::By(stream) => unsafe { result::stream::synchronize(stream as usize as sys::CUstream) },
            Written::ByAll => result::ctx::synchronize(),
        }
        .map_err(CudaError::failed("wait for an array"))
    }
}
