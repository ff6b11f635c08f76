//! Memory for large panels, in huge pages if the system has them.
//!
//! A pass jumps from row to row of panels of hundreds of megabytes. With pages of four kilobytes, almost every jump also
//! misses the translation cache, and a fresh panel costs one page fault every few rows, which the system handles one
//! thread at a time.

use super::line::Line;
use bytemuck::Zeroable;
use rayon::prelude::*;

/// Panels below this many bytes, two huge pages, stay in ordinary pages and are zeroed by one thread: there is too little
/// to gain.
const LARGE: usize = 4 << 20;
/// The number of lines that one thread zeroes at a time. They fill one huge page, so that no two threads fault on the
/// same page.
const CHUNK: usize = (2 << 20) / size_of::<Line>();

/// Allocates `count` lines of zeros.
pub(crate) fn zeroed(count: usize) -> Vec<Line> {
    if count * size_of::<Line>() < LARGE {
        return vec![Line::zeroed(); count];
    }
    let mut lines = Vec::with_capacity(count);
    advise(&lines);
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

/// Asks the system for huge pages. It may decline; nothing depends on it.
#[cfg(target_os = "linux")]
fn advise(lines: &Vec<Line>) {
    // The system refuses a range that does not begin at a page, so the advice covers the whole pages inside.
    const PAGE: usize = 4096;
    let (start, size) = (lines.as_ptr().addr(), lines.capacity() * size_of::<Line>());
    let first = start.next_multiple_of(PAGE);
    let end = (start + size) - (start + size) % PAGE;
    // SAFETY: the range lies within memory that `lines` owns, and the advice changes no content.
    unsafe {
        let from = lines.as_ptr().byte_add(first - start).cast_mut().cast();
        libc::madvise(from, end - first, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_lines: &Vec<Line>) {}
