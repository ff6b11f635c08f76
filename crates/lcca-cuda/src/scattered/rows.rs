//! Rows of both views on a device, and their products with panels.

use super::sparse::{Output, SparseOnDevice, bytes_in_place, copy_buffer};
use crate::dense::array::DeviceArray;
use crate::dense::panel::At;
use crate::dense::product::{Dense, Numbers, cross_into, times_into};
use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::context::Moment;
use crate::runtime::device::Device;
use crate::runtime::launch::Launch;
use crate::runtime::room::Room;
use lcca::data::{InMemory, Pair, Side, by_columns};
use lcca::matrix::{Buffer, DenseValues, Matrix, Values};
use std::ops::Range;
use std::sync::Arc;

/// The bytes of z = x·W of both views that are formed at a time, for panels of the usual width.
const Z_BYTES: u64 = 4 << 30;
/// The bytes of a row of z of both views, for panels of the usual width.
const Z_ROW: u64 = 2 * 8 * 64;
/// The share of a device's free memory up to which rows stay there. Panels need the rest.
const RESIDENT: f64 = 0.6;
/// The share of a device's free memory for rows that do not stay there and their products. As many rows are
/// copied at a time as fit it.
const STREAMED: f64 = 0.2;

/// Rows of both views, some at a time. If the device has no room for all of them, they are copied again for
/// every pass.
pub(crate) struct RowsOnDevice {
    /// The rows that stay on the device: all or none.
    resident: Option<Vec<Chunk>>,
    /// The number of rows that are multiplied at a time.
    step: usize,
    /// Keeps the host's entries and weights alive, so that no others get their address.
    pub source: [Matrix; 2],
    pub weights: Option<Buffer<f64>>,
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
    Dense(DenseOnDevice),
}

/// Dense rows.
pub(crate) struct DenseOnDevice {
    values: DenseRoom,
    cols: usize,
}

enum DenseRoom {
    F32(Room<f32>),
    F64(Room<f64>),
}

impl RowsOnDevice {
    /// The bytes that all rows take on a device, without those that lie there already.
    fn bytes(device: &Device, pair: &InMemory) -> u64 {
        let of_view = |side: Side| {
            let matrix = pair.view(side);
            let width = match matrix {
                Matrix::Dense(_) if DeviceArray::of_view(matrix) == Some(device.ordinal()) => return 0,
                Matrix::Dense(rows) => return dense_bytes(rows.values()),
                Matrix::OneHot(_) => 0,
                Matrix::Sparse(rows) => match rows.values() {
                    Values::Ones => 0,
                    Values::F32(_) => 4,
                    Values::F64(_) => 8,
                },
            };
            // Entries are there twice, by rows and by columns.
            let entries = 2 * matrix.entries() * (4 + width) - bytes_in_place(device, matrix);
            entries + 8 * (pair.shape().rows + pair.shape().cols(side)) as u64
        };
        of_view(Side::X) + of_view(Side::Y)
    }

    /// Copies the rows, or plans to copy them for every pass.
    pub fn copy(device: &Arc<Device>, pair: &InMemory) -> lcca::Result<Self> {
        let (rows, bytes, free) =
            (pair.shape().rows, RowsOnDevice::bytes(device, pair), device.free() as f64);
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
        mut visit: impl FnMut(&Chunk) -> lcca::Result<()>,
    ) -> lcca::Result<()> {
        if let Some(chunks) = &self.resident {
            return chunks.iter().try_for_each(visit);
        }
        stream(device, pair, self.step, &mut visit)
    }
}

/// Calls `visit` with the rows of a pair, `step` at a time, in their order. The next rows are copied while
/// the device works on those before. At most two chunks are on the device at a time.
pub(crate) fn stream(
    device: &Arc<Device>,
    pair: &InMemory,
    step: usize,
    visit: &mut dyn FnMut(&Chunk) -> lcca::Result<()>,
) -> lcca::Result<()> {
    let rows = pair.shape().rows;
    let mut before: Option<(Chunk, Moment)> = None;
    for start in (0..rows).step_by(step) {
        let chunk = Chunk::copy(device, pair, start..(start + step).min(rows))?;
        visit(&chunk)?;
        let moment = device.context().now()?;
        if let Some((_used, moment)) = before.replace((chunk, moment)) {
            moment.wait()?;
        }
    }
    Ok(())
}

