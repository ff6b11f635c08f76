//! Finds GPUs through the driver, and keeps the state of each for this process.
//!
//! The driver is loaded when the first caller asks for a GPU. Without a driver, that call returns an error,
//! and programs still start.

use super::staging::Staging;
use crate::error::CudaError;
use crate::kernels::File;
use cudarc::driver::result::DriverError;
use cudarc::driver::{result, sys};
use std::collections::{BTreeMap, HashMap};
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

/// The CUDA version of the oldest driver that can read the compiled kernels, as a number and as text.
const OLDEST_DRIVER: (i32, &str) = (11080, "11.8");
/// The major number of the oldest compute capability for which the kernels are compiled.
const OLDEST_DEVICE: i32 = 7;

/// The functions of the driver that are called once it is known to be new enough.
const FUNCTIONS: [&str; 31] = [
    "cuCtxSetCurrent",
    "cuCtxSynchronize",
    "cuDeviceGet",
    "cuDeviceGetAttribute",
    "cuDeviceGetCount",
    "cuDeviceGetName",
    "cuDevicePrimaryCtxRetain",
    "cuEventCreate",
    "cuEventDestroy_v2",
    "cuEventRecord",
    "cuEventSynchronize",
    "cuFuncSetAttribute",
    "cuLaunchCooperativeKernel",
    "cuLaunchKernel",
    "cuMemAllocFromPoolAsync",
    "cuMemFreeAsync",
    "cuMemGetInfo_v2",
    "cuMemHostAlloc",
    "cuMemPoolCreate",
    "cuMemPoolSetAttribute",
    "cuMemPoolTrimTo",
    "cuMemcpyDtoDAsync_v2",
    "cuMemcpyDtoHAsync_v2",
    "cuMemcpyHtoDAsync_v2",
    "cuMemsetD8Async",
    "cuModuleGetFunction",
    "cuModuleLoadData",
    "cuPointerGetAttributes",
    "cuStreamCreate",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// The state of a GPU in this process, made when the GPU is first opened and kept until the process ends.
/// Kernels run on one stream, in order. Large copies from the host have a stream of their own, because they
/// need not wait for kernels; kernels wait for them.
pub(crate) struct Context {
    pub ordinal: u32,
    pub name: String,
    pub stream: sys::CUstream,
    pub copies: sys::CUstream,
    /// The event that marks the end of the last large copy.
    copied: sys::CUevent,
    pub staging: Mutex<Option<Staging>>,
    pub handle: sys::CUcontext,
    pool: sys::CUmemoryPool,
    /// The major number of the compute capability.
    major: i32,
    /// The number of thread blocks that are sure to run at the same time, so that they can wait for each
    /// other: one per multiprocessor, or 0 if the driver cannot start such kernels.
    pub runs_together: usize,
    functions: Mutex<HashMap<&'static str, Function>>,
    modules: Mutex<HashMap<File, Module>>,
}

#[derive(Clone, Copy)]
pub(crate) struct Function(pub sys::CUfunction);
#[derive(Clone, Copy)]
struct Module(sys::CUmodule);

// SAFETY: any thread may use the driver's handles if their context is its current one; `bind` makes it so.
unsafe impl Send for Context {}
// SAFETY: as above. The driver locks the state that it shares.
unsafe impl Sync for Context {}
// SAFETY: as above.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Send for Module {}

/// A GPU that the driver finds and that the kernels are compiled for.
struct Found {
    device: sys::CUdevice,
    name: String,
    major: i32,
    runs_together: usize,
}

/// Returns the names of all GPUs, or the reason why they cannot be used. Starts nothing on them.
pub(crate) fn names() -> Result<Vec<String>, CudaError> {
    (0..count()?).map(|ordinal| Ok(find(ordinal)?.name)).collect()
}

/// Returns the number of GPUs, or the reason why there is none.
fn count() -> Result<u32, CudaError> {
    // SAFETY: this loads the library if it is there, and nothing else.
    if !unsafe { sys::is_culib_present() } {
        return Err(CudaError::NoDriver);
    }
    // Calling a missing function would panic.
    require(&["cuInit", "cuDriverGetVersion", "cuGetErrorString"])?;
    match result::init() {
        Err(error) if error.0 == sys::CUresult::CUDA_ERROR_NO_DEVICE => return Err(CudaError::NoDevice),
        Err(error) => return Err(CudaError::BrokenDriver(CudaError::reason(error))),
        Ok(()) => {}
    }
    let mut version = 0;
    // SAFETY: the driver writes one number.
    unsafe { sys::cuDriverGetVersion(&mut version) }
        .result()
        .map_err(|error| CudaError::BrokenDriver(CudaError::reason(error)))?;
    let (oldest, expected) = OLDEST_DRIVER;
    if version < oldest {
        let found = format!("{}.{}", version / 1000, version % 1000 / 10);
        return Err(CudaError::OldDriver { found, expected });
    }
    require(&FUNCTIONS)?;
    let count = result::device::get_count().map_err(|e| CudaError::BrokenDriver(CudaError::reason(e)))?;
    if count > 0 { Ok(count as u32) } else { Err(CudaError::NoDevice) }
}

/// Fails if the driver lacks one of these functions.
fn require(functions: &[&str]) -> Result<(), CudaError> {
    for name in functions {
        // SAFETY: the library was found. The function is looked up and not called.
        if unsafe { sys::culib().get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_err() {
            return Err(CudaError::BrokenDriver(format!("it has no function {name}")));
        }
    }
    Ok(())
}

fn find(ordinal: u32) -> Result<Found, CudaError> {
    let count = count()?;
    if ordinal >= count {
        return Err(CudaError::NoSuchDevice { ordinal, count });
    }
    let failed = CudaError::failed("be found");
    let device = result::device::get(ordinal as i32).map_err(&failed)?;
    let name = result::device::get_name(device).map_err(&failed)?;
    use sys::CUdevice_attribute as Attribute;
    // SAFETY: `device` is one that the driver returned.
    let attribute = |which| unsafe { result::device::get_attribute(device, which) };
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR).map_err(&failed)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR).map_err(&failed)?;
    if major < OLDEST_DEVICE {
        return Err(CudaError::OldDevice { name, major, minor });
    }
    let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT).map_err(&failed)?;
    let cooperates = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH).map_err(&failed)? == 1;
    let runs_together = if cooperates { multiprocessors.max(0) as usize } else { 0 };
    Ok(Found { device, name, major, runs_together })
}

