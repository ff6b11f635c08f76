//! Rows and Gram matrices on a device, and passes over them.

use crate::driver::{Device, Launch, Room};
use crate::error::CudaError;
use crate::kernels::File;
use crate::sparse::{Output, SparseOnDevice, StoredValues, copy_buffer};
use crate::transpose::Columns;
use lcca::data::{InMemory, JointGram, Pair, Side};
use lcca::matrix::{Buffer, DenseValues, Matrix, Values};
use std::sync::Arc;

/// Bytes of z = x·W of both views that are formed at a time, for panels of the usual width.
const Z_BYTES: u64 = 4 << 30;
/// The bytes of a row of z of both views, for that.
const Z_ROW: u64 = 2 * 8 * 64;
/// Rows stay on the device if they take at most this share of its free memory. Panels need the rest.
const RESIDENT: f64 = 0.6;
/// Rows that do not stay are copied so many at a time that they and their products take this share of it.
const STREAMED: f64 = 0.2;

/// What passes read, in the memory of a device.
pub(crate) enum Home {
    Grams(Box<GramsOnDevice>),
    Rows(Box<RowsOnDevice>),
}

/// All four blocks of [X Y]ᵀ[X Y].
pub(crate) struct GramsOnDevice {
    /// `blocks[target][source]`
    pub blocks: [[SparseOnDevice; 2]; 2],
    /// Column sums of each view.
    pub sums: [Room<f64>; 2],
    /// Holds on to the host's entries, so that no other matrix gets their address.
    pub source: JointGram,
}

/// Rows of both views, some at a time. If the device has no room for all of them, they are copied again for every pass.
pub(crate) struct RowsOnDevice {
    /// Those that stay on the device: all or none.
    resident: Option<Vec<Chunk>>,
    /// Rows that are multiplied at a time.
    step: usize,
    /// Holds on to the host's entries and weights.
    source: [Matrix; 2],
    weights: Option<Buffer<f64>>,
}

/// Some of the rows. A clone shares them.
#[derive(Clone)]
pub(crate) struct Chunk {
    pub rows: usize,
    pub views: [Arc<ViewOnDevice>; 2],
    pub weights: Option<Arc<Room<f64>>>,
}

/// Some rows of one view.
pub(crate) enum ViewOnDevice {
    Sparse { rows: Box<SparseOnDevice>, columns: Box<SparseOnDevice> },
    DenseF32 { values: Room<f32>, cols: usize },
    DenseF64 { values: Room<f64>, cols: usize },
}

/// A panel on a device: its address and the numbers in a row.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pub address: u64,
    pub stride: usize,
}

impl GramsOnDevice {
    pub fn copy(device: &Arc<Device>, joint: &JointGram) -> Result<Self, CudaError> {
        let block = |target: Side, source: Side| -> Result<SparseOnDevice, CudaError> {
            SparseOnDevice::copy(device, joint.block(target, source))?
                .ok_or(CudaError::Failed { what: "take Gram matrices", reason: "they are dense".into() })
        };
        Ok(GramsOnDevice {
            blocks: [
                [block(Side::X, Side::X)?, block(Side::X, Side::Y)?],
                [block(Side::Y, Side::X)?, block(Side::Y, Side::Y)?],
            ],
            sums: [device.copy(&joint.moments(Side::X).sum)?, device.copy(&joint.moments(Side::Y).sum)?],
            source: joint.clone(),
        })
    }
}

impl RowsOnDevice {
    /// The bytes that all rows take on a device.
    fn bytes(pair: &InMemory) -> u64 {
        let of_view = |side: Side| {
            let matrix = pair.view(side);
            let width = match matrix {
                Matrix::Dense(rows) => return dense_bytes(rows.values()),
                Matrix::OneHot(_) => 0,
                Matrix::Sparse(rows) => match rows.values() {
                    Values::Ones => 0,
                    Values::F32(_) => 4,
                    Values::F64(_) => 8,
                },
            };
            2 * matrix.entries() * (4 + width) + 8 * (pair.shape().rows + pair.shape().cols(side)) as u64
        };
        of_view(Side::X) + of_view(Side::Y)
    }

