//! Memory for large panels, in huge pages if the system has them.
//!
//! A pass jumps from row to row of panels of hundreds of megabytes. With pages of four kilobytes, almost
//! every jump also misses the translation cache, and a fresh panel costs one page fault every few rows, which
//! the system handles one thread at a time.

use super::line::Line;
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use std::mem::MaybeUninit;

/// Panels below this many bytes, two huge pages, stay in ordinary pages and are zeroed by one thread,
/// because there is too little to gain.
const LARGE: usize = 4 << 20;
/// The number of lines that one thread zeroes at a time. They fill one huge page, because no two threads
/// then fault on the same page.
const CHUNK: usize = (2 << 20) / size_of::<Line>();

/// Allocates `count` lines of zeros.
pub(crate) fn zeroed(count: usize) -> Vec<Line> {
    if count * size_of::<Line>() < LARGE {
        return vec![Line::zeroed(); count];
    }
    let mut lines: Vec<Line> = Vec::with_capacity(count);
    advise(lines.spare_capacity_mut());
    let uninitialized = &mut lines.spare_capacity_mut()[..count];
    uninitialized.par_chunks_mut(CHUNK).for_each(|chunk| {
        for line in chunk {
            line.write(Line::zeroed());
        }
    });
    // SAFETY: the loop above has written the first `count` lines.
    unsafe { lines.set_len(count) };
    lines
}

/// Zeros of any type, in huge pages if there are many of them. The thread that first writes a page places
/// it.
pub fn zeros<T: Pod>(count: usize) -> Vec<T> {
    let mut numbers: Vec<T> = bytemuck::zeroed_vec(count);
    if count * size_of::<T>() >= LARGE {
        advise(&mut numbers);
    }
    numbers
}

/// Lines that `write` fills, given their bytes. The threads that write the pages also place them.
///
/// # Safety
/// If `write` succeeds, it must have written every byte.
pub(super) unsafe fn written<E>(
    count: usize,
    write: impl FnOnce(&mut [MaybeUninit<u8>]) -> Result<(), E>,
) -> Result<Vec<Line>, E> {
    let mut lines: Vec<Line> = Vec::with_capacity(count);
    let unwritten = &mut lines.spare_capacity_mut()[..count];
    if size_of_val(unwritten) >= LARGE {
        advise(unwritten);
    }
    // SAFETY: these are the bytes of the lines, which have not been written yet.
    write(unsafe { std::slice::from_raw_parts_mut(unwritten.as_mut_ptr().cast(), size_of_val(unwritten)) })?;
    // SAFETY: the caller promises that all of them were written.
    unsafe { lines.set_len(count) };
    Ok(lines)
}

/// Asks the system for huge pages. Nothing depends on them, because the system may decline.
#[cfg(target_os = "linux")]
fn advise<T>(memory: &mut [T]) {
    // The advice covers the whole pages inside, because the system refuses a range that does not begin at a
    // page.
    const PAGE: usize = 4096;
    let (start, size) = (memory.as_ptr().addr(), size_of_val(memory));
    let first = start.next_multiple_of(PAGE);
    let end = (start + size) - (start + size) % PAGE;
    // SAFETY: the range lies within memory that the caller owns, and the advice changes no content.
    unsafe {
        let from = memory.as_mut_ptr().byte_add(first - start).cast();
        libc::madvise(from, end - first, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise<T>(_memory: &mut [T]) {}
