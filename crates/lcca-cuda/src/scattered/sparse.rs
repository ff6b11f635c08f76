//! Sparse rows on a device, and their products with panels.

use crate::dense::array::DeviceArray;
use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::launch::Launch;
use crate::runtime::room::Room;
use lcca::matrix::{Buffer, Matrix, Values};
use std::ops::Range;
use std::sync::Arc;

/// The most entries of a segment. A row with more entries is cut into segments.
const SEGMENT: u64 = 256;
/// The threads of a block of the kernel.
const THREADS: u32 = 256;
/// The most units of 16 bytes of a panel's row that one group of threads multiplies.
const MOST_UNITS: u32 = 128;

/// Rows with few entries each, in the memory of a device.
pub(crate) struct SparseOnDevice {
    device: Arc<Device>,
    /// The number of columns of the rows.
    pub cols: usize,
    segments: usize,
    /// The first entry of every segment, and the end.
    starts: Room<u64>,
    pub columns: Room<u32>,
    pub values: StoredValues,
    cut: Option<Cut>,
}

/// The values of entries.
pub(crate) enum StoredValues {
    Ones,
    F32(Room<f32>),
    F64(Room<f64>),
}

/// The segments into which long rows are cut.
struct Cut {
    /// The first entry of every row, and the end.
    offsets: Room<u64>,
    /// For each segment its row, or −1 − its slot if the row has several.
    slots: Room<i32>,
    /// The first slot of each long row, and the end.
    firsts: Room<u32>,
    /// The numbers of the long rows.
    numbers: Room<u32>,
    long: u32,
    count: usize,
}

/// The segments into which rows are cut, on the host. The fields are those of [`Cut`].
pub(crate) struct Segments {
    /// The first entry of every segment, and the end.
    starts: Vec<u64>,
    slots: Vec<i32>,
    numbers: Vec<u32>,
    firsts: Vec<u32>,
}

impl Segments {
    /// Cuts long rows into segments. Returns `None` if no row is long. `offsets` start at 0.
    pub fn new(offsets: &[u64]) -> Option<Self> {
        let rows = offsets.len() - 1;
        let is_long = |row: usize| offsets[row + 1] - offsets[row] > SEGMENT;
        if !(0..rows).any(is_long) {
            return None;
        }
        let (mut starts, mut slots) = (Vec::with_capacity(rows + 1), Vec::with_capacity(rows));
        let (mut numbers, mut firsts, mut count) = (Vec::new(), Vec::new(), 0);
        for row in 0..rows {
            if !is_long(row) {
                starts.push(offsets[row]);
                slots.push(row as i32);
                continue;
            }
            numbers.push(row as u32);
            firsts.push(count);
            for start in (offsets[row]..offsets[row + 1]).step_by(SEGMENT as usize) {
                starts.push(start);
                slots.push(-1 - count as i32);
                count += 1;
            }
        }
        starts.push(offsets[rows]);
        firsts.push(count);
        Some(Segments { starts, slots, numbers, firsts })
    }
}

/// The place to which a product goes, and the changes that are made to it.
pub(crate) struct Output {
    pub address: u64,
    /// The address of a row that is subtracted from every row; 0 stands for none.
    pub offset: u64,
    /// The address of one weight per row; 0 stands for none.
    pub weights: u64,
    /// Whether the product is added to the numbers at the address.
    pub adds: bool,
}

impl StoredValues {
    /// The address and the kind of the values, by which kernels know them.
    pub fn argument(&self) -> (u64, i32) {
        match self {
            StoredValues::Ones => (0, 0),
            StoredValues::F32(values) => (values.address(), 1),
            StoredValues::F64(values) => (values.address(), 2),
        }
    }

    /// Copies the values of the entries `own`.
    pub fn copy(device: &Arc<Device>, values: &Values, own: Range<usize>) -> Result<Self, CudaError> {
        Ok(match values {
            Values::Ones => StoredValues::Ones,
            Values::F32(values) => StoredValues::F32(copy_buffer(device, &values.slice(own))?),
            Values::F64(values) => StoredValues::F64(copy_buffer(device, &values.slice(own))?),
        })
    }
}

