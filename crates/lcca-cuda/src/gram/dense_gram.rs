//! The dense Gram matrix of dense rows on a device, with which narrow views are solved.

use crate::dense::array::DeviceArray;
use crate::dense::product::{Chunks, Numbers};
use crate::error::CudaError;
use crate::kernels::{File, TENSOR_GRAMS};
use crate::runtime::device::Device;
use crate::runtime::launch::Launch;
use crate::runtime::room::Room;
use crate::scattered::rows::{Chunk, ViewOnDevice, dense_bytes, stream};
use bytemuck::{Pod, Zeroable};
use faer::Mat;
use lcca::data::{Composition, InMemory, Pair, Side};
use lcca::matrix::Matrix;
use rayon::prelude::*;
use std::sync::Arc;

/// The bytes of rows that are copied at a time, if memory allows. The device multiplies them while the next
/// ones are copied.
const COPIED: u64 = 256 << 20;
/// The most bytes of partial sums. The more there are, the less of the device waits for the last blocks.
const MOST_PARTIAL: u64 = 1 << 30;

/// Both views as the kernel sees them.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Wide {
    values: [u64; 2],
    cols: [u32; 2],
    is_single: [i32; 2],
}

impl Wide {
    fn new(chunk: &Chunk) -> Result<Self, CudaError> {
        let mut views = Wide::zeroed();
        for (side, view) in chunk.views.iter().enumerate() {
            let ViewOnDevice::Dense(view) = &**view else {
                return Err(CudaError::Failed {
                    what: "form a Gram matrix",
                    reason: "rows are sparse".into(),
                });
            };
            let (matrix, numbers) = view.at();
            (views.values[side], views.cols[side]) = (matrix.address, matrix.cols as u32);
            views.is_single[side] = i32::from(matches!(numbers, Numbers::F32));
        }
        Ok(views)
    }

    /// The bytes of a row of both views.
    fn bytes(&self) -> u64 {
        let of_view =
            |side: usize| u64::from(self.cols[side]) * if self.is_single[side] != 0 { 4 } else { 8 };
        of_view(0) + of_view(1)
    }
}

/// Whether the rows are dense, and the device has room for their Gram matrix.
pub(crate) fn is_possible(device: &Device, pair: &InMemory) -> bool {
    let width = (pair.shape().x_cols + pair.shape().y_cols) as u64;
    let is_dense = |side: &Side| matches!(pair.view(*side), Matrix::Dense(_));
    Side::BOTH.iter().all(is_dense) && 8 * 4 * width * width <= device.free() / 4
}

/// The kernel that forms a Gram matrix.
struct Kernel {
    name: &'static str,
    /// Rows and columns of the part that one block of threads forms.
    tile: usize,
    threads: u32,
    shared: u32,
    /// Whether each view begins with a block of its own.
    splits_views: bool,
}

impl Kernel {
    /// Picks the quickest kernel that the device has for both views.
    fn new(device: &Device, views: &Wide) -> Self {
        let [x, y] = views.is_single;
        if !device.context().has_tensor_cores() || x != y {
            return Kernel { name: "dense_gram", tile: 64, threads: 128, shared: 0, splits_views: false };
        }
        // Four stages of 16 rows of f32 or 8 rows of f64 numbers of both factors, as in gram.cu.
        let (name, shared) = if x != 0 {
            (TENSOR_GRAMS[0], 4 * 2 * 16 * (128 + 8) * 4)
        } else {
            (TENSOR_GRAMS[1], 4 * 2 * 8 * (128 + 4) * 8)
        };
        Kernel { name, tile: 128, threads: 256, shared, splits_views: true }
    }

    /// The number of thread blocks for one chunk of rows, which make up a lower triangle.
    fn blocks(&self, [x, y]: [u32; 2]) -> usize {
        let [x, y] = [x as usize, y as usize];
        let rows = if self.splits_views {
            x.div_ceil(self.tile) + y.div_ceil(self.tile)
        } else {
            (x + y).div_ceil(self.tile)
        };
        rows * (rows + 1) / 2
    }
}