    /// Copies the rows, or plans to copy them for every pass.
    pub fn copy(device: &Arc<Device>, pair: &InMemory) -> Result<Self, CudaError> {
        let (rows, bytes, free) = (pair.shape().rows, RowsOnDevice::bytes(pair), device.free() as f64);
        let is_resident = bytes as f64 <= RESIDENT * free;
        let per_row = if is_resident { Z_ROW } else { Z_ROW + bytes.div_ceil(rows as u64) };
        let room = (Z_BYTES as f64).min(STREAMED * free);
        let step = ((room / per_row as f64) as usize).max(1);
        let mut own = RowsOnDevice {
            resident: None,
            step,
            source: Side::BOTH.map(|side| pair.view(side).clone()),
            weights: pair.weights().cloned(),
        };
        if is_resident {
            let mut chunks = Vec::new();
            own.for_each_chunk(device, pair, |chunk| {
                chunks.push(chunk.clone());
                Ok(())
            })?;
            own.resident = Some(chunks);
        }
        Ok(own)
    }

    /// Calls `visit` with all chunks, in their order. `pair` has the rows of which these are a copy.
    pub fn for_each_chunk(
        &self,
        device: &Arc<Device>,
        pair: &InMemory,
        mut visit: impl FnMut(&Chunk) -> Result<(), CudaError>,
    ) -> Result<(), CudaError> {
        if let Some(chunks) = &self.resident {
            return chunks.iter().try_for_each(visit);
        }
        let rows = pair.shape().rows;
        (0..rows)
            .step_by(self.step)
            .try_for_each(|start| visit(&Chunk::copy(device, pair, start..(start + self.step).min(rows))?))
    }
}

impl Chunk {
    pub fn copy(
        device: &Arc<Device>,
        pair: &InMemory,
        rows: std::ops::Range<usize>,
    ) -> Result<Self, CudaError> {
        let view = |side: Side| ViewOnDevice::copy(device, &pair.view(side).slice(rows.clone()));
        let weights = pair.weights().map(|weights| copy_buffer(device, &weights.slice(rows.clone())));
        let views = [Arc::new(view(Side::X)?), Arc::new(view(Side::Y)?)];
        Ok(Chunk { rows: rows.len(), views, weights: weights.transpose()?.map(Arc::new) })
    }
}

fn dense_bytes(values: &DenseValues) -> u64 {
    match values {
        DenseValues::F32(values) => 4 * values.len() as u64,
        DenseValues::F64(values) => 8 * values.len() as u64,
    }
}

impl ViewOnDevice {
    fn copy(device: &Arc<Device>, matrix: &Matrix) -> Result<Self, CudaError> {
        if let Matrix::Dense(rows) = matrix {
            let cols = rows.cols();
            return Ok(match rows.values() {
                DenseValues::F32(values) => {
                    ViewOnDevice::DenseF32 { values: copy_buffer(device, values)?, cols }
                }
                DenseValues::F64(values) => {
                    ViewOnDevice::DenseF64 { values: copy_buffer(device, values)?, cols }
                }
            });
        }
        let Some(rows) = SparseOnDevice::copy(device, matrix)? else {
            return Err(CudaError::Failed { what: "take rows", reason: "they are dense".into() });
        };
        let Columns { offsets, rows: numbers, values } =
            Columns::of(matrix, !matches!(rows.values, StoredValues::Ones));
        let values = match (&rows.values, values) {
            (StoredValues::F32(_), Some(values)) => {
                let single: Vec<f32> = values.iter().map(|&value| value as f32).collect();
                StoredValues::F32(device.copy(&single)?)
            }
            (_, Some(values)) => StoredValues::F64(device.copy(&values)?),
            (_, None) => StoredValues::Ones,
        };
        let columns = SparseOnDevice::new(device, matrix.rows(), &offsets, device.copy(&numbers)?, values)?;
        Ok(ViewOnDevice::Sparse { rows: Box::new(rows), columns: Box::new(columns) })
    }

    /// z ← (X·W − offset)·weights.
    pub fn multiply(
        &self,
        device: &Arc<Device>,
        rows: usize,
        w: At,
        z: u64,
        offset: u64,
        weights: u64,
    ) -> Result<(), CudaError> {
        let (name, address, cols) = match self {
            ViewOnDevice::Sparse { rows, .. } => {
                return rows.gather(
                    w.address,
                    w.stride,
                    &Output { address: z, offset, weights, adds: false },
                );
            }
            ViewOnDevice::DenseF32 { values, cols } => ("times_f32", values.address(), *cols),
            ViewOnDevice::DenseF64 { values, cols } => ("times_f64", values.address(), *cols),
        };
        let stride = w.stride as u32;
        let grid = ((rows as u64).div_ceil(64) as u32, stride.div_ceil(32), 1);
        device.launch(
            name,
            File::Product,
            Launch { grid, threads: 128, shared: 0 },
            &[
                &(rows as u64),
                &stride,
                &(cols as u32),
                &z,
                &stride,
                &address,
                &(cols as u64),
                &w.address,
                &stride,
                &0f64,
            ],
        )?;
        if offset == 0 && weights == 0 {
            return Ok(());
        }
        let count = rows as u64 * w.stride as u64;
        device.launch(
            "shift_rows",
            File::Panel,
            Launch::each(count),
            &[&count, &stride, &z, &offset, &weights],
        )
    }

