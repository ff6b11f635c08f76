//! The dense Gram matrix of dense rows on a device: what narrow views are solved with.

use crate::device::Device;
use crate::error::CudaError;
use crate::kernels::File;
use crate::launch::Launch;
use crate::product::{Chunks, Numbers};
use crate::room::Room;
use crate::rows::{Chunk, ViewOnDevice, dense_bytes, stream};
use bytemuck::{Pod, Zeroable};
use faer::Mat;
use lcca::data::{Composition, InMemory, Pair, Side};
use lcca::matrix::Matrix;
use rayon::prelude::*;
use std::sync::Arc;

/// Rows and columns of the part that one block of threads forms.
const TILE: usize = 64;
/// Bytes of rows that are copied at a time, if memory allows: the device multiplies them while the next ones come.
const COPIED: u64 = 256 << 20;

/// Both views as the kernel sees them.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Wide {
    values: [u64; 2],
    cols: [u32; 2],
    is_single: [i32; 2],
}

/// Whether the rows are dense and their Gram matrix has room.
pub(crate) fn is_possible(device: &Device, pair: &InMemory) -> bool {
    let width = (pair.shape().x_cols + pair.shape().y_cols) as u64;
    let is_dense = |side: &Side| matches!(pair.view(*side), Matrix::Dense(_));
    Side::BOTH.iter().all(is_dense) && 8 * 4 * width * width <= device.free() / 4
}

/// Rows that are copied at a time: two chunks take no more than a quarter of the free memory.
fn step(device: &Device, pair: &InMemory) -> usize {
    let bytes = Side::BOTH.map(|side| match pair.view(side) {
        Matrix::Dense(rows) => dense_bytes(rows.values()),
        _ => 0,
    });
    let per_row = (bytes[0] + bytes[1]).div_ceil(pair.shape().rows.max(1) as u64).max(1);
    ((COPIED.min(device.free() / 8) / per_row) as usize).max(1)
}

/// The lower triangle of F·Σ weight·(z − μ)(z − μ)ᵀ·F over the rows z of both views, with the means μ and the factors F of a
/// composition.
pub(crate) fn form(
    device: &Arc<Device>,
    pair: &InMemory,
    composition: &Composition<'_>,
) -> lcca::Result<Mat<f64>> {
    let width = pair.shape().x_cols + pair.shape().y_cols;
    let means = composition.means.map(|means| device.copy(&means.concat())).transpose()?;
    let means = means.as_ref().map_or(0, Room::address);
    let sum: Room<f64> = device.room(width * width)?;
    let mut is_first = true;
    stream(device, pair, step(device, pair), &mut |chunk| {
        let chunks = Chunks::new(chunk.rows, triangle(width.div_ceil(TILE)), width * width);
        let partial: Room<f64> = device.room(chunks.count * chunks.size)?;
        launch(device, chunk, &chunks, &partial, means, width)?;
        chunks.add_up(device, sum.address(), &partial, !is_first)?;
        is_first = false;
        Ok(())
    })?;
    let mut factors = vec![1.0; width];
    let (x, y) = factors.split_at_mut(pair.shape().x_cols);
    for (to, from) in [x, y].into_iter().zip(composition.factors) {
        if let Some(from) = from {
            to.copy_from_slice(from);
        }
    }
    // A row of the lower triangle is a column of the upper one, which faer keeps in one piece.
    let numbers = sum.to_vec()?;
    let mut lower = Mat::zeros(width, width);
    lower.par_col_iter_mut().enumerate().for_each(|(j, column)| {
        let column = column.try_as_col_major_mut().map(|column| column.as_slice_mut());
        for (i, place) in column.into_iter().flatten().enumerate().skip(j) {
            *place = numbers[i * width + j] * factors[i] * factors[j];
        }
    });
    Ok(lower)
}

/// Places of a lower triangle of so many rows.
fn triangle(rows: usize) -> usize {
    rows * (rows + 1) / 2
}

fn launch(
    device: &Device,
    chunk: &Chunk,
    chunks: &Chunks,
    partial: &Room<f64>,
    means: u64,
    width: usize,
) -> Result<(), CudaError> {
    let mut views = Wide::zeroed();
    for (side, view) in chunk.views.iter().enumerate() {
        let ViewOnDevice::Dense(view) = &**view else {
            return Err(CudaError::Failed { what: "form a Gram matrix", reason: "rows are sparse".into() });
        };
        let (matrix, numbers) = view.at();
        (views.values[side], views.cols[side]) = (matrix.address, matrix.cols as u32);
        views.is_single[side] = i32::from(matches!(numbers, Numbers::F32));
    }
    let blocks = (triangle(width.div_ceil(TILE)) as u64, 1, chunks.count as u64);
    device.launch(
        "dense_gram",
        File::Product,
        Launch { blocks, threads: 128, shared: 0 },
        &[&(chunk.rows as u64), &(chunks.rows as u64), &partial.address(), &views, &means, &chunk.weights()],
    )
}