impl SparseOnDevice {
    /// Copies the rows of a sparse or one-hot view. Arrays that already lie on the device are used there.
    pub fn copy(device: &Arc<Device>, matrix: &Matrix) -> Result<Self, CudaError> {
        match matrix {
            Matrix::Sparse(rows) => {
                // A range of rows shares the entries of all rows.
                let (first, last) = (rows.offsets().iter().next(), rows.offsets().iter().last());
                let (first, last) = (first.unwrap_or(0), last.unwrap_or(0));
                let offsets: Vec<u64> = rows.offsets().iter().map(|offset| offset - first).collect();
                let own = first as usize..last as usize;
                let columns = copy_buffer(device, &rows.columns().slice(own.clone()))?;
                let values = StoredValues::copy(device, rows.values(), own)?;
                SparseOnDevice::new(device, rows.cols(), &offsets, columns, values)
            }
            Matrix::OneHot(rows) => {
                let (offsets, columns) = if rows.entries() == rows.rows() as u64 {
                    ((0..=rows.entries()).collect(), copy_buffer(device, rows.columns())?)
                } else {
                    let (mut offsets, mut columns) = (Vec::with_capacity(rows.rows() + 1), Vec::new());
                    offsets.push(0);
                    for row in 0..rows.rows() {
                        columns.extend(rows.column(row).map(|column| column as u32));
                        offsets.push(columns.len() as u64);
                    }
                    (offsets, device.copy(&columns)?)
                };
                SparseOnDevice::new(device, rows.cols(), &offsets, columns, StoredValues::Ones)
            }
            Matrix::Dense(_) => {
                Err(CudaError::Failed { what: "take sparse rows", reason: "they are dense".into() })
            }
        }
    }

    /// Makes rows of entries that already lie on the device. `offsets` start at 0.
    fn new(
        device: &Arc<Device>,
        cols: usize,
        offsets: &[u64],
        columns: Room<u32>,
        values: StoredValues,
    ) -> Result<Self, CudaError> {
        let segments = Segments::new(offsets);
        SparseOnDevice::cut(device, cols, device.copy(offsets)?, segments, columns, values)
    }

    /// Makes rows of entries and offsets that already lie on the device. The offsets start at 0, and
    /// `segments` are those into which long rows are cut.
    pub fn cut(
        device: &Arc<Device>,
        cols: usize,
        offsets: Room<u64>,
        segments: Option<Segments>,
        columns: Room<u32>,
        values: StoredValues,
    ) -> Result<Self, CudaError> {
        let (rows, device) = (offsets.len() - 1, device.clone());
        let Some(Segments { starts, slots, numbers, firsts }) = segments else {
            let (segments, starts) = (rows, offsets);
            return Ok(SparseOnDevice { device, cols, segments, starts, columns, values, cut: None });
        };
        let cut = Cut {
            offsets,
            slots: device.copy(&slots)?,
            long: numbers.len() as u32,
            count: firsts.last().map_or(0, |&count| count as usize),
            firsts: device.copy(&firsts)?,
            numbers: device.copy(&numbers)?,
        };
        let (segments, starts) = (slots.len(), device.copy(&starts)?);
        Ok(SparseOnDevice { device, cols, segments, starts, columns, values, cut: Some(cut) })
    }

    /// Multiplies the rows with a panel of f64 numbers.
    pub fn gather(&self, panel: u64, stride: usize, out: &Output) -> Result<(), CudaError> {
        let kernels = match &self.values {
            StoredValues::Ones => "gather_ones_f64",
            StoredValues::F32(_) => "gather_f32_f64",
            StoredValues::F64(_) => "gather_f64_f64",
        };
        self.gather_units(kernels, "add_segments_f64", panel, stride as u32 / 2, out)
    }

