//! Memory for large panels, in huge pages where the system has them.
//!
//! A pass jumps from row to row of panels of hundreds of megabytes; with pages of four kilobytes every jump misses the
//! translation cache too, and a fresh panel costs a page fault every few rows, one thread after the other.

use super::Line;
use bytemuck::Zeroable;
use rayon::prelude::*;

/// Bytes below which a panel is small.
const LARGE: usize = 4 << 20;
/// Lines that one thread sets at a time: a huge page.
const CHUNK: usize = (2 << 20) / size_of::<Line>();

/// `count` zero lines.
pub(crate) fn zeroed(count: usize) -> Vec<Line> {
    if count * size_of::<Line>() < LARGE {
        return vec![Line::zeroed(); count];
    }
    let mut lines = Vec::with_capacity(count);
    advise(&lines);
    let room = &mut lines.spare_capacity_mut()[..count];
    room.par_chunks_mut(CHUNK).for_each(|lines| {
        lines.iter_mut().for_each(|line| {
            line.write(Line::zeroed());
        });
    });
    // SAFETY: the first `count` lines were written just now.
    unsafe { lines.set_len(count) };
    lines
}

/// Asks the system for huge pages. It may decline; nothing depends on it.
#[cfg(target_os = "linux")]
fn advise(lines: &Vec<Line>) {
    const PAGE: usize = 4096;
    let (start, size) = (lines.as_ptr().addr(), lines.capacity() * size_of::<Line>());
    let first = start.next_multiple_of(PAGE);
    let end = (start + size) - (start + size) % PAGE;
    // SAFETY: the range lies within memory that `lines` owns; the advice changes no content.
    unsafe {
        let from = lines.as_ptr().byte_add(first - start).cast_mut().cast();
        libc::madvise(from, end - first, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_lines: &Vec<Line>) {}
