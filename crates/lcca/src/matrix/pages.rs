//! Memory for large panels in huge pages.
//!
//! A pass jumps from row to row of panels of hundreds of megabytes; with pages of four kilobytes every jump misses the
//! translation cache too, and a fresh panel costs a page fault every 128 rows.

use super::Line;

/// Smaller memory gains nothing.
const LARGE: usize = 8 << 20;

/// `count` zero lines.
pub(crate) fn zeroed(count: usize) -> Vec<Line> {
    // Zero as it comes from the system: writing zeros would fill small pages before the advice is given.
    let lines = bytemuck::allocation::zeroed_vec(count);
    if size_of_val(&lines[..]) >= LARGE {
        advise(&lines);
    }
    lines
}

/// Asks the system for huge pages. It may decline; nothing depends on it.
#[cfg(target_os = "linux")]
fn advise(lines: &[Line]) {
    const PAGE: usize = 4096;
    let (start, end) = (lines.as_ptr().addr(), lines.as_ptr().addr() + size_of_val(lines));
    let (first, last) = (start.next_multiple_of(PAGE), end - end % PAGE);
    // SAFETY: the range lies within memory that `lines` owns; the advice changes no content.
    unsafe {
        let from = lines.as_ptr().byte_add(first - start).cast_mut().cast();
        libc::madvise(from, last - first, libc::MADV_HUGEPAGE);
    }
}

#[cfg(not(target_os = "linux"))]
fn advise(_lines: &[Line]) {}