    /// out ← out + Xᵀz, or Xᵀz.
    pub fn scatter(
        &self,
        device: &Arc<Device>,
        rows: usize,
        z: At,
        out: u64,
        adds: bool,
    ) -> Result<(), CudaError> {
        let (name, address, cols) = match self {
            ViewOnDevice::Sparse { columns, .. } => {
                let output = Output { address: out, offset: 0, weights: 0, adds };
                return columns.gather(z.address, z.stride, &output);
            }
            ViewOnDevice::DenseF32 { values, cols } => ("cross_f32", values.address(), *cols),
            ViewOnDevice::DenseF64 { values, cols } => ("cross_f64", values.address(), *cols),
        };
        cross_into(device, name, rows, [(address, cols, cols), (z.address, z.stride, z.stride)], out, adds)
    }
}

/// out ← out + AᵀB, or AᵀB, of matrices given by their address, columns and stride. Rows are cut into chunks whose products are added
/// up in their order.
pub(crate) fn cross_into(
    device: &Arc<Device>,
    name: &'static str,
    rows: usize,
    [a, b]: [(u64, usize, usize); 2],
    out: u64,
    adds: bool,
) -> Result<(), CudaError> {
    let size = a.1 * b.1;
    // Enough chunks to fill a device, and no more partial products than a quarter of a gigabyte.
    let tiles = a.1.div_ceil(32) * b.1.div_ceil(32);
    let most = (4096 / tiles).clamp(1, ((256 << 20) / (8 * size.max(1))).max(1));
    let chunk = rows.div_ceil(most).max(256).next_multiple_of(16);
    let parts = rows.div_ceil(chunk).max(1);
    let partial: Room<f64> = device.room(parts * size)?;
    let grid = (a.1.div_ceil(32) as u32, b.1.div_ceil(32) as u32, parts as u32);
    device.launch(
        name,
        File::Product,
        Launch { grid, threads: 64, shared: 0 },
        &[
            &(rows as u64),
            &(chunk as u64),
            &partial.address(),
            &(a.1 as u32),
            &(a.2 as u64),
            &a.0,
            &(b.1 as u32),
            &(b.2 as u64),
            &b.0,
        ],
    )?;
    device.launch(
        "add_parts",
        File::Panel,
        Launch::each(size as u64),
        &[&(parts as u32), &(size as u64), &out, &partial.address(), &i32::from(adds)],
    )
}

impl Home {
    /// Whether this is the copy of what is at the bottom of a pair.
    pub fn is_of(&self, source: &dyn std::any::Any) -> bool {
        match self {
            Home::Grams(grams) => source.downcast_ref::<JointGram>().is_some_and(|joint| {
                is_same(joint.block(Side::X, Side::Y), grams.source.block(Side::X, Side::Y))
                    && is_same(joint.block(Side::X, Side::X), grams.source.block(Side::X, Side::X))
            }),
            Home::Rows(rows) => source.downcast_ref::<InMemory>().is_some_and(|pair| {
                let address = |weights: Option<&Buffer<f64>>| weights.map(|w| w.as_slice().as_ptr());
                Side::BOTH.iter().all(|&side| is_same(pair.view(side), &rows.source[side as usize]))
                    && address(pair.weights()) == address(rows.weights.as_ref())
            }),
        }
    }
}

/// Whether two matrices share their numbers. Both are alive, so that equal addresses are the same numbers.
fn is_same(a: &Matrix, b: &Matrix) -> bool {
    let address = |matrix: &Matrix| match matrix {
        Matrix::Sparse(rows) => {
            let values = match rows.values() {
                Values::Ones => 0,
                Values::F32(values) => values.as_slice().as_ptr() as usize,
                Values::F64(values) => values.as_slice().as_ptr() as usize,
            };
            (rows.columns().as_slice().as_ptr() as usize, values)
        }
        Matrix::OneHot(rows) => (rows.columns().as_slice().as_ptr() as usize, 1),
        Matrix::Dense(rows) => match rows.values() {
            DenseValues::F32(values) => (values.as_slice().as_ptr() as usize, 2),
            DenseValues::F64(values) => (values.as_slice().as_ptr() as usize, 3),
        },
    };
    (a.rows(), a.cols(), a.entries()) == (b.rows(), b.cols(), b.entries()) && address(a) == address(b)
}