/// Returns the context of a GPU, which the first call makes.
pub(crate) fn of(ordinal: u32) -> Result<&'static Context, CudaError> {
    static KEPT: Mutex<BTreeMap<u32, &'static Context>> = Mutex::new(BTreeMap::new());
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(context) = kept.get(&ordinal) {
        return Ok(context);
    }
    let context: &'static Context = Box::leak(Box::new(Context::new(ordinal)?));
    kept.insert(ordinal, context);
    Ok(context)
}

/// Creates a pool that keeps returned memory until `trim`, so that taking it again costs nothing. Copies do
/// not get memory that a kernel may still use, because they would have to wait for the kernel.
fn new_pool(ordinal: u32) -> Result<sys::CUmemoryPool, DriverError> {
    // SAFETY: all fields are numbers or addresses, for which zero means none.
    let mut properties: sys::CUmemPoolProps = unsafe { std::mem::zeroed() };
    properties.allocType = sys::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED;
    properties.location.type_ = sys::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE;
    properties.location.id = ordinal as i32;
    use sys::CUmemPool_attribute as Attribute;
    let (mut threshold, mut no) = (u64::MAX, 0i32);
    // SAFETY: the properties and the attributes are of the types that the driver expects.
    unsafe {
        let pool = result::mem_pool::create(&properties)?;
        let which = Attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        result::mem_pool::set_attribute(pool, which, (&raw mut threshold).cast())?;
        let which = Attribute::CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES;
        result::mem_pool::set_attribute(pool, which, (&raw mut no).cast())?;
        Ok(pool)
    }
}