    /// Multiplies the rows with a panel of f32 numbers, whose rows are multiples of 16 bytes.
    pub fn gather_f32(&self, panel: u64, stride: usize, out: &Output) -> Result<(), CudaError> {
        let kernels = match &self.values {
            StoredValues::Ones => "gather_ones_f32",
            StoredValues::F32(_) => "gather_f32_f32",
            StoredValues::F64(_) => "gather_f64_f32",
        };
        self.gather_units(kernels, "add_segments_f32", panel, stride as u32 / 4, out)
    }

    fn gather_units(
        &self,
        gather: &'static str,
        add_segments: &'static str,
        panel: u64,
        pitch: u32,
        out: &Output,
    ) -> Result<(), CudaError> {
        let &Output { address, offset, weights, adds } = out;
        let slots = self.cut.as_ref().map_or(0, |cut| cut.slots.address());
        for first in (0..pitch).step_by(MOST_UNITS as usize) {
            let units = MOST_UNITS.min(pitch - first);
            let groups = u64::from(THREADS / units);
            let partial: Option<Room<f64>> = match &self.cut {
                Some(cut) => Some(self.device.room(cut.count * 2 * units as usize)?),
                None => None,
            };
            let partial = partial.as_ref().map_or(0, Room::address);
            let shifted = |address: u64| if address == 0 { 0 } else { address + u64::from(first) * 16 };
            let [panel, out, offset] = [panel, address, offset].map(shifted);
            let (values, _) = self.values.argument();
            self.device.launch(
                gather,
                File::Gather,
                Launch::blocks((self.segments as u64).div_ceil(groups), THREADS),
                &[
                    &(self.segments as u64),
                    &self.starts.address(),
                    &0u64,
                    &self.columns.address(),
                    &values,
                    &slots,
                    &panel,
                    &units,
                    &partial,
                    &out,
                    &offset,
                    &weights,
                    &i32::from(adds),
                    &pitch,
                ],
            )?;
            if let Some(cut) = &self.cut {
                self.device.launch(
                    add_segments,
                    File::Gather,
                    Launch::blocks(u64::from(cut.long).div_ceil(groups), THREADS),
                    &[
                        &cut.long,
                        &cut.numbers.address(),
                        &cut.firsts.address(),
                        &partial,
                        &units,
                        &out,
                        &offset,
                        &weights,
                        &i32::from(adds),
                        &pitch,
                    ],
                )?;
            }
        }
        Ok(())
    }

    /// The address of the first entry of every row, and the end.
    pub fn row_offsets(&self) -> u64 {
        self.cut.as_ref().map_or(self.starts.address(), |cut| cut.offsets.address())
    }
}

/// The bytes of the columns and values of a sparse or one-hot view that [`SparseOnDevice::copy`] does not
/// copy, because they already lie on the device.
pub(crate) fn bytes_in_place(device: &Device, matrix: &Matrix) -> u64 {
    let if_there = |is_there: bool, width: u64| if is_there { width } else { 0 };
    let width = match matrix {
        Matrix::Sparse(rows) => {
            let values = match rows.values() {
                Values::Ones => 0,
                Values::F32(values) => if_there(DeviceArray::lies_on(device, values), 4),
                Values::F64(values) => if_there(DeviceArray::lies_on(device, values), 8),
            };
            values + if_there(DeviceArray::lies_on(device, rows.columns()), 4)
        }
        Matrix::OneHot(rows) if rows.entries() == rows.rows() as u64 => {
            if_there(DeviceArray::lies_on(device, rows.columns()), 4)
        }
        Matrix::OneHot(_) | Matrix::Dense(_) => 0,
    };
    width * matrix.entries()
}

/// Copies numbers that may lie anywhere in a file to the device. Numbers that already lie there are used in
/// place.
pub(crate) fn copy_buffer<T: bytemuck::Pod>(
    device: &Arc<Device>,
    buffer: &Buffer<T>,
) -> Result<Room<T>, CudaError> {
    match DeviceArray::lent(device, buffer) {
        Some(room) => Ok(room),
        None => device.copy_bytes(bytemuck::cast_slice(buffer.as_slice())),
    }
}
