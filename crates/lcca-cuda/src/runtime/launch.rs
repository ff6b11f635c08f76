//! The threads that run a kernel, and its arguments.

use crate::error::CudaError;
use bytemuck::Pod;
use std::ffi::c_void;

/// The number of threads that run a kernel.
#[derive(Clone, Copy)]
pub(crate) struct Launch {
    /// Blocks in three directions.
    pub blocks: (u64, u64, u64),
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of shared memory.
    pub shared: u32,
}

impl Launch {
    /// `blocks` blocks of `threads` threads.
    pub fn blocks(blocks: u64, threads: u32) -> Self {
        Launch { blocks: (blocks, 1, 1), threads, shared: 0 }
    }

    /// Enough threads for `count` numbers, which kernels run over in steps of the grid.
    pub fn each(count: u64) -> Self {
        Launch::blocks(count.div_ceil(256).min(1 << 16), 256)
    }

    /// Returns the blocks as the driver takes them; `None` if there are none.
    pub fn grid(&self) -> Result<Option<(u32, u32, u32)>, CudaError> {
        let (x, y, z) = self.blocks;
        let most = |blocks: u64, most: u32| -> Result<u32, CudaError> {
            u32::try_from(blocks).ok().filter(|&blocks| blocks <= most).ok_or_else(|| CudaError::Failed {
                what: "start a kernel",
                reason: format!("{blocks} blocks are more than the {most} that it can run"),
            })
        };
        let grid = (most(x, i32::MAX as u32)?, most(y, 65_535)?, most(z, 65_535)?);
        Ok((x > 0 && y > 0 && z > 0).then_some(grid))
    }
}

/// An argument of a kernel.
pub(crate) trait Argument {
    /// The address of the argument's value.
    fn address(&self) -> *mut c_void;
}

impl<T: Pod> Argument for T {
    fn address(&self) -> *mut c_void {
        (&raw const *self).cast_mut().cast()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_blocks_are_an_error_and_none_are_nothing_to_do() {
        assert_eq!(Launch::blocks(3, 64).grid().unwrap(), Some((3, 1, 1)));
        assert_eq!(Launch::blocks(0, 64).grid().unwrap(), None);
        let error = Launch::blocks(1 << 31, 64).grid().unwrap_err().to_string();
        assert!(error.contains("2147483648 blocks"), "{error}");
        let deep = Launch { blocks: (1, 65_536, 1), threads: 64, shared: 0 };
        assert!(deep.grid().is_err());
        assert_eq!(Launch::each(u64::MAX).grid().unwrap(), Some((1 << 16, 1, 1)));
    }
}
