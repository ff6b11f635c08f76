//! Panels in the memory of a device.

use super::product::add_parts;
use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::launch::Launch;
use crate::runtime::room::Room;
use lcca::matrix::{LANES, Line, Panel};
use lcca::space::{RowFactors, Tall};
use std::sync::Arc;

/// Rows whose sums one block of threads forms.
pub(crate) const SUMMED_ROWS: usize = 1024;

/// Columns whose sums one block of threads forms.
pub(crate) const SUMMED_COLS: usize = 32;

/// A panel on a device: its address and the numbers in a row.
#[derive(Clone, Copy)]
pub(crate) struct At {
    pub address: u64,
    pub stride: usize,
}

/// One number per row of a panel.
pub(crate) struct FactorsOnDevice(pub Room<f64>);

/// A row-major panel. Its rows are padded as on the host, so that a single copy moves all of it.
pub(crate) struct PanelOnDevice {
    pub room: Room<f64>,
    pub stride: usize,
}

/// The numbers in a row of a panel of `cols` columns, with the padding.
pub(crate) fn stride_of(cols: usize) -> usize {
    cols.next_multiple_of(LANES)
}

impl PanelOnDevice {
    pub fn zeros(device: &Arc<Device>, rows: usize, cols: usize) -> Result<Self, CudaError> {
        let stride = stride_of(cols);
        Ok(PanelOnDevice { room: device.zeros(rows * stride)?, stride })
    }

    /// Takes room for a panel that is about to be written.
    pub fn unwritten(device: &Arc<Device>, rows: usize, cols: usize) -> Result<Self, CudaError> {
        let stride = stride_of(cols);
        Ok(PanelOnDevice { room: device.room(rows * stride)?, stride })
    }

    pub fn upload(device: &Arc<Device>, panel: &Panel) -> Result<Self, CudaError> {
        let room = device.copy(bytemuck::cast_slice::<Line, f64>(panel.lines()))?;
        Ok(PanelOnDevice { room, stride: stride_of(panel.cols()) })
    }

    pub fn download(&self, rows: usize, cols: usize) -> Result<Panel, CudaError> {
        // SAFETY: a panel of the device has as many numbers, with zeros in its padding, and all of them are
        // copied.
        unsafe { Panel::written(rows, cols, |bytes| self.room.write_into(bytes)) }
    }

    pub fn at(&self) -> At {
        At { address: self.room.address(), stride: self.stride }
    }

    pub fn tall(self, rows: usize, cols: usize) -> Tall {
        Tall::new(rows, cols, Box::new(self))
    }
}

/// Returns the device's panel inside a tall panel.
pub(crate) fn panel_of(tall: &Tall) -> &PanelOnDevice {
    tall.storage()
}

/// `a[i, :] ← factors[i]·a[i, :]`.
pub(crate) fn scale_rows(device: &Arc<Device>, a: &mut Tall, factors: &RowFactors) -> Result<(), CudaError> {
    let (panel, factors) = (panel_of(a), factors.storage::<FactorsOnDevice>());
    let count = panel.room.len() as u64;
    device.launch(
        "scale_rows",
        File::Panel,
        Launch::each(count),
        &[&count, &(panel.stride as u32), &panel.room.address(), &factors.0.address()],
    )
}

/// Σᵢ weights[i]·a[i, :]·b[i, :]; an address of 0 stands for ones. The padding of the sums is zero.
pub(crate) fn column_sums(
    device: &Arc<Device>,
    rows: usize,
    a: At,
    b: u64,
    weights: u64,
) -> Result<Room<f64>, CudaError> {
    let sums: Room<f64> = device.room(a.stride)?;
    column_sums_into(device, rows, a, b, weights, sums.address())?;
    Ok(sums)
}

/// Writes Σᵢ weights[i]·a[i, :]·b[i, :] to the address `out`; an address of 0 stands for ones.
pub(crate) fn column_sums_into(
    device: &Arc<Device>,
    rows: usize,
    a: At,
    b: u64,
    weights: u64,
    out: u64,
) -> Result<(), CudaError> {
    let (stride, parts) = (a.stride, rows.div_ceil(SUMMED_ROWS).max(1));
    let partial: Room<f64> = device.room(parts * stride)?;
    let width = stride.min(SUMMED_COLS);
    let blocks = (parts as u64, stride.div_ceil(width.max(1)) as u64, 1);
    let (count, chunk) = (rows as u64, SUMMED_ROWS as u64);
    device.launch(
        "column_sums",
        File::Panel,
        Launch { blocks, threads: 256, shared: 0 },
        &[&count, &chunk, &(stride as u32), &(width as u32), &partial.address(), &a.address, &b, &weights],
    )?;
    add_parts(device, parts, stride, out, &partial, false)
}
