//! Cache lines, the unit in which panels are stored and kernels compute.

use bytemuck::{Pod, Zeroable};

/// Doubles in a cache line of 64 bytes. That is also one AVX-512 register, two AVX registers or four NEON
/// registers, so that a loop over the lanes compiles to whole vector instructions on every processor.
pub const LANES: usize = 8;

/// One cache line of a panel. The alignment keeps a line from straddling two cache lines, which would double
/// its loads.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Line(pub [f64; LANES]);
