//! Asking for panel lines before they are needed. A hint: any place may be named, and nothing is read.

use crate::matrix::Line;

/// Starts loading lines `at..at + L`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn prefetch<const L: usize>(lines: &[Line], at: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    for l in 0..L {
        let place = lines.as_ptr().wrapping_add(at.wrapping_add(l));
        // SAFETY: a prefetch reads nothing and cannot fault, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(place.cast()) };
    }
}

/// Other processors fetch ahead by themselves, or not.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn prefetch<const L: usize>(_lines: &[Line], _at: usize) {}
