//! One GPU through its driver: finding it, its memory, copies, and launching kernels.
//!
//! Everything runs on one stream, in order. The driver is loaded when the first device is opened; without one, that is an error and
//! not a failure to start.

use crate::error::CudaError;
use crate::kernels::File;
use bytemuck::Pod;
use cudarc::driver::{result, sys};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ffi::{CString, c_void};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// The oldest driver whose CUDA version can read the compiled kernels.
const OLDEST_DRIVER: (i32, &str) = (11080, "11.8");
/// The oldest compute capability that the kernels are compiled for.
const OLDEST_DEVICE: i32 = 7;
/// Memory of the device that is left to others, unless a limit is set.
const LEFT_FREE: u64 = 512 << 20;

/// A GPU that was found and can be used.
pub struct Device {
    ordinal: u32,
    name: String,
    context: sys::CUcontext,
    stream: sys::CUstream,
    functions: Mutex<HashMap<&'static str, Function>>,
    modules: Mutex<HashMap<usize, Module>>,
    used: AtomicU64,
    limit: u64,
    staging: Mutex<Option<Staging>>,
}

#[derive(Clone, Copy)]
struct Function(sys::CUfunction);
#[derive(Clone, Copy)]
struct Module(sys::CUmodule);

// SAFETY: handles of the driver may be used by any thread whose current context is theirs; `bind` sees to that.
unsafe impl Send for Device {}
// SAFETY: as above. The driver locks what it shares.
unsafe impl Sync for Device {}
// SAFETY: as above.
unsafe impl Send for Function {}
// SAFETY: as above.
unsafe impl Send for Module {}

/// The number of GPUs, or why there is none.
pub(crate) fn count() -> Result<u32, CudaError> {
    // SAFETY: this loads the library if it is there, and nothing else.
    if !unsafe { sys::is_culib_present() } {
        return Err(CudaError::NoDriver);
    }
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
    let count = result::device::get_count().map_err(|e| CudaError::BrokenDriver(CudaError::reason(e)))?;
    if count > 0 { Ok(count as u32) } else { Err(CudaError::NoDevice) }
}

impl Device {
    /// Opens a GPU, numbered from 0. It takes at most `limit` bytes of its memory, or what is free.
    pub fn open(ordinal: u32, limit: Option<u64>) -> Result<Arc<Self>, CudaError> {
        let count = count()?;
        if ordinal >= count {
            return Err(CudaError::NoSuchDevice { ordinal, count });
        }
        let failed = CudaError::failed("open it");
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
        // SAFETY: the primary context is retained until the process ends.
        let context = unsafe { result::primary_ctx::retain(device) }.map_err(&failed)?;
        // SAFETY: `context` was just made.
        unsafe { result::ctx::set_current(context) }.map_err(&failed)?;
        let stream = result::stream::create(result::stream::StreamKind::NonBlocking).map_err(&failed)?;
        // Memory that was given back is kept, so that taking it again costs nothing.
        // SAFETY: the pool is the device's own, and the attribute is a number of 64 bits.
        unsafe {
            let pool = result::device::get_default_mem_pool(device).map_err(&failed)?;
            let mut threshold = u64::MAX;
            let which = sys::CUmemPool_attribute::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
            result::mem_pool::set_attribute(pool, which, (&raw mut threshold).cast()).map_err(&failed)?;
        }
        let (free, _) = result::mem_get_info().map_err(&failed)?;
        let limit = limit.unwrap_or((free as u64).saturating_sub(LEFT_FREE));
        Ok(Arc::new(Device {
            ordinal,
            name,
            context,
            stream,
            functions: Mutex::default(),
            modules: Mutex::default(),
            used: AtomicU64::new(0),
            limit,
            staging: Mutex::default(),
        }))
    }

    /// Its number.
    pub fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// What the driver calls it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Bytes of its memory that may still be taken.
    pub fn free(&self) -> u64 {
        self.limit.saturating_sub(self.used.load(Relaxed))
    }

