//! Copies between the host and a GPU.

use crate::context::Context;
use crate::error::CudaError;
use crate::staging::{STAGED, Staging};
use cudarc::driver::{result, sys};
use rayon::prelude::*;
use std::sync::PoisonError;

/// Bytes that one thread copies at a time.
const COPIED: usize = 1 << 20;

fn copy(to: &mut [u8], from: &[u8]) {
    to.par_chunks_mut(COPIED).zip(from.par_chunks(COPIED)).for_each(|(to, from)| to.copy_from_slice(from));
}

impl Context {
    /// The stream on which so many bytes are copied from the host. Small copies take their turn among the kernels: memory that a kernel
    /// has just given back can be used for them at once, and for copies beside the kernels it cannot.
    pub fn stream_of_copy(&self, bytes: usize) -> sys::CUstream {
        if bytes <= STAGED { self.stream } else { self.copies }
    }

    /// Copies bytes to an address of the GPU, where the caller owns as many. Kernels that are started later wait for it.
    pub fn send(&self, address: u64, from: &[u8]) -> Result<(), CudaError> {
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
            copy(pinned, part);
            // SAFETY: the range is within what the caller owns.
            unsafe { result::memcpy_htod_async(address + (index * STAGED) as u64, pinned, self.copies) }
                .map_err(&failed)?;
            staging.record(index, self.copies)?;
        }
        self.wait_for_copies()
    }

    /// Copies bytes from an address of the GPU, where the caller owns as many.
    pub fn receive(&self, out: &mut [u8], address: u64) -> Result<(), CudaError> {
        self.bind()?;
        let failed = CudaError::failed("give a copy");
        if out.len() <= STAGED {
            // SAFETY: the caller owns so many bytes there.
            unsafe { result::memcpy_dtoh_async(out, address, self.stream) }.map_err(failed)?;
            return self.finish();
        }
        let mut staging = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        let staging = Staging::in_place(&mut staging)?;
        let lens: Vec<usize> = out.chunks(STAGED).map(<[u8]>::len).collect();
        let fetch = |index: usize| -> Result<(), CudaError> {
            let half = staging.free_half(index)?;
            // SAFETY: nothing uses this half any more, and it is large enough.
            let pinned = unsafe { std::slice::from_raw_parts_mut(half, lens[index]) };
            // SAFETY: the range is within what the caller owns.
            unsafe { result::memcpy_dtoh_async(pinned, address + (index * STAGED) as u64, self.stream) }
                .map_err(&failed)?;
            staging.record(index, self.stream)
        };
        fetch(0)?;
        for (index, part) in out.chunks_mut(STAGED).enumerate() {
            if index + 1 < lens.len() {
                fetch(index + 1)?;
            }
            let half = staging.free_half(index)?;
            // SAFETY: the copy into this half is done.
            copy(part, unsafe { std::slice::from_raw_parts(half.cast_const(), part.len()) });
        }
        Ok(())
    }
}
