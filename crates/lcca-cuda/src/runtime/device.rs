//! One GPU and its memory, as one fit uses it.

use super::context::{self, Context};
use super::launch::{Argument, Launch};
use crate::error::CudaError;
use crate::kernels::File;
use cudarc::driver::{result, sys};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The bytes of the GPU's memory that are left to others, unless a limit is set.
const LEFT_FREE: u64 = 512 << 20;

/// The most bytes of shared memory that a kernel may have without asking the driver.
const ORDINARY_SHARED: u32 = 48 << 10;

/// A GPU that was found and can be used. Dropping this frees its memory for others.
pub struct Device {
    context: &'static Context,
    used: AtomicU64,
    limit: u64,
}

impl Device {
    /// Opens a GPU, numbered from 0. It takes at most `limit` bytes of its memory. `None` stands for the
    /// free memory less a reserve of 512 MiB.
    pub fn open(ordinal: u32, limit: Option<u64>) -> Result<Arc<Self>, CudaError> {
        let context = context::of(ordinal)?;
        let limit = match limit {
            Some(limit) => limit,
            None => context.free()?.saturating_sub(LEFT_FREE),
        };
        Ok(Arc::new(Device { context, used: AtomicU64::new(0), limit }))
    }

    /// The number of the GPU, from 0.
    pub fn ordinal(&self) -> u32 {
        self.context.ordinal
    }

    /// The driver's name of the GPU.
    pub fn name(&self) -> &str {
        &self.context.name
    }

    /// The bytes of the GPU's memory that may still be taken.
    pub fn free(&self) -> u64 {
        self.limit.saturating_sub(self.used.load(Relaxed))
    }

    /// The bytes of the GPU's memory that may be taken in all.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    pub(crate) fn context(&self) -> &'static Context {
        self.context
    }

    /// Takes `bytes` bytes of the GPU's memory, and returns their address. Later work on `stream` may use
    /// them.
    pub(crate) fn take(&self, bytes: u64, stream: sys::CUstream) -> Result<u64, CudaError> {
        self.context.bind()?;
        let refused = |free| CudaError::Memory { what: "a panel or a matrix", needed: bytes, free };
        if self.used.fetch_add(bytes, Relaxed) + bytes > self.limit {
            self.used.fetch_sub(bytes, Relaxed);
            return Err(refused(self.free()));
        }
        self.context.take(bytes, stream).map_err(|error| {
            self.used.fetch_sub(bytes, Relaxed);
            if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
                refused(self.context.free().unwrap_or(0))
            } else {
                CudaError::failed("take memory")(error)
            }
        })
    }

    /// Gives back memory that [`Device::take`] returned.
    pub(crate) fn give_back(&self, address: u64, bytes: u64) {
        self.used.fetch_sub(bytes, Relaxed);
        if self.context.bind().is_ok() {
            // SAFETY: the memory was taken, and the stream first finishes the work that uses it. An earlier
            // call has already reported any error here.
            let _ = unsafe { result::free_async(address, self.context.stream) };
        }
    }

    /// Waits until all started work is done.
    pub(crate) fn finish(&self) -> Result<(), CudaError> {
        self.context.finish()
    }

    /// The number of thread blocks that are sure to run at the same time, so that they can wait for each
    /// other; 0 if the driver cannot start such kernels.
    pub(crate) fn runs_together(&self) -> usize {
        self.context.runs_together
    }

    /// Starts a kernel.
    pub(crate) fn launch(
        &self,
        name: &'static str,
        file: File,
        shape: Launch,
        arguments: &[&dyn Argument],
    ) -> Result<(), CudaError> {
        self.start(name, file, shape, arguments, false)
    }

    /// Starts a kernel that runs over `count` numbers in steps of its grid.
    pub(crate) fn launch_each(
        &self,
        name: &'static str,
        file: File,
        count: u64,
        arguments: &[&dyn Argument],
    ) -> Result<(), CudaError> {
        self.launch(name, file, Launch::each(count), arguments)
    }

    /// Starts a kernel whose thread blocks wait for each other. Fails if they cannot all run at the same
    /// time.
    pub(crate) fn launch_together(
        &self,
        name: &'static str,
        file: File,
        shape: Launch,
        arguments: &[&dyn Argument],
    ) -> Result<(), CudaError> {
        self.start(name, file, shape, arguments, true)
    }

    fn start(
        &self,
        name: &'static str,
        file: File,
        shape: Launch,
        arguments: &[&dyn Argument],
        is_together: bool,
    ) -> Result<(), CudaError> {
        let Some(grid) = shape.grid()? else { return Ok(()) };
        self.context.bind()?;
        let function = self.context.function(name, file)?;
        if shape.shared > ORDINARY_SHARED {
            let attribute = sys::CUfunction_attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: modules are never unloaded.
            unsafe { result::function::set_function_attribute(function.0, attribute, shape.shared as i32) }
                .map_err(CudaError::failed("give a kernel shared memory"))?;
        }
        let mut pointers: Vec<*mut c_void> = arguments.iter().map(|argument| argument.address()).collect();
        let (threads, stream) = ((shape.threads, 1, 1), self.context.stream);
        // SAFETY: the arguments have the number and the types that the kernel expects, and the call copies
        // them. Buffers outlive the kernel, because memory is given back in the order of the stream.
        let started = unsafe {
            if is_together {
                let start = result::launch_cooperative_kernel;
                start(function.0, grid, threads, shape.shared, stream, &mut pointers)
            } else {
                result::launch_kernel(function.0, grid, threads, shape.shared, stream, &mut pointers)
            }
        };
        started.map_err(CudaError::failed("start a kernel"))
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        self.context.trim();
    }
}