    /// Bytes of its memory that may be taken in all.
    pub fn limit(&self) -> u64 {
        self.limit
    }

    fn bind(&self) -> Result<(), CudaError> {
        // SAFETY: the context lives as long as the process.
        unsafe { result::ctx::set_current(self.context) }.map_err(CudaError::failed("be selected"))
    }

    /// Room for `len` numbers, whatever they are.
    pub(crate) fn room<T: Pod>(self: &Arc<Self>, len: usize) -> Result<Room<T>, CudaError> {
        self.bind()?;
        let bytes = (len * size_of::<T>()).max(1) as u64;
        let refused = |free| CudaError::Memory { what: "a panel or a matrix", needed: bytes, free };
        if self.used.fetch_add(bytes, Relaxed) + bytes > self.limit {
            self.used.fetch_sub(bytes, Relaxed);
            return Err(refused(self.free()));
        }
        // SAFETY: the stream is this device's, and all uses are on it.
        match unsafe { result::malloc_async(self.stream, bytes as usize) } {
            Ok(address) => Ok(Room { device: self.clone(), address, len, bytes, kind: PhantomData }),
            Err(error) => {
                self.used.fetch_sub(bytes, Relaxed);
                Err(if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
                    refused(result::mem_get_info().map_or(0, |(free, _)| free as u64))
                } else {
                    CudaError::failed("take memory")(error)
                })
            }
        }
    }

    /// Copies bytes to the device. Many go through pinned memory: filling one half of it overlaps with copying the other.
    fn send(&self, address: u64, from: &[u8]) -> Result<(), CudaError> {
        self.bind()?;
        let failed = CudaError::failed("take a copy");
        if from.len() <= STAGED {
            // SAFETY: the caller owns so many bytes there. Memory that is not pinned is read before the call returns.
            return unsafe { result::memcpy_htod_async(address, from, self.stream) }.map_err(failed);
        }
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let staging = Staging::in_place(&mut staging)?;
        for (index, part) in from.chunks(STAGED).enumerate() {
            let half = staging.free_half(index)?;
            // SAFETY: nothing reads this half any more, and it is large enough.
            let pinned = unsafe { std::slice::from_raw_parts_mut(half, part.len()) };
            pinned
                .par_chunks_mut(COPIED)
                .zip(part.par_chunks(COPIED))
                .for_each(|(to, from)| to.copy_from_slice(from));
            // SAFETY: the range is within what the caller owns.
            unsafe { result::memcpy_htod_async(address + (index * STAGED) as u64, pinned, self.stream) }
                .map_err(&failed)?;
            staging.record(index, self.stream)?;
        }
        Ok(())
    }

    /// Copies bytes to the host.
    fn receive(&self, out: &mut [u8], address: u64) -> Result<(), CudaError> {
        self.bind()?;
        let failed = CudaError::failed("give a copy");
        if out.len() <= STAGED {
            // SAFETY: the caller owns so many bytes there.
            unsafe { result::memcpy_dtoh_async(out, address, self.stream) }.map_err(failed)?;
            return self.finish();
        }
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let staging = Staging::in_place(&mut staging)?;
        let count = out.len().div_ceil(STAGED);
        let len = |index: usize| STAGED.min(out.len() - index * STAGED);
        let lens: Vec<usize> = (0..count).map(len).collect();
        let fetch = |staging: &Staging, index: usize| -> Result<(), CudaError> {
            let half = staging.free_half(index)?;
            // SAFETY: nothing uses this half any more, and it is large enough.
            let pinned = unsafe { std::slice::from_raw_parts_mut(half, lens[index]) };
            // SAFETY: the range is within what the caller owns.
            unsafe { result::memcpy_dtoh_async(pinned, address + (index * STAGED) as u64, self.stream) }
                .map_err(&failed)?;
            staging.record(index, self.stream)
        };
        fetch(staging, 0)?;
        for (index, part) in out.chunks_mut(STAGED).enumerate() {
            if index + 1 < count {
                fetch(staging, index + 1)?;
            }
            let half = staging.free_half(index)?;
            // SAFETY: the copy into this half is done.
            let pinned = unsafe { std::slice::from_raw_parts(half.cast_const(), part.len()) };
            part.par_chunks_mut(COPIED)
                .zip(pinned.par_chunks(COPIED))
                .for_each(|(to, from)| to.copy_from_slice(from));
        }
        Ok(())
    }

    /// Zeros.
    pub(crate) fn zeros<T: Pod>(self: &Arc<Self>, len: usize) -> Result<Room<T>, CudaError> {
        let room = self.room(len)?;
        room.clear()?;
        Ok(room)
    }

    /// A copy of numbers of the host.
    pub(crate) fn copy<T: Pod>(self: &Arc<Self>, from: &[T]) -> Result<Room<T>, CudaError> {
        let mut room = self.room(from.len())?;
        room.write(from)?;
        Ok(room)
    }

    /// Waits until everything is done.
    pub(crate) fn finish(&self) -> Result<(), CudaError> {
        self.bind()?;
        // SAFETY: the stream is this device's.
        unsafe { result::stream::synchronize(self.stream) }.map_err(CudaError::failed("finish"))
    }

    /// Starts a kernel.
    pub(crate) fn launch(
        &self,
        name: &'static str,
        file: File,
        shape: Launch,
        arguments: &[&dyn Argument],
    ) -> Result<(), CudaError> {
        let Launch { grid, threads, shared } = shape;
        if grid.0 == 0 || grid.1 == 0 || grid.2 == 0 {
            return Ok(());
        }
        self.bind()?;
        let function = self.function(name, file)?;
        let mut pointers: Vec<*mut c_void> = arguments.iter().map(|argument| argument.address()).collect();
        // SAFETY: the arguments are as many and of the types that the kernel has; they are copied by the call. Buffers outlive
        // the kernel, because memory is given back in the order of the stream.
        unsafe {
            result::launch_kernel(function.0, grid, (threads, 1, 1), shared, self.stream, &mut pointers)
        }
        .map_err(CudaError::failed("start a kernel"))
    }

    fn function(&self, name: &'static str, file: File) -> Result<Function, CudaError> {
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(function) = functions.get(name) {
            return Ok(*function);
        }
        let failed = CudaError::failed("read its kernels");
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let module = match modules.get(&(file as usize)) {
            Some(module) => *module,
            None => {
                // SAFETY: the text ends with a zero byte.
                let module =
                    unsafe { result::module::load_data(file.ptx().as_ptr().cast()) }.map_err(&failed)?;
                *modules.entry(file as usize).or_insert(Module(module))
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

/// Bytes of each half of the pinned memory, and bytes that one thread copies at a time.
const STAGED: usize = 16 << 20;
const COPIED: usize = 1 << 20;

/// Pinned memory of the host, through which large copies go.
struct Staging {
    halves: [*mut u8; 2],
    done: [sys::CUevent; 2],
}

// SAFETY: as for `Device`; the memory is used under a lock.
unsafe impl Send for Staging {}

impl Staging {
    /// The memory, which is taken when it is first needed and kept.
    fn in_place(place: &mut Option<Staging>) -> Result<&mut Staging, CudaError> {
        let failed = CudaError::failed("pin memory of the host");
        if place.is_none() {
            let half = || {
                // SAFETY: the memory is freed with the process.
                unsafe { result::malloc_host(STAGED, 0) }.map(|half| half.cast::<u8>()).map_err(&failed)
            };
            let event =
                || result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING).map_err(&failed);
            *place = Some(Staging { halves: [half()?, half()?], done: [event()?, event()?] });
        }
        place.as_mut().ok_or(CudaError::Failed { what: "pin memory of the host", reason: "none came".into() })
    }

    /// The half for the `index`-th part of a copy, once its last use is over.
    fn free_half(&self, index: usize) -> Result<*mut u8, CudaError> {
        // SAFETY: the event is alive. One that was never recorded is done.
        unsafe { result::event::synchronize(self.done[index % 2]) }
            .map_err(CudaError::failed("finish a copy"))?;
        Ok(self.halves[index % 2])
    }

    fn record(&self, index: usize, stream: sys::CUstream) -> Result<(), CudaError> {
        // SAFETY: both are alive.
        unsafe { result::event::record(self.done[index % 2], stream) }
            .map_err(CudaError::failed("follow a copy"))
    }
}

/// How many threads run a kernel.
#[derive(Clone, Copy)]
pub(crate) struct Launch {
    pub grid: (u32, u32, u32),
    pub threads: u32,
    /// Bytes of shared memory.
    pub shared: u32,
}

impl Launch {
    /// `blocks` blocks of `threads` threads.
    pub fn blocks(blocks: u64, threads: u32) -> Self {
        Launch { grid: (blocks.min(i32::MAX as u64) as u32, 1, 1), threads, shared: 0 }
    }

    /// Enough threads for `count` numbers, which kernels run over in steps of the grid.
    pub fn each(count: u64) -> Self {
        Launch::blocks(count.div_ceil(256).min(1 << 16), 256)
    }
}

/// What a kernel can be given.
pub(crate) trait Argument {
    /// The address of its value.
    fn address(&self) -> *mut c_void;
}

impl<T: Pod> Argument for T {
    fn address(&self) -> *mut c_void {
        (&raw const *self).cast_mut().cast()
    }
}

/// Numbers in the memory of a device.
pub(crate) struct Room<T> {
    device: Arc<Device>,
    address: u64,
    len: usize,
    bytes: u64,
    kind: PhantomData<T>,
}

impl<T: Pod> Room<T> {
    /// Where it is, as kernels want to know.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Where one of its numbers is.
    pub fn address_of(&self, index: usize) -> u64 {
        self.address + (index * size_of::<T>()) as u64
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn clear(&self) -> Result<(), CudaError> {
        self.device.bind()?;
        // SAFETY: the memory is this room's.
        unsafe { result::memset_d8_async(self.address, 0, self.bytes as usize, self.device.stream) }
            .map_err(CudaError::failed("clear memory"))
    }

    /// Copies as many numbers of the host into it.
    pub fn write(&mut self, from: &[T]) -> Result<(), CudaError> {
        self.write_bytes(bytemuck::cast_slice(from))
    }

    /// Copies the bytes of as many numbers into it.
    pub fn write_bytes(&mut self, from: &[u8]) -> Result<(), CudaError> {
        assert_eq!(from.len(), self.len * size_of::<T>(), "bytes of {} numbers", self.len);
        if from.is_empty() { Ok(()) } else { self.device.send(self.address, from) }
    }

    /// A copy of all numbers on the host.
    pub fn read_into(&self, out: &mut [T]) -> Result<(), CudaError> {
        assert_eq!(out.len(), self.len, "numbers on the host against numbers on the GPU");
        if out.is_empty() { Ok(()) } else { self.device.receive(bytemuck::cast_slice_mut(out), self.address) }
    }

    pub fn to_vec(&self) -> Result<Vec<T>, CudaError> {
        let mut out = vec![T::zeroed(); self.len];
        self.read_into(&mut out)?;
        Ok(out)
    }

    /// Copies all numbers of another room into this one.
    pub fn copy_from(&mut self, from: &Room<T>) -> Result<(), CudaError> {
        assert_eq!(self.len, from.len, "numbers of a copy");
        self.device.bind()?;
        // SAFETY: both are as long, on the same device.
        unsafe {
            result::memcpy_dtod_async(
                self.address,
                from.address,
                self.len * size_of::<T>(),
                self.device.stream,
            )
        }
        .map_err(CudaError::failed("copy"))
    }
}

impl<T> Drop for Room<T> {
    fn drop(&mut self) {
        self.device.used.fetch_sub(self.bytes, Relaxed);
        if self.device.bind().is_ok() {
            // SAFETY: the memory is this room's, and the stream finishes what uses it first. An error here was reported by what
            // came before.
            let _ = unsafe { result::free_async(self.address, self.device.stream) };
        }
    }
}