/// The number of rows that are multiplied at a time. These are all rows if none need to be copied;
/// otherwise, two copies of them take at most a quarter of the free memory.
pub(crate) fn step(device: &Device, pair: &InMemory) -> usize {
    let of_view = |side: Side| match pair.view(side) {
        view @ Matrix::Dense(rows) if DeviceArray::of_view(view) != Some(device.ordinal()) => {
            dense_bytes(rows.values())
        }
        _ => 0,
    };
    let rows = pair.shape().rows.max(1);
    match (of_view(Side::X) + of_view(Side::Y)).div_ceil(rows as u64) {
        0 => rows,
        bytes => ((COPIED.min(device.free() / 8) / bytes) as usize).max(1),
    }
}

/// The lower triangle of Σ weight·(z − μ)(z − μ)ᵀ over rows z of both views, on a device. Rows are added in
/// chunks.
pub(crate) struct GramSum {
    sum: Room<f64>,
    width: usize,
    has_rows: bool,
}

impl GramSum {
    /// Takes room for the sum, to which no rows have been added yet.
    pub fn new(device: &Arc<Device>, pair: &InMemory) -> Result<Self, CudaError> {
        let width = pair.shape().x_cols + pair.shape().y_cols;
        Ok(GramSum { sum: device.room(width * width)?, width, has_rows: false })
    }

    /// Adds a chunk of rows less the means at the address `means`; 0 stands for no means.
    pub fn add(&mut self, device: &Arc<Device>, chunk: &Chunk, means: u64) -> Result<(), CudaError> {
        let views = Wide::new(chunk)?;
        let kernel = Kernel::new(device, &views);
        // Partial sums are written and read once, as rows are, so they should not take more bytes.
        let most = (views.bytes() * chunk.rows as u64).min(MOST_PARTIAL).min(device.free() / 8) as usize;
        let blocks = kernel.blocks(views.cols);
        let chunks = Chunks::within(most, chunk.rows, blocks, self.width * self.width);
        let partial: Room<f64> = device.room(chunks.count * chunks.size)?;
        let blocks = (blocks as u64, 1, chunks.count as u64);
        let (rows, each, weights) = (chunk.rows as u64, chunks.rows as u64, chunk.weights());
        device.launch(
            kernel.name,
            File::Gram,
            Launch { blocks, threads: kernel.threads, shared: kernel.shared },
            &[&rows, &each, &partial.address(), &views, &means, &weights],
        )?;
        chunks.add_up(device, self.sum.address(), &partial, self.has_rows)?;
        self.has_rows = true;
        Ok(())
    }

    /// F·(sum + change)·F on the host, with factors F of the columns and a change of each entry.
    pub fn scaled(
        &self,
        factors: [Option<&[f64]>; 2],
        x_cols: usize,
        change: impl Fn(usize, usize) -> f64 + Sync,
    ) -> Result<Mat<f64>, CudaError> {
        let mut all = vec![1.0; self.width];
        let (x, y) = all.split_at_mut(x_cols);
        for (to, from) in [x, y].into_iter().zip(factors) {
            if let Some(from) = from {
                to.copy_from_slice(from);
            }
        }
        let width = self.width;
        // Both have the same size and take equally long to allocate, so two threads share the work.
        let (numbers, mut lower) = rayon::join(|| self.sum.to_vec(), || Mat::zeros(width, width));
        let numbers = numbers?;
        lower.par_col_iter_mut().enumerate().for_each(|(j, column)| {
            let (from, factor) = (&numbers[j * width..][..width], all[j]);
            for (i, place) in column.iter_mut().enumerate().skip(j) {
                *place = (from[i] + change(i, j)) * all[i] * factor;
            }
        });
        Ok(lower)
    }
}

/// Forms the lower triangle of F·Σ weight·(z − μ)(z − μ)ᵀ·F over the rows z of both views, with the means μ
/// and the factors F of a composition.
pub(crate) fn form(
    device: &Arc<Device>,
    pair: &InMemory,
    composition: &Composition<'_>,
) -> lcca::Result<Mat<f64>> {
    let means = composition.means.map(|means| device.copy(&means.concat())).transpose()?;
    let means = means.as_ref().map_or(0, Room::address);
    let mut sum = GramSum::new(device, pair)?;
    stream(device, pair, step(device, pair), &mut |chunk| Ok(sum.add(device, chunk, means)?))?;
    Ok(sum.scaled(composition.factors, pair.shape().x_cols, |_, _| 0.0)?)
}
