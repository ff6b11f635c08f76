//! The Cholesky factor of a dense matrix on a device, and solutions with it.
//!
//! L is found in steps of [`NARROW`] columns. Once as many are done as one of the [`levels`] has, their
//! products are subtracted from the next level's columns, and those of the last level from the whole rest of
//! the matrix: wider levels read and write the rest less often. L is kept as L = D·M: D has the blocks
//! of L on the diagonal, of [`WIDE`] rows and columns each, and M has identities there. The inverses of D's
//! blocks are formed once. A solution then takes one product with all of D⁻¹, and one product with a part
//! of M per block. These are size/512 dependent steps instead of twice size/64.

use crate::error::CudaError;
use crate::kernels::{File, TENSOR_REST};
use crate::runtime::device::Device;
use crate::runtime::launch::{Argument, Launch};
use crate::runtime::room::Room;
use std::sync::Arc;

/// The number of rows that are factorized at a time. A matrix has a multiple of it.
pub(crate) const NARROW: usize = 64;
/// The columns whose products are subtracted at once from a small matrix, which stays in the caches. Wider
/// ones leave less work to do beside the blocks on the diagonal, each of which a single thread block inverts.
const PANEL: usize = 2 * NARROW;
/// And from a large one.
const WIDE_PANEL: usize = 1024;
/// A matrix of at least so many rows is large.
const LARGE: usize = 10_240;
/// The pivot, before its square, of a column that is taken out. The kernels have its square.
pub(crate) const TAKEN_OUT: f64 = 1e140;
/// The edges of what a thread block of [`TENSOR_REST`] forms, and of the squares of thread blocks that run
/// at the same time, and its bytes of shared memory. The kernel has the same numbers.
const EDGE: usize = 128;
const SQUARE: usize = 12;
const STAGES: usize = 3;
const SHARED: u32 = (STAGES * 2 * 2 * (EDGE * 8 + 8) * 8) as u32;
/// The rows of the blocks on the diagonal whose inverses are formed. The kernels have the same number.
const WIDE: usize = 512;
/// The least number of thread blocks that keep a device busy. With fewer, products are cut into smaller
/// tiles.
const ENOUGH_BLOCKS: usize = 132;

/// A Cholesky factor, which takes the place of its matrix.
pub(crate) struct Factor {
    device: Arc<Device>,
    /// Rows of the matrix, a multiple of [`NARROW`].
    size: usize,
    matrix: Room<f64>,
    /// The columns whose pivots were not positive. They are taken out.
    failed: Vec<usize>,
}

impl Factor {
    /// Factorizes a matrix that is given by its lower triangle, row-major. Columns whose pivots are not
    /// positive are taken out. Numbers above the diagonal are overwritten.
    pub fn new(device: &Arc<Device>, matrix: Room<f64>, size: usize) -> Result<Self, CudaError> {
        assert!(
            size.is_multiple_of(NARROW) && matrix.len() == size * size,
            "{} numbers, {size} rows",
            matrix.len()
        );
        let mut factor = Factor { device: device.clone(), size, matrix, failed: Vec::new() };
        let failed: Room<i32> = device.zeros(size)?;
        factor.factorize(&failed)?;
        factor.invert_diagonal()?;
        let failed = failed.to_vec()?;
        factor.failed = (0..size).filter(|&column| failed[column] != 0).collect();
        Ok(factor)
    }

    /// The columns whose pivots were not positive, which were taken out, ascending.
    pub fn failed(&self) -> &[usize] {
        &self.failed
    }

    /// The number of rows of the matrix.
    pub fn size(&self) -> usize {
        self.size
    }

    fn launch(
        &self,
        name: &'static str,
        blocks: (usize, usize),
        threads: u32,
        more: &[&dyn Argument],
    ) -> Result<(), CudaError> {
        self.launch_with(name, blocks, threads, 0, more)
    }

    fn launch_with(
        &self,
        name: &'static str,
        blocks: (usize, usize),
        threads: u32,
        shared: u32,
        more: &[&dyn Argument],
    ) -> Result<(), CudaError> {
        let (order, matrix) = (self.size as u32, self.matrix.address());
        let mut arguments: Vec<&dyn Argument> = vec![&order, &matrix];
        arguments.extend(more);
        let blocks = (blocks.0 as u64, blocks.1 as u64, 1);
        self.device.launch(name, File::Factor, Launch { blocks, threads, shared }, &arguments)
    }

    /// Writes L below the blocks of [`NARROW`] rows on the diagonal, and the inverses of these blocks on
    /// it.
    fn factorize(&self, failed: &Room<i32>) -> Result<(), CudaError> {
        if self.size > 0 {
            self.launch("factor_first", (1, 1), 256, &[&failed.address()])?;
        }
        let levels = levels(self.size);
        for start in (NARROW..=self.size).step_by(NARROW) {
            let below = (self.size - start) / NARROW;
            self.launch("factor_below", (below, 1), 128, &[&((start - NARROW) as u32)])?;
            // The widest level that ends here, and the columns of the next one.
            let Some(level) = levels.iter().rposition(|&level| start.is_multiple_of(level)) else { continue };
            let end = levels.get(level + 1).map(|&next| start.next_multiple_of(next).min(self.size));
            self.subtract(start - levels[level], start, end, failed)?;
        }
        Ok(())
    }

