//! The entries of sparse rows on a device, one row after another. Counts and Gram matrices are made from
//! them.

use super::sort::scan;
use super::sparse::{StoredValues, copy_buffer};
use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::launch::Argument;
use crate::runtime::room::Room;
use bytemuck::{Pod, Zeroable};
use lcca::matrix::SparseRows;
use std::sync::Arc;

/// A view as the kernels see it.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(crate) struct View {
    starts: u64,
    base: u64,
    columns: u64,
    values: u64,
    kind: i32,
    padding: i32,
}

/// The entries of one view on a device.
pub(crate) struct Entries {
    pub starts: Room<u64>,
    /// The first of `starts`: a range of rows shares the entries of all rows.
    base: u64,
    pub columns: Room<u32>,
    values: StoredValues,
    /// The sum of squares of every column if entries are repeated, because a column may then be in a row
    /// more than once.
    pub squares: Option<Room<f64>>,
    pub cols: usize,
}

impl Entries {
    pub fn copy(device: &Arc<Device>, rows: &SparseRows) -> Result<Self, CudaError> {
        let offsets = rows.offsets().as_slice();
        let (base, last) = (offsets[0].get(), offsets[offsets.len() - 1].get());
        let own = base as usize..last as usize;
        Ok(Entries {
            starts: copy_buffer(device, rows.offsets())?,
            base,
            columns: copy_buffer(device, &rows.columns().slice(own.clone()))?,
            values: StoredValues::copy(device, rows.values(), own)?,
            squares: None,
            cols: rows.cols(),
        })
    }

    /// Replaces entries that are whole numbers by ones, each repeated as often as its value says. There are
    /// `total` ones in all, and `squares` are the sums of squares of the columns.
    pub fn repeated(&self, device: &Arc<Device>, total: usize, squares: &[f64]) -> Result<Self, CudaError> {
        let (values, kind) = self.values.argument();
        let (n, is_single) = (self.columns.len() as u64, i32::from(kind == 1));
        let places: Room<u64> = device.room(self.columns.len() + 1)?;
        device.launch_each(
            "count_repeats",
            File::Count,
            n + 1,
            &[&n, &values, &is_single, &places.address()],
        )?;
        scan(device, &places)?;
        let (columns, starts): (Room<u32>, Room<u64>) =
            (device.room(total)?, device.room(self.starts.len())?);
        let (from, to) = (self.columns.address(), columns.address());
        device.launch_each("repeat_columns", File::Count, n, &[&n, &from, &places.address(), &to])?;
        let (rows, from) = (self.starts.len() as u64, self.starts.address());
        let arguments: [&dyn Argument; 5] = [&rows, &from, &self.base, &places.address(), &starts.address()];
        device.launch_each("repeat_starts", File::Count, rows, &arguments)?;
        let squares = Some(device.copy(squares)?);
        Ok(Entries { starts, base: 0, columns, values: StoredValues::Ones, squares, cols: self.cols })
    }

    /// The bytes that are taken while `entries` entries in `rows` rows become `total` entries.
    pub fn bytes_to_repeat(entries: u64, total: u64, rows: usize, cols: usize) -> u64 {
        // Prefix sums need memory for the sums of their tiles.
        8 * (entries + 1) + entries / 128 + 4 * total + 16 * (rows as u64 + 1) + 8 * cols as u64 + (64 << 10)
    }

    /// The address and the kind of the values beside the columns; `None` if all are one.
    pub fn values(&self) -> Option<(u64, i32)> {
        Some(self.values.argument()).filter(|&(address, _)| address != 0)
    }

    /// The bytes of starts, columns and values.
    pub fn bytes(&self) -> u64 {
        let width = match self.values {
            StoredValues::Ones => 4,
            StoredValues::F32(_) => 8,
            StoredValues::F64(_) => 12,
        };
        8 * self.starts.len() as u64 + width * self.columns.len() as u64
    }

    /// Returns the diagonal of the entries' Gram matrix if it is known, and frees the rest.
    pub fn into_squares(self) -> Option<Room<f64>> {
        self.squares
    }

    pub fn view(&self) -> View {
        let (values, kind) = self.values.argument();
        View {
            starts: self.starts.address(),
            base: self.base,
            columns: self.columns.address(),
            values,
            kind,
            padding: 0,
        }
    }
}
