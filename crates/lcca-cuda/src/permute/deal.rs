//! Deals the rows of two panels to each other in many orders on a device, as a permutation test does.

use super::shuffle;
use crate::dense::panel::PanelOnDevice;
use crate::dense::product::add_parts;
use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::launch::Launch;
use crate::runtime::room::Room;
use lcca::matrix::Panel;
use lcca::space::{Dealing, Drawing, Generator};
use std::sync::Arc;

/// The number of orders that one block of threads sums, as in the kernel.
const TOGETHER: usize = 8;
/// The most pairs of columns that one block of threads sums.
const WIDEST: usize = 64;
/// The least and the most rows that one block of threads sums, and the number of blocks that share all rows
/// in between.
const ROWS: (usize, usize, usize) = (256, 4096, 256);

/// Two panels on a device, and the sums that were begun.
pub(crate) struct DealtOnDevice {
    device: Arc<Device>,
    x: PanelOnDevice,
    y: PanelOnDevice,
    rows: usize,
    cols: usize,
    sums: Option<Room<f64>>,
}

impl DealtOnDevice {
    /// Copies two panels of the same shape, which is not empty.
    pub fn copy(device: &Arc<Device>, x: &Panel, y: &Panel) -> Result<Self, CudaError> {
        let (rows, cols) = (x.rows(), x.cols());
        let [x, y] = [PanelOnDevice::upload(device, x)?, PanelOnDevice::upload(device, y)?];
        Ok(DealtOnDevice { device: device.clone(), x, y, rows, cols, sums: None })
    }

    /// Returns the rows of a chunk, and the number of chunks. Both depend on the number of rows alone, so
    /// that sums come out the same whichever orders are dealt together.
    fn chunks(&self) -> (usize, usize) {
        let (least, most, share) = ROWS;
        let rows = (self.rows / share).clamp(least, most);
        (rows, self.rows.div_ceil(rows))
    }

    /// The number of pairs of columns.
    fn halves(&self) -> usize {
        self.cols.div_ceil(2)
    }

    /// The bytes that the sums of an order take.
    fn bytes_of_sums(&self) -> usize {
        16 * self.halves() * (self.chunks().1 + 1)
    }

    /// The bytes that may be taken. An eighth is left over, because the driver gives memory in pieces of
    /// its own size.
    fn free(&self) -> usize {
        self.device.free() as usize / 8 * 7
    }

    fn deal(&self, orders: &Room<u32>) -> Result<Room<f64>, CudaError> {
        let (count, halves, (chunk, chunks)) = (orders.len() / self.rows, self.halves(), self.chunks());
        let (size, width) = (2 * halves * count, halves.min(WIDEST));
        let (sums, parts): (Room<f64>, Room<f64>) =
            (self.device.room(size)?, self.device.room(size * chunks)?);
        let blocks = (chunks as u64, count.div_ceil(TOGETHER) as u64, halves.div_ceil(width) as u64);
        self.device.launch(
            "deal_rows",
            File::Deal,
            Launch { blocks, threads: 256, shared: 0 },
            &[
                &(self.rows as u64),
                &(chunk as u64),
                &(count as u32),
                &(self.x.stride as u32),
                &(halves as u32),
                &(width as u32),
                &parts.address(),
                &self.x.room.address(),
                &self.y.room.address(),
                &orders.address(),
            ],
        )?;
        add_parts(&self.device, chunks, size, sums.address(), &parts, false)?;
        Ok(sums)
    }
}

impl Dealing for DealtOnDevice {
    /// As many orders as fit the device's memory, but no more than blocks can be numbered.
    fn most(&self) -> usize {
        (self.free() / (4 * self.rows + self.bytes_of_sums())).clamp(1, TOGETHER * 65_535)
    }

    fn begin(&mut self, orders: &[u32]) -> lcca::Result<()> {
        self.sums = Some(self.deal(&self.device.copy(orders)?)?);
        Ok(())
    }

    fn sums(&mut self) -> lcca::Result<Vec<f64>> {
        let Some(sums) = self.sums.take() else { return Ok(Vec::new()) };
        let padded = sums.to_vec()?;
        Ok(padded.chunks_exact(2 * self.halves()).flat_map(|sums| &sums[..self.cols]).copied().collect())
    }

    fn drawing(&mut self) -> Option<&mut dyn Drawing> {
        Some(self)
    }
}

impl Drawing for DealtOnDevice {
    fn most(&self) -> usize {
        shuffle::most(self.rows, self.bytes_of_sums(), self.free())
    }

    fn begin(&mut self, places: &[u32], generators: &[Generator]) -> lcca::Result<()> {
        let orders = shuffle::draw(&self.device, self.rows, places, generators)?;
        self.sums = Some(self.deal(&orders)?);
        Ok(())
    }
}