    /// Subtracts the products of the columns from `first` to `start` from the columns from there to `end`, or
    /// from the whole rest.
    fn subtract(
        &self,
        first: usize,
        start: usize,
        end: Option<usize>,
        failed: &Room<i32>,
    ) -> Result<(), CudaError> {
        let (below, depth) = ((self.size - start) / NARROW, start - first);
        // Pairs of blocks of rows.
        let pairs = below.div_ceil(2);
        let numbers = [first, depth, start].map(|number| number as u32);
        let [from, depth_argument, start_argument] = &numbers;
        if self.size >= LARGE && depth >= EDGE && self.device.context().has_tensor_cores() {
            let across = end.map_or(0, |end| (end - start).div_ceil(EDGE));
            let squares = pairs.div_ceil(SQUARE);
            let blocks = match end {
                Some(_) => pairs * across,
                None => squares * (squares + 1) / 2 * SQUARE * SQUARE,
            };
            return self.launch_with(
                TENSOR_REST,
                (blocks, 1),
                256,
                SHARED,
                &[from, depth_argument, start_argument, &(across as u32), &failed.address()],
            );
        }
        let blocks = match end {
            Some(end) => (pairs, (end - start) / NARROW),
            None => (pairs * (pairs + 1), 1),
        };
        let is_whole = i32::from(end.is_none());
        self.launch(
            "factor_rest",
            blocks,
            256,
            &[from, depth_argument, start_argument, &is_whole, &failed.address()],
        )
    }

    /// Writes D⁻¹ on the diagonal, and the transpose of M above it.
    fn invert_diagonal(&self) -> Result<(), CudaError> {
        let mut half = NARROW;
        while half < WIDE && half < self.size {
            let (joints, tiles) = (self.size.div_ceil(2 * half), half / NARROW);
            for name in ["join_right", "join_left"] {
                self.launch(name, (joints * tiles * tiles, 1), 128, &[&(half as u32)])?;
            }
            half *= 2;
        }
        let tiles = self.size / NARROW;
        if self.size > WIDE {
            self.launch("divide_rows", (tiles * (tiles + 1) / 2, 1), 128, &[])?;
        }
        Ok(())
    }

    /// out ← L⁻¹r. Both are panels with `stride` numbers in a row, a multiple of 8.
    pub fn forward(&self, r: &Room<f64>, out: &Room<f64>, stride: usize) -> Result<(), CudaError> {
        self.solve_diagonal(r, out, stride, false)?;
        (0..self.size).step_by(WIDE).try_for_each(|first| self.solve_rest(out, first, stride, false))
    }

    /// out ← L⁻ᵀr; r is overwritten.
    pub fn backward(&self, r: &Room<f64>, out: &Room<f64>, stride: usize) -> Result<(), CudaError> {
        (0..self.size).step_by(WIDE).rev().try_for_each(|first| self.solve_rest(r, first, stride, true))?;
        self.solve_diagonal(r, out, stride, true)
    }

    /// out ← D⁻¹r, or out ← D⁻ᵀr.
    fn solve_diagonal(
        &self,
        r: &Room<f64>,
        out: &Room<f64>,
        stride: usize,
        is_transposed: bool,
    ) -> Result<(), CudaError> {
        let (edge, blocks) = tiles_of(self.size, stride);
        let name = if edge == 64 { "solve_diagonal_64" } else { "solve_diagonal_32" };
        let (width, transposed) = (stride as u32, i32::from(is_transposed));
        self.launch(name, blocks, 256, &[&r.address(), &out.address(), &width, &transposed])
    }

    /// Subtracts the product of M, or of its transpose, with the rows of one block from the rows after it, or
    /// before it.
    fn solve_rest(
        &self,
        r: &Room<f64>,
        first: usize,
        stride: usize,
        is_transposed: bool,
    ) -> Result<(), CudaError> {
        let rows = if is_transposed { first } else { self.size - (first + WIDE).min(self.size) };
        let (edge, blocks) = tiles_of(rows, stride);
        let name = if edge == 64 { "solve_rest_64" } else { "solve_rest_32" };
        let (width, transposed) = (stride as u32, i32::from(is_transposed));
        self.launch(name, blocks, 256, &[&(first as u32), &r.address(), &width, &transposed])
    }
}

/// The numbers of columns after which products are subtracted, each a multiple of the one before.
fn levels(size: usize) -> &'static [usize] {
    if size >= LARGE { &[NARROW, PANEL, WIDE_PANEL] } else { &[NARROW, PANEL] }
}

/// Cuts a product of `rows` rows and `cols` columns into tiles. Returns the edge of a tile, and the number
/// of tiles down and across.
fn tiles_of(rows: usize, cols: usize) -> (usize, (usize, usize)) {
    let cut = |edge: usize| (rows.div_ceil(edge), cols.div_ceil(edge));
    let large = cut(64);
    let is_large = cols > 32 && large.0 * large.1 >= ENOUGH_BLOCKS;
    if is_large { (64, large) } else { (32, cut(32)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_kernels() {
        let source = include_str!("../../kernels/factor.cu");
        for (name, value) in
            [("NB", NARROW), ("WIDE", WIDE), ("EDGE", EDGE), ("SQUARE", SQUARE), ("STAGES", STAGES)]
        {
            assert!(source.contains(&format!("#define {name} {value}\n")), "{name}");
        }
        assert!(source.contains(&format!("#define TAKEN_OUT {:e}\n", TAKEN_OUT * TAKEN_OUT)));
    }

    #[test]
    fn each_level_is_a_multiple_of_the_one_before() {
        for size in [64, LARGE, 100_032] {
            assert!(levels(size).windows(2).all(|pair| pair[1].is_multiple_of(pair[0])));
        }
    }
}