impl Chunk {
    pub fn copy(device: &Arc<Device>, pair: &InMemory, rows: Range<usize>) -> lcca::Result<Self> {
        let view = |side: Side| ViewOnDevice::copy(device, &pair.view(side).slice(rows.clone()));
        let weights = pair.weights().map(|weights| copy_buffer(device, &weights.slice(rows.clone())));
        let views = [Arc::new(view(Side::X)?), Arc::new(view(Side::Y)?)];
        Ok(Chunk { rows: rows.len(), views, weights: weights.transpose()?.map(Arc::new) })
    }

    /// The address of the weights of the rows; 0 if they have none.
    pub fn weights(&self) -> u64 {
        self.weights.as_ref().map_or(0, |weights| weights.address())
    }
}

/// The bytes of dense numbers.
pub(crate) fn dense_bytes(values: &DenseValues) -> u64 {
    match values {
        DenseValues::F32(values) => 4 * values.len() as u64,
        DenseValues::F64(values) => 8 * values.len() as u64,
    }
}

impl ViewOnDevice {
    fn copy(device: &Arc<Device>, matrix: &Matrix) -> lcca::Result<Self> {
        if let Matrix::Dense(rows) = matrix {
            let values = match rows.values() {
                DenseValues::F32(values) => DenseRoom::F32(copy_buffer(device, values)?),
                DenseValues::F64(values) => DenseRoom::F64(copy_buffer(device, values)?),
            };
            return Ok(ViewOnDevice::Dense(DenseOnDevice { values, cols: rows.cols() }));
        }
        let columns = Matrix::Sparse(by_columns(matrix)?);
        let sparse = |matrix: &Matrix| SparseOnDevice::copy(device, matrix).map(Box::new);
        Ok(ViewOnDevice::Sparse { rows: sparse(matrix)?, columns: sparse(&columns)? })
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
        let own = match self {
            ViewOnDevice::Sparse { rows, .. } => {
                let output = Output { address: z, offset, weights, adds: false };
                return rows.gather(w.address, w.stride, &output);
            }
            ViewOnDevice::Dense(own) => own,
        };
        let panel = |address: u64| Dense { address, cols: w.stride, stride: w.stride };
        times_into(device, rows, panel(z), own.at(), panel(w.address), 0.0)?;
        if offset == 0 && weights == 0 {
            return Ok(());
        }
        let count = rows as u64 * w.stride as u64;
        device.launch(
            "shift_rows",
            File::Panel,
            Launch::each(count),
            &[&count, &(w.stride as u32), &z, &offset, &weights],
        )
    }

    /// out ← Xᵀz, or out + Xᵀz.
    pub fn scatter(
        &self,
        device: &Arc<Device>,
        rows: usize,
        z: At,
        out: u64,
        adds: bool,
    ) -> Result<(), CudaError> {
        match self {
            ViewOnDevice::Sparse { columns, .. } => {
                columns.gather(z.address, z.stride, &Output { address: out, offset: 0, weights: 0, adds })
            }
            ViewOnDevice::Dense(own) => {
                let z = Dense { address: z.address, cols: z.stride, stride: z.stride };
                cross_into(device, rows, out, own.at(), z, adds)
            }
        }
    }
}

impl DenseOnDevice {
    /// Returns the matrix of the numbers, and their type.
    pub fn at(&self) -> (Dense, Numbers) {
        let (address, numbers) = match &self.values {
            DenseRoom::F32(values) => (values.address(), Numbers::F32),
            DenseRoom::F64(values) => (values.address(), Numbers::F64),
        };
        (Dense { address, cols: self.cols, stride: self.cols }, numbers)
    }
}
