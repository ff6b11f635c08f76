//! Pinned memory of the host, through which large copies go: filling one half of it overlaps with copying the other.

use crate::error::CudaError;
use cudarc::driver::{result, sys};

/// Bytes of each half.
pub(crate) const STAGED: usize = 16 << 20;

/// Pinned memory of the host.
pub(crate) struct Staging {
    halves: [*mut u8; 2],
    /// When the last copy to or from a half is over.
    done: [sys::CUevent; 2],
}

// SAFETY: as for `Context`; the memory is used under a lock.
unsafe impl Send for Staging {}

impl Staging {
    fn new() -> Result<Self, CudaError> {
        let failed = CudaError::failed("pin memory of the host");
        // SAFETY: the memory is kept until the process ends.
        let half = || unsafe { result::malloc_host(STAGED, 0) }.map(|half| half.cast::<u8>());
        let event = || result::event::create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING);
        Ok(Staging {
            halves: [half().map_err(&failed)?, half().map_err(&failed)?],
            done: [event().map_err(&failed)?, event().map_err(&failed)?],
        })
    }

    /// The memory, which is taken when it is first needed.
    pub fn in_place(place: &mut Option<Staging>) -> Result<&Staging, CudaError> {
        match place {
            Some(staging) => Ok(staging),
            None => Ok(place.insert(Staging::new()?)),
        }
    }

    /// The half for the `index`-th part of a copy, once its last use is over.
    pub fn free_half(&self, index: usize) -> Result<*mut u8, CudaError> {
        // SAFETY: the event is alive. One that was never recorded is done.
        unsafe { result::event::synchronize(self.done[index % 2]) }
            .map_err(CudaError::failed("finish a copy"))?;
        Ok(self.halves[index % 2])
    }

    pub fn record(&self, index: usize, stream: sys::CUstream) -> Result<(), CudaError> {
        // SAFETY: both are alive.
        unsafe { result::event::record(self.done[index % 2], stream) }
            .map_err(CudaError::failed("follow a copy"))
    }
}
