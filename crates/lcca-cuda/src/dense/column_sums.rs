//! Sums of the columns of dense rows on a device, from which moments are made.

use super::product::{Dense, Numbers};
use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::launch::Launch;
use crate::runtime::room::Room;
use lcca::matrix::ColumnSums;
use rayon::prelude::*;
use std::sync::Arc;

/// The least number of rows that one block of threads sums up.
const SUMMED_ROWS: usize = 1024;
/// The most chunks of rows, each with a block of threads. With more rows, blocks sum up more rows each.
const MOST_CHUNKS: usize = 256;
/// The most columns that one block of threads sums up.
const SUMMED_COLS: usize = 32;
/// The number of sums per column: those of its numbers and of their squares, and the count of numbers that
/// are not zero.
const SUMS: usize = 3;

/// The sums over chunks of rows, which are added up on the host.
pub(crate) struct PartialSums {
    parts: Room<f64>,
    cols: usize,
    /// The number of chunks that are summed up so far.
    filled: usize,
}

/// The number of rows of a chunk.
fn chunk_of(rows: usize) -> usize {
    rows.div_ceil(MOST_CHUNKS).max(SUMMED_ROWS)
}

impl PartialSums {
    /// Takes room for the sums of `rows` rows that are added `step` at a time.
    pub fn new(device: &Arc<Device>, rows: usize, step: usize, cols: usize) -> Result<Self, CudaError> {
        let chunks = |rows: usize| rows.div_ceil(chunk_of(rows));
        let step = step.clamp(1, rows.max(1));
        let most = rows / step * chunks(step) + chunks(rows % step);
        Ok(PartialSums { parts: device.room(most * SUMS * cols)?, cols, filled: 0 })
    }

    /// Starts to sum up more rows. `weights` is the address of their weights; 0 if they have none.
    pub fn add(
        &mut self,
        device: &Device,
        rows: usize,
        (matrix, numbers): (Dense, Numbers),
        weights: u64,
    ) -> Result<(), CudaError> {
        let (chunk, width) = (chunk_of(rows), self.cols.clamp(1, SUMMED_COLS));
        let chunks = rows.div_ceil(chunk);
        device.launch(
            numbers.pick("column_moments_f32", "column_moments_f64"),
            File::Array,
            Launch { blocks: (self.cols.div_ceil(width) as u64, chunks as u64, 1), threads: 256, shared: 0 },
            &[
                &(rows as u64),
                &(chunk as u64),
                &(self.cols as u32),
                &(width as u32),
                &self.parts.address_of(self.filled * SUMS * self.cols),
                &matrix.address,
                &weights,
            ],
        )?;
        self.filled += chunks;
        Ok(())
    }

    /// Returns the sums of all rows that were added.
    pub fn sums(&self) -> Result<ColumnSums, CudaError> {
        let mut parts = self.parts.to_vec()?;
        parts.truncate(self.filled * SUMS * self.cols);
        Ok(added(&parts, self.cols))
    }
}

/// Adds up the sums of all chunks in their order, and makes up for rounding.
fn added(parts: &[f64], cols: usize) -> ColumnSums {
    let of_column = |j: usize| {
        let (mut sum, mut lost) = (0.0, 0.0);
        for &term in parts[j..].iter().step_by(SUMS * cols) {
            let new = sum + term;
            let added = new - sum;
            lost += (sum - (new - added)) + (term - added);
            sum = new;
        }
        sum + lost
    };
    let sums: Vec<f64> = if parts.is_empty() {
        vec![0.0; SUMS * cols]
    } else {
        (0..SUMS * cols).into_par_iter().with_min_len(64).map(of_column).collect()
    };
    let nonzero = sums[2 * cols..].iter().map(|&count| count as u64).collect();
    ColumnSums { sum: sums[..cols].to_vec(), square: sums[cols..2 * cols].to_vec(), nonzero }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_chunks_are_added_without_loss() {
        // Chunks of 1e16 and 1 in turn, whose plain sum would lose every 1.
        let parts: Vec<f64> =
            (0..100).flat_map(|i| [if i % 2 == 0 { 1e16 } else { 1.0 }, 2.0, 3.0]).collect();
        let sums = added(&parts, 1);
        assert_eq!(sums.sum, [50.0 * 1e16 + 50.0]);
        assert_eq!((sums.square, sums.nonzero), (vec![200.0], vec![300]));
        assert_eq!(added(&[], 2).nonzero, [0, 0]);
    }
}
