//! Dense products on a device.

use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::launch::Launch;
use crate::runtime::room::Room;
use std::sync::Arc;

/// The rows of the part of A·B that one block of threads forms.
const TIMES_ROWS: u64 = 64;
/// The columns of the part of a product that one block of threads forms. Parts of AᵀB have as many rows.
const TILE: usize = 32;
/// The number of thread blocks that keep a device busy.
const ENOUGH_BLOCKS: usize = 4096;
/// The most bytes of partial sums.
const MOST_PARTIAL: usize = 256 << 20;

/// The type of the numbers of a row-major matrix.
#[derive(Clone, Copy)]
pub(crate) enum Numbers {
    F32,
    F64,
}

impl Numbers {
    /// Picks the kernel for these numbers.
    pub fn pick(self, single: &'static str, double: &'static str) -> &'static str {
        match self {
            Numbers::F32 => single,
            Numbers::F64 => double,
        }
    }
}

/// A row-major matrix on a device.
#[derive(Clone, Copy)]
pub(crate) struct Dense {
    pub address: u64,
    pub cols: usize,
    /// The numbers from one row to the next.
    pub stride: usize,
}

/// out ← beta·out + A·B for `rows` rows of A. B and the product are f64.
pub(crate) fn times_into(
    device: &Device,
    rows: usize,
    out: Dense,
    (a, numbers): (Dense, Numbers),
    b: Dense,
    beta: f64,
) -> Result<(), CudaError> {
    let name = numbers.pick("times_f32", "times_f64");
    let blocks = ((rows as u64).div_ceil(TIMES_ROWS), b.cols.div_ceil(TILE) as u64, 1);
    device.launch(
        name,
        File::Product,
        Launch { blocks, threads: 64, shared: 0 },
        &[
            &(rows as u64),
            &(b.cols as u32),
            &(a.cols as u32),
            &out.address,
            &(out.stride as u32),
            &a.address,
            &(a.stride as u64),
            &b.address,
            &(b.stride as u32),
            &beta,
        ],
    )
}

/// out ← AᵀB, or out + AᵀB, for `rows` rows of both. B and the product are f64; the product has no padding.
/// Rows are cut into chunks, and the products of the chunks are added up in their order.
pub(crate) fn cross_into(
    device: &Arc<Device>,
    rows: usize,
    out: u64,
    (a, numbers): (Dense, Numbers),
    b: Dense,
    adds: bool,
) -> Result<(), CudaError> {
    let name = numbers.pick("cross_f32", "cross_f64");
    let tiles = [a.cols.div_ceil(TILE), b.cols.div_ceil(TILE)];
    let chunks = Chunks::new(rows, tiles[0] * tiles[1], a.cols * b.cols);
    let partial: Room<f64> = device.room(chunks.count * chunks.size)?;
    device.launch(
        name,
        File::Product,
        Launch { blocks: (tiles[0] as u64, tiles[1] as u64, chunks.count as u64), threads: 32, shared: 0 },
        &[
            &(rows as u64),
            &(chunks.rows as u64),
            &partial.address(),
            &(a.cols as u32),
            &(a.stride as u64),
            &a.address,
            &(b.cols as u32),
            &(b.stride as u64),
            &b.address,
        ],
    )?;
    chunks.add_up(device, out, &partial, adds)
}

/// Chunks of rows whose products are formed at the same time.
pub(crate) struct Chunks {
    /// The rows of each chunk.
    pub rows: usize,
    pub count: usize,
    /// The count of numbers of a product.
    pub size: usize,
}

impl Chunks {
    /// Enough chunks to keep a device busy if each is `tiles` blocks of threads, and no more partial sums
    /// than memory can spare.
    pub fn new(rows: usize, tiles: usize, size: usize) -> Self {
        Chunks::within(MOST_PARTIAL, rows, tiles, size)
    }

    /// Enough chunks to keep a device busy, but at most `bytes` bytes of partial sums, or else a single
    /// chunk.
    pub fn within(bytes: usize, rows: usize, tiles: usize, size: usize) -> Self {
        let most = (bytes / (8 * size.max(1))).max(1);
        let wanted = (ENOUGH_BLOCKS / tiles.max(1)).clamp(1, most);
        let each = rows.div_ceil(wanted).max(256).next_multiple_of(16);
        Chunks { rows: each, count: rows.div_ceil(each).max(1), size }
    }

    /// out ← the sum of all partial sums, or out plus that sum if `adds`.
    pub fn add_up(
        &self,
        device: &Device,
        out: u64,
        partial: &Room<f64>,
        adds: bool,
    ) -> Result<(), CudaError> {
        add_parts(device, self.count, self.size, out, partial, adds)
    }
}

/// out ← the sum of `parts` times `size` numbers over the parts, or out plus that sum if `adds`.
pub(crate) fn add_parts(
    device: &Device,
    parts: usize,
    size: usize,
    out: u64,
    from: &Room<f64>,
    adds: bool,
) -> Result<(), CudaError> {
    device.launch(
        "add_parts",
        File::Panel,
        Launch::blocks((size as u64).div_ceil(32), 256),
        &[&(parts as u32), &(size as u64), &out, &from.address(), &i32::from(adds)],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_all_rows_and_their_sums_fit() {
        for rows in [0, 1, 255, 256, 1000, 1_000_000, 50_000_000] {
            for (tiles, size) in [(1, 1), (1, 1024), (81, 288 * 288), (2080, 2048 * 2048), (1 << 16, 1 << 26)]
            {
                let chunks = Chunks::new(rows, tiles, size);
                assert!(chunks.rows * chunks.count >= rows && chunks.count >= 1);
                assert!((chunks.count - 1) * chunks.rows <= rows, "an empty chunk of {rows} rows");
                assert!(chunks.count == 1 || 8 * size * chunks.count <= MOST_PARTIAL);
                assert!(chunks.count <= ENOUGH_BLOCKS);
            }
        }
    }
}