impl Context {
    fn new(ordinal: u32) -> Result<Self, CudaError> {
        let Found { device, name, major, runs_together } = find(ordinal)?;
        let failed = CudaError::failed("be opened");
        // SAFETY: the primary context is retained until the process ends.
        let handle = unsafe { result::primary_ctx::retain(device) }.map_err(&failed)?;
        // SAFETY: `handle` was just made.
        unsafe { result::ctx::set_current(handle) }.map_err(&failed)?;
        let stream = || result::stream::create(result::stream::StreamKind::NonBlocking).map_err(&failed);
        let copied = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING).map_err(&failed)?;
        Ok(Context {
            ordinal,
            name,
            stream: stream()?,
            copies: stream()?,
            copied,
            staging: Mutex::default(),
            handle,
            pool: new_pool(ordinal).map_err(&failed)?,
            major,
            runs_together,
            functions: Mutex::default(),
            modules: Mutex::default(),
        })
    }

    /// Makes this GPU the one to which driver calls of the current thread apply.
    pub fn bind(&self) -> Result<(), CudaError> {
        // SAFETY: the context lives as long as the process.
        unsafe { result::ctx::set_current(self.handle) }.map_err(CudaError::failed("be selected"))
    }

    /// Takes memory that later work on `stream` may use. If there is none left, waits for memory that is
    /// about to be given back, and tries once more.
    pub fn take(&self, bytes: u64, stream: sys::CUstream) -> Result<u64, DriverError> {
        // SAFETY: pool and stream are this GPU's.
        let take = || unsafe { result::mem_pool::alloc_async(self.pool, bytes as usize, stream) };
        match take() {
            Err(error) if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY && self.finish().is_ok() => {
                take()
            }
            taken => taken,
        }
    }

    /// Makes kernels that are started from now on wait for the copies that were started before.
    pub fn wait_for_copies(&self) -> Result<(), CudaError> {
        // SAFETY: the event is recorded on one stream only. If another thread records it again in between,
        // that is a later point.
        unsafe {
            result::event::record(self.copied, self.copies)
                .and_then(|()| {
                    let flags = sys::CUevent_wait_flags::CU_EVENT_WAIT_DEFAULT;
                    result::stream::wait_event(self.stream, self.copied, flags)
                })
                .map_err(CudaError::failed("follow a copy"))
        }
    }

    /// Returns the number of bytes that no process uses.
    pub fn free(&self) -> Result<u64, CudaError> {
        self.bind()?;
        Ok(result::mem_get_info().map_err(CudaError::failed("tell its memory"))?.0 as u64)
    }

    /// Waits until all started kernels are done. Copies are then done as well, because kernels wait for
    /// them.
    pub fn finish(&self) -> Result<(), CudaError> {
        self.bind()?;
        // SAFETY: the stream is this GPU's.
        unsafe { result::stream::synchronize(self.stream) }.map_err(CudaError::failed("finish"))
    }

    /// Returns the moment at which all kernels and copies that were started so far are done.
    pub fn now(&self) -> Result<Moment, CudaError> {
        self.bind()?;
        let failed = CudaError::failed("follow a kernel");
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING).map_err(&failed)?;
        let moment = Moment { event };
        // SAFETY: both are alive.
        unsafe { result::event::record(event, self.stream) }.map_err(&failed)?;
        Ok(moment)
    }

    /// Releases returned memory to other libraries in this process and to other processes.
    pub fn trim(&self) {
        if self.finish().is_ok() {
            // SAFETY: the pool is this GPU's. Memory in use stays. If the call fails, the pool keeps its
            // memory.
            let _ = unsafe { result::mem_pool::trim_to(self.pool, 0) };
        }
    }

    /// Whether tensor cores multiply f64 numbers.
    pub fn has_tensor_cores(&self) -> bool {
        self.major >= 8
    }

    /// Returns a kernel, which the driver translates for this GPU at the first call.
    pub fn function(&self, name: &'static str, file: File) -> Result<Function, CudaError> {
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(name) {
            return Ok(*function);
        }
        let failed = CudaError::failed("read its kernels");
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let module = match modules.get(&file) {
            Some(module) => *module,
            None => {
                // SAFETY: the text ends with a zero byte.
                let module = unsafe { result::module::load_data(file.ptx(self.major).as_ptr().cast()) }
                    .map_err(&failed)?;
                *modules.entry(file).or_insert(Module(module))
            }
        };
        let symbol = CString::new(name).map_err(|_| CudaError::Failed {
            what: "find a kernel",
            reason: format!("{name} is not a name"),
        })?;
        // SAFETY: modules are never unloaded.
        let function = Function(unsafe { result::module::get_function(module.0, symbol) }.map_err(&failed)?);
        functions.insert(name, function);
        Ok(function)
    }
}

/// A point in the work of a GPU.
pub(crate) struct Moment {
    event: sys::CUevent,
}

impl Moment {
    /// Waits until the GPU has passed this point.
    pub fn wait(&self) -> Result<(), CudaError> {
        // SAFETY: the event is alive.
        unsafe { result::event::synchronize(self.event) }.map_err(CudaError::failed("finish"))
    }
}

impl Drop for Moment {
    fn drop(&mut self) {
        // SAFETY: the event belongs to this value alone. If the call fails, the driver keeps the event.
        let _ = unsafe { result::event::destroy(self.event) };
    }
}
