//! Tall panels multiplied with small matrices on a device.

use super::panel::{PanelOnDevice, stride_of};
use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::launch::Launch;
use crate::runtime::room::Room;
use bytemuck::{Pod, Zeroable};
use faer::MatRef;
use std::sync::Arc;

/// The number of columns of a panel that are multiplied together.
const SLICE: usize = 8;
/// The number of rows that one block of threads forms.
const ROWS: u64 = 128;
/// The columns, in eights, that a warp forms of a narrow panel. With more of them, a panel is read less
/// often, but there is less to do at the same time.
const NARROW: usize = 4;
/// The columns, in eights, that a warp forms of a wide panel.
const WIDE: usize = 8;

/// Small matrices with which panels are multiplied, in the order in which the kernel reads them.
pub(crate) struct Coefficients<const N: usize> {
    device: Arc<Device>,
    packed: Room<f64>,
    /// The slices of each matrix.
    slices: [usize; N],
    /// Columns of the product.
    cols: usize,
    /// Columns of the product, in eights, that a warp forms.
    width: usize,
}

/// A panel as the kernel sees it.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct Source {
    numbers: u64,
    stride: u32,
    slices: u32,
}

impl<const N: usize> Coefficients<N> {
    /// Copies matrices that have the same number of columns.
    pub fn new(device: &Arc<Device>, all: [MatRef<'_, f64>; N]) -> Result<Self, CudaError> {
        let cols = all[0].ncols();
        let slices = all.map(|m| m.nrows().div_ceil(SLICE));
        let height = SLICE * slices.iter().sum::<usize>();
        // Columns follow each other, as the matrices are stored.
        let mut numbers = Vec::with_capacity(height * cols);
        for j in 0..cols {
            for m in &all {
                match m.col(j).try_as_col_major() {
                    Some(column) => numbers.extend_from_slice(column.as_slice()),
                    None => numbers.extend(m.col(j).iter()),
                }
                numbers.resize(numbers.len().next_multiple_of(SLICE), 0.0);
            }
        }
        let numbers = device.copy(&numbers)?;
        let width = if cols > SLICE * NARROW { WIDE } else { NARROW };
        let tiles = cols.div_ceil(SLICE * width);
        let packed: Room<f64> = device.room(tiles * width * SLICE * height)?;
        let count = packed.len() as u64;
        device.launch(
            "pack_coefficients",
            File::Tall,
            Launch::each(count),
            &[
                &count,
                &(width as u32),
                &((height / SLICE) as u32),
                &(cols as u32),
                &packed.address(),
                &numbers.address(),
            ],
        )?;
        Ok(Coefficients { device: device.clone(), packed, slices, cols, width })
    }

    /// Starts the kernel on `rows` rows of panels [T, P, W], of which the last ones may be missing.
    fn launch(&self, rows: usize, sources: [Source; 3], step: u64, next: u64) -> Result<(), CudaError> {
        let tiles = self.cols.div_ceil(SLICE * self.width);
        let name = if self.width == NARROW { "advance_narrow_f64" } else { "advance_wide_f64" };
        let [t, p, w] = sources;
        self.device.launch(
            name,
            File::Tall,
            Launch::blocks((rows as u64).div_ceil(ROWS) * tiles as u64, 128),
            &[
                &(rows as u64),
                &(tiles as u32),
                &t,
                &p,
                &w,
                &self.packed.address(),
                &(stride_of(self.cols) as u32),
                &step,
                &next,
            ],
        )
    }

    fn source(&self, index: usize, panel: &PanelOnDevice) -> Source {
        let slices = self.slices[index] as u32;
        Source { numbers: panel.room.address(), stride: panel.stride as u32, slices }
    }
}

impl Coefficients<1> {
    /// out ← A·M.
    pub fn multiply(&self, rows: usize, a: &PanelOnDevice, out: &PanelOnDevice) -> Result<(), CudaError> {
        let none = Source::zeroed();
        self.launch(rows, [self.source(0, a), none, none], out.room.address(), 0)
    }
}

impl Coefficients<3> {
    /// Returns T·Ct + P·Cp, and that plus W·Cw, for panels [T, P, W] and coefficients [Ct, Cp, Cw].
    pub fn advance(
        &self,
        rows: usize,
        [t, p, w]: [&PanelOnDevice; 3],
    ) -> Result<[PanelOnDevice; 2], CudaError> {
        let step = PanelOnDevice::unwritten(&self.device, rows, self.cols)?;
        let next = PanelOnDevice::unwritten(&self.device, rows, self.cols)?;
        let sources = [self.source(0, t), self.source(1, p), self.source(2, w)];
        self.launch(rows, sources, step.room.address(), next.room.address())?;
        Ok([step, next])
    }
}
