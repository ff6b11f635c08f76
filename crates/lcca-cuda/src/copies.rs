//! Copies between the host and a GPU.

use crate::context::Context;
use crate::error::CudaError;
use crate::staging::{LANES, PART, PLACE, Staging};
use cudarc::driver::{result, sys};
use rayon::prelude::*;
use std::sync::{MutexGuard, TryLockError};

/// Bytes that one thread copies at a time.
const COPIED: usize = 1 << 20;
/// Copies of at most so many bytes are left to the driver.
const SMALL: usize = 16 << 20;

fn copy(to: &mut [u8], from: &[u8]) {
    to.par_chunks_mut(COPIED).zip(from.par_chunks(COPIED)).for_each(|(to, from)| to.copy_from_slice(from));
}

impl Context {
    /// The stream on which so many bytes are copied from the host. Small copies take their turn among the kernels: memory that a kernel
    /// has just given back can be used for them at once, and for copies beside the kernels it cannot.
    pub fn stream_of_copy(&self, bytes: usize) -> sys::CUstream {
        if bytes <= SMALL { self.stream } else { self.copies }
    }

    /// The pinned memory, unless another copy uses it. Nobody waits for it: a thread that helps with that copy may take up other work
    /// meanwhile, which must not wait for the thread itself.
    fn free_staging(&self) -> Option<MutexGuard<'_, Option<Staging>>> {
        match self.staging.try_lock() {
            Ok(staging) => Some(staging),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Copies bytes to an address of the GPU, where the caller owns as many. Kernels that are started later wait for it.
    pub fn send(&self, address: u64, from: &[u8]) -> Result<(), CudaError> {
        self.bind()?;
        let failed = CudaError::failed("take a copy");
        if from.len() <= SMALL {
            // SAFETY: the caller owns so many bytes there. Memory that is not pinned is read before the call returns.
            return unsafe { result::memcpy_htod_async(address, from, self.stream) }.map_err(failed);
        }
        let Some(mut staging) = self.free_staging() else {
            // SAFETY: as above.
            unsafe { result::memcpy_htod_async(address, from, self.copies) }.map_err(failed)?;
            return self.wait_for_copies();
        };
        let staging = Staging::in_place(&mut staging)?;
        // Every lane has places of its own, and no lane waits for another.
        (0..LANES).into_par_iter().with_max_len(1).try_for_each(|lane| {
            self.bind()?;
            let parts = from.chunks(PLACE).enumerate().skip(lane).step_by(LANES);
            for (index, (part, bytes)) in parts.enumerate() {
                let place = staging.free_place(lane, index)?;
                // SAFETY: nothing reads this place any more, and it is large enough.
                let pinned = unsafe { std::slice::from_raw_parts_mut(place, bytes.len()) };
                pinned.copy_from_slice(bytes);
                // SAFETY: the range is within what the caller owns.
                unsafe { result::memcpy_htod_async(address + (part * PLACE) as u64, pinned, self.copies) }
                    .map_err(&failed)?;
                staging.record_place(lane, index, self.copies)?;
            }
            Ok(())
        })?;
        self.wait_for_copies()
    }

    /// Copies bytes from an address of the GPU, where the caller owns as many, in one piece: large copies take longer than they need to.
    pub fn receive_directly(&self, out: &mut [u8], address: u64) -> Result<(), CudaError> {
        self.receive_in_one_piece(out, address, self.stream)
    }

    fn receive_in_one_piece(
        &self,
        out: &mut [u8],
        address: u64,
        stream: sys::CUstream,
    ) -> Result<(), CudaError> {
        self.bind()?;
        // SAFETY: the caller owns so many bytes there.
        unsafe {
            result::memcpy_dtoh_async(out, address, stream).map_err(CudaError::failed("give a copy"))?;
            result::stream::synchronize(stream).map_err(CudaError::failed("finish"))
        }
    }

    /// Copies bytes from an address of the GPU, where the caller owns as many.
    pub fn receive(&self, out: &mut [u8], address: u64) -> Result<(), CudaError> {
        self.receive_on(out, address, self.stream)
    }

    /// The same beside kernels: only those are waited for that were started before [`Context::let_copies_wait`].
    pub fn receive_beside(&self, out: &mut [u8], address: u64) -> Result<(), CudaError> {
        self.receive_on(out, address, self.copies)
    }

    fn receive_on(&self, out: &mut [u8], address: u64, stream: sys::CUstream) -> Result<(), CudaError> {
        self.bind()?;
        let failed = CudaError::failed("give a copy");
        if out.len() <= SMALL {
            return self.receive_in_one_piece(out, address, stream);
        }
        let Some(mut staging) = self.free_staging() else {
            return self.receive_in_one_piece(out, address, stream);
        };
        let staging = Staging::in_place(&mut staging)?;
        let lens: Vec<usize> = out.chunks(PART).map(<[u8]>::len).collect();
        let fetch = |index: usize| -> Result<(), CudaError> {
            let pinned = staging.free_part(index)?;
            // SAFETY: nothing uses this part any more, and it is large enough.
            let pinned = unsafe { std::slice::from_raw_parts_mut(pinned, lens[index]) };
            // SAFETY: the range is within what the caller owns.
            unsafe { result::memcpy_dtoh_async(pinned, address + (index * PART) as u64, stream) }
                .map_err(&failed)?;
            staging.record_part(index, stream)
        };
        fetch(0)?;
        for (index, part) in out.chunks_mut(PART).enumerate() {
            if index + 1 < lens.len() {
                fetch(index + 1)?;
            }
            let pinned = staging.free_part(index)?;
            // SAFETY: the copy into this part is done.
            copy(part, unsafe { std::slice::from_raw_parts(pinned.cast_const(), part.len()) });
        }
        Ok(())
    }
}
