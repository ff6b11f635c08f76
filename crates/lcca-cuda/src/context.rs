//! GPUs as the driver knows them: finding them, and what this process keeps of each.
//!
//! The driver is loaded when somebody first asks for a GPU; without one, that is an error and not a failure
//! to start.

use crate::error::CudaError;
use crate::kernels::File;
use crate::staging::Staging;
use cudarc::driver::result::DriverError;
use cudarc::driver::{result, sys};
use std::collections::{BTreeMap, HashMap};
use std::ffi::CString;
use std::sync::{Mutex, PoisonError};

/// The oldest driver whose CUDA version can read the compiled kernels.
const OLDEST_DRIVER: (i32, &str) = (11080, "11.8");
/// The oldest compute capability that the kernels are compiled for.
const OLDEST_DEVICE: i32 = 7;

/// Functions of the driver that are called once it is known to be new enough.
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

/// What this process keeps of a GPU: made when it is first opened, and kept until the process ends. Kernels
/// run on one stream, in order. Large copies from the host have a stream of their own, so that they need not
/// wait for kernels; kernels wait for them.
pub(crate) struct Context {
    pub ordinal: u32,
    pub name: String,
    pub stream: sys::CUstream,
    pub copies: sys::CUstream,
    /// The end of the last copy.
    copied: sys::CUevent,
    pub staging: Mutex<Option<Staging>>,
    pub handle: sys::CUcontext,
    pool: sys::CUmemoryPool,
    /// The major number of the compute capability.
    major: i32,
    /// Thread blocks that surely run at the same time and can wait for each other: as many as there are
    /// multiprocessors, or none.
    pub runs_together: usize,
    functions: Mutex<HashMap<&'static str, Function>>,
    modules: Mutex<HashMap<File, Module>>,
}

#[derive(Clone, Copy)]
pub(crate) struct Function(pub sys::CUfunction);
#[derive(Clone, Copy)]
struct Module(sys::CUmodule);

// SAFETY: handles of the driver may be used by any thread whose current context is theirs; `bind` sees to
// that.
unsafe impl Send for Context {}
// SAFETY: as above. The driver locks what it shares.
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

/// The names of all GPUs, or why they cannot be used. Nothing is started on them.
pub(crate) fn names() -> Result<Vec<String>, CudaError> {
    (0..count()?).map(|ordinal| Ok(find(ordinal)?.name)).collect()
}

/// The number of GPUs, or why there is none.
fn count() -> Result<u32, CudaError> {
    // SAFETY: this loads the library if it is there, and nothing else.
    if !unsafe { sys::is_culib_present() } {
        return Err(CudaError::NoDriver);
    }
    // A function that is missing would be a panic when it is called.
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

/// What this process keeps of a GPU.
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

/// A pool of memory that is kept when it is given back, until `trim`, so that taking it again costs nothing.
/// Memory that a kernel may still use is not given to copies: they would have to wait for it.
fn new_pool(ordinal: u32) -> Result<sys::CUmemoryPool, DriverError> {
    // SAFETY: all fields are numbers or addresses, for which zero stands for nothing.
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

    /// Makes this GPU the one that calls of this thread are for.
    pub fn bind(&self) -> Result<(), CudaError> {
        // SAFETY: the context lives as long as the process.
        unsafe { result::ctx::set_current(self.handle) }.map_err(CudaError::failed("be selected"))
    }

    /// Takes memory for what one of the streams does next. If there is none left, memory that is about to be
    /// given back is waited for.
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

    /// Bytes that nobody uses, of any process.
    pub fn free(&self) -> Result<u64, CudaError> {
        self.bind()?;
        Ok(result::mem_get_info().map_err(CudaError::failed("tell its memory"))?.0 as u64)
    }

    /// Waits until everything is done. Kernels wait for copies, so that those are done as well.
    pub fn finish(&self) -> Result<(), CudaError> {
        self.bind()?;
        // SAFETY: the stream is this GPU's.
        unsafe { result::stream::synchronize(self.stream) }.map_err(CudaError::failed("finish"))
    }

    /// A point that kernels and copies will pass when they have done what was started so far.
    pub fn now(&self) -> Result<Moment, CudaError> {
        self.bind()?;
        let failed = CudaError::failed("follow a kernel");
        let event = result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING).map_err(&failed)?;
        let moment = Moment { event };
        // SAFETY: both are alive.
        unsafe { result::event::record(event, self.stream) }.map_err(&failed)?;
        Ok(moment)
    }

    /// Leaves memory that was given back to others: other libraries in this process, and other processes.
    pub fn trim(&self) {
        if self.finish().is_ok() {
            // SAFETY: the pool is this GPU's. What is in use stays. If it fails, memory is kept as it was.
            let _ = unsafe { result::mem_pool::trim_to(self.pool, 0) };
        }
    }

    /// Whether tensor cores multiply f64 numbers.
    pub fn has_tensor_cores(&self) -> bool {
        self.major >= 8
    }

    /// A kernel, which is translated for this GPU when it is first wanted.
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

/// A point in what a GPU does.
pub(crate) struct Moment {
    event: sys::CUevent,
}

impl Moment {
    /// Waits until it is passed.
    pub fn wait(&self) -> Result<(), CudaError> {
        // SAFETY: the event is alive.
        unsafe { result::event::synchronize(self.event) }.map_err(CudaError::failed("finish"))
    }
}

impl Drop for Moment {
    fn drop(&mut self) {
        // SAFETY: nobody else has the event. If it fails, the driver keeps it.
        let _ = unsafe { result::event::destroy(self.event) };
    }
}
