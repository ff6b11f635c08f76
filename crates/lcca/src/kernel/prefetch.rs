//! Asks the processor to load panel lines before they are needed.
//!
//! Any index is allowed, even one beyond the panel, because a prefetch is a hint that reads nothing. For
//! example, an empty one-hot row names such an index.

use crate::matrix::Line;

/// Starts loading lines `first..first + L`.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn prefetch<const L: usize>(lines: &[Line], first: usize) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    for l in 0..L {
        let address = lines.as_ptr().wrapping_add(first.wrapping_add(l));
        // SAFETY: a prefetch reads nothing and cannot fault at any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
}

/// Starts loading the numbers of `L` lines in single precision from `first` on; one cache line holds two of
/// these lines.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(super) fn prefetch_single<const L: usize>(numbers: &[f32], first: usize) {
    use crate::matrix::LANES;
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    for l in 0..L.div_ceil(2) {
        let address = numbers.as_ptr().wrapping_add(first.wrapping_add(2 * LANES * l));
        // SAFETY: a prefetch reads nothing and cannot fault at any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) };
    }
}

/// Does nothing: stable Rust has no prefetch for other processors.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn prefetch<const L: usize>(_lines: &[Line], _first: usize) {}

/// Does nothing: stable Rust has no prefetch for other processors.
#[cfg(not(target_arch = "x86_64"))]
#[inline(always)]
pub(super) fn prefetch_single<const L: usize>(_numbers: &[f32], _first: usize) {}
