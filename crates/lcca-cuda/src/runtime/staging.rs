//! Pinned memory of the host, through which large copies go, because filling some of it then overlaps with
//! copying the rest.

use crate::error::CudaError;
use cudarc::driver::{result, sys};

/// The number of copies that go on at the same time, each on a thread of its own if there are enough
/// threads.
pub(crate) const LANES: usize = 16;
/// The number of places of each lane. One is filled while the other is copied.
pub(crate) const PLACES: usize = 2;
/// The bytes of a place.
pub(crate) const PLACE: usize = 2 << 20;

/// Pinned memory of the host.
pub(crate) struct Staging {
    memory: *mut u8,
    /// For each place, the event that marks the end of the last copy from or to it.
    copied: Vec<sys::CUevent>,
}

// SAFETY: as for `Context`; the memory is used under a lock.
unsafe impl Send for Staging {}
// SAFETY: as above. Lanes share no memory.
unsafe impl Sync for Staging {}

impl Staging {
    fn new() -> Result<Self, CudaError> {
        let failed = CudaError::failed("pin memory of the host");
        // SAFETY: the memory is kept until the process ends.
        let memory = unsafe { result::malloc_host(LANES * PLACES * PLACE, 0) }.map_err(|error| {
            if error.0 == sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY {
                let needed = (LANES * PLACES * PLACE) as u64;
                CudaError::Memory { what: "pinned memory of the host", needed, free: 0 }
            } else {
                failed(error)
            }
        })?;
        let event = || result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING).map_err(&failed);
        let copied = (0..LANES * PLACES).map(|_| event()).collect::<Result<_, _>>()?;
        Ok(Staging { memory: memory.cast(), copied })
    }

    /// Returns the memory, which is taken when it is first needed. Returns `None` if none can be pinned,
    /// and copies then take longer.
    pub fn in_place(place: &mut Option<Staging>) -> Result<Option<&Staging>, CudaError> {
        if place.is_none() {
            match Staging::new() {
                Err(CudaError::Memory { .. }) => return Ok(None),
                taken => *place = Some(taken?),
            }
        }
        Ok(place.as_ref())
    }

    /// Returns the place for the `index`-th part that a lane copies, once the copy from or to the place is
    /// over.
    pub fn free_place(&self, lane: usize, index: usize) -> Result<*mut u8, CudaError> {
        let place = lane * PLACES + index % PLACES;
        wait(self.copied[place])?;
        Ok(self.memory.wrapping_add(place * PLACE))
    }

    /// Records that the copy from or to a place has been started.
    pub fn record_place(&self, lane: usize, index: usize, stream: sys::CUstream) -> Result<(), CudaError> {
        record(self.copied[lane * PLACES + index % PLACES], stream)
    }
}

fn wait(event: sys::CUevent) -> Result<(), CudaError> {
    // SAFETY: the event is alive. One that was never recorded is done.
    unsafe { result::event::synchronize(event) }.map_err(CudaError::failed("finish a copy"))
}

fn record(event: sys::CUevent, stream: sys::CUstream) -> Result<(), CudaError> {
    // SAFETY: both are alive.
    unsafe { result::event::record(event, stream) }.map_err(CudaError::failed("follow a copy"))
}
