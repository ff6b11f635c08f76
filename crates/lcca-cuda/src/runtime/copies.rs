//! Copies between the host and a GPU.

use super::context::Context;
use super::staging::{LANES, PLACE, Staging};
use crate::error::CudaError;
use cudarc::driver::{result, sys};
use rayon::prelude::*;
use std::mem::MaybeUninit;
use std::sync::{MutexGuard, TryLockError};

/// The most bytes of a copy to the GPU that is left to the driver.
const SMALL: usize = 16 << 20;
/// The most bytes of a copy from the GPU that is left to the driver.
const SMALL_RECEIVED: usize = 2 << 20;

impl Context {
    /// The stream on which `bytes` bytes are copied from the host. Small copies take their turn among the
    /// kernels, because they can then use memory that a kernel has just given back. Copies beside the
    /// kernels cannot.
    pub fn stream_of_copy(&self, bytes: usize) -> sys::CUstream {
        if bytes <= SMALL { self.stream } else { self.copies }
    }

    /// Returns the pinned memory; `None` if another copy uses it. No thread waits for it, because a thread
    /// that helps with that copy may meanwhile take up other work, which must not wait for the thread
    /// itself.
    fn free_staging(&self) -> Option<MutexGuard<'_, Option<Staging>>> {
        match self.staging.try_lock() {
            Ok(staging) => Some(staging),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Copies bytes to an address of the GPU, where the caller owns as many bytes. Kernels that are started
    /// later wait for the copy.
    pub fn send(&self, address: u64, from: &[u8]) -> Result<(), CudaError> {
        self.bind()?;
        let failed = CudaError::failed("take a copy");
        if from.len() <= SMALL {
            // SAFETY: the caller owns as many bytes at the address. Memory that is not pinned is read
            // before the call returns.
            return unsafe { result::memcpy_htod_async(address, from, self.stream) }.map_err(failed);
        }
        let mut staging = self.free_staging();
        let staging = staging.as_deref_mut().map(Staging::in_place).transpose()?.flatten();
        let Some(staging) = staging else {
            // SAFETY: as above.
            let sent = unsafe { result::memcpy_htod_async(address, from, self.copies) }.map_err(failed);
            return sent.and(self.wait_for_copies());
        };
        // Every lane has places of its own, and no lane waits for another.
        let sent = (0..LANES).into_par_iter().with_max_len(1).try_for_each(|lane| {
            self.bind()?;
            let parts = from.chunks(PLACE).enumerate().skip(lane).step_by(LANES);
            for (index, (part, bytes)) in parts.enumerate() {
                let place = staging.free_place(lane, index)?;
                // SAFETY: nothing reads this place any more, and it is large enough.
                let pinned = unsafe { std::slice::from_raw_parts_mut(place, bytes.len()) };
                pinned.copy_from_slice(bytes);
                // SAFETY: the caller owns the whole range.
                unsafe { result::memcpy_htod_async(address + (part * PLACE) as u64, pinned, self.copies) }
                    .map_err(&failed)?;
                staging.record_place(lane, index, self.copies)?;
            }
            Ok(())
        });
        // Even if a lane failed, the memory may go to others only after the copies that were started.
        sent.and(self.wait_for_copies())
    }

    /// Copies bytes from an address of the GPU, where the caller owns as many bytes. The driver copies them
    /// in one piece, which takes longer than needed if they are many.
    pub fn receive_directly(&self, out: &mut [MaybeUninit<u8>], address: u64) -> Result<(), CudaError> {
        self.bind()?;
        start_to_receive(out.as_mut_ptr().cast(), out.len(), address, self.stream)?;
        // SAFETY: the stream is this GPU's.
        unsafe { result::stream::synchronize(self.stream) }.map_err(CudaError::failed("finish"))
    }

    /// Copies bytes from an address of the GPU, where the caller owns as many bytes. All of `out` is
    /// written.
    pub fn receive(&self, out: &mut [MaybeUninit<u8>], address: u64) -> Result<(), CudaError> {
        // Pinned memory belongs to the GPU of the thread that takes it.
        self.bind()?;
        if out.len() <= SMALL_RECEIVED {
            return self.receive_directly(out, address);
        }
        let mut staging = self.free_staging();
        let staging = staging.as_deref_mut().map(Staging::in_place).transpose()?.flatten();
        let Some(staging) = staging else {
            return self.receive_directly(out, address);
        };
        let mut lanes: [Vec<Part<'_>>; LANES] = Default::default();
        for (index, part) in out.chunks_mut(PLACE).enumerate() {
            lanes[index % LANES].push((address + (index * PLACE) as u64, part));
        }
        // Every lane has places of its own, and no lane waits for another. While one place is copied out, the
        // other is filled.
        lanes.into_par_iter().enumerate().with_max_len(1).try_for_each(|(lane, parts)| {
            self.bind()?;
            let stream = self.stream;
            let mut before: Option<(usize, &mut [MaybeUninit<u8>])> = None;
            for (index, (address, part)) in parts.into_iter().enumerate() {
                start_to_receive(staging.free_place(lane, index)?, part.len(), address, stream)?;
                staging.record_place(lane, index, stream)?;
                if let Some((index, part)) = before.replace((index, part)) {
                    copy_out(part, staging.free_place(lane, index)?);
                }
            }
            if let Some((index, part)) = before {
                copy_out(part, staging.free_place(lane, index)?);
            }
            Ok(())
        })
    }
}

/// A part of a copy: its address on the GPU, and its place on the host.
type Part<'a> = (u64, &'a mut [MaybeUninit<u8>]);

/// Starts to copy `len` bytes from an address of the GPU. The caller owns them in both places, and touches
/// neither before the copy is over.
fn start_to_receive(to: *mut u8, len: usize, address: u64, stream: sys::CUstream) -> Result<(), CudaError> {
    // SAFETY: the callers guarantee it.
    unsafe { sys::cuMemcpyDtoHAsync_v2(to.cast(), address, len, stream) }
        .result()
        .map_err(CudaError::failed("give a copy"))
}

/// Fills a part of the host's memory with the first bytes of a place.
fn copy_out(part: &mut [MaybeUninit<u8>], place: *const u8) {
    // SAFETY: the copy into the place is over. The place has at least as many bytes, and no other copy uses
    // its memory.
    unsafe { std::ptr::copy_nonoverlapping(place, part.as_mut_ptr().cast(), part.len()) };
}

/// Turns bytes that are about to be replaced into memory to write to.
pub(crate) fn to_be_written(bytes: &mut [u8]) -> &mut [MaybeUninit<u8>] {
    // SAFETY: both have the same layout, and copies write nothing but numbers into them.
    unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), bytes.len()) }
}
