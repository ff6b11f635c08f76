//! The entries of sparse rows on a device, one row after another: what counts and Gram matrices are made from.

use crate::columns::counts;
use crate::device::Device;
use crate::error::CudaError;
use crate::home::are_same_rows;
use crate::room::Room;
use crate::sparse::{StoredValues, copy_buffer};
use bytemuck::{Pod, Zeroable};
use lcca::data::{InMemory, Moments, Side};
use lcca::matrix::{Matrix, SparseRows, Values};
use std::sync::Arc;

/// One view as the kernels see it.
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
            cols: rows.cols(),
        })
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

/// Rows of ones that were copied to a device to count their columns, and stay there for their Gram matrix.
pub(crate) struct CountedRows {
    views: [Entries; 2],
    bytes: u64,
    /// Holds on to the host's entries, so that no others get their address.
    source: [Matrix; 2],
}

impl CountedRows {
    /// The moments of both views, and the copies that they were counted on; `None` if rows have weights or other entries than 1, or if one
    /// column may have too many of them.
    pub fn new(device: &Arc<Device>, pair: &InMemory) -> Result<Option<([Moments; 2], Self)>, CudaError> {
        let views = Side::BOTH.map(|side| match pair.view(side) {
            Matrix::Sparse(rows) if matches!(rows.values(), Values::Ones) => Some(rows),
            _ => None,
        });
        let [Some(x), Some(y)] = views else { return Ok(None) };
        if pair.weights().is_some() || x.rows() > u32::MAX as usize {
            return Ok(None);
        }
        let before = device.free();
        let views = [Entries::copy(device, x)?, Entries::copy(device, y)?];
        let bytes = before.saturating_sub(device.free());
        let of_view = |view: &Entries| {
            Ok::<_, CudaError>(Moments::of_counts(x.rows(), &counts(device, &view.columns, view.cols)?))
        };
        let moments = [of_view(&views[0])?, of_view(&views[1])?];
        let source = Side::BOTH.map(|side| pair.view(side).clone());
        Ok(Some((moments, CountedRows { views, bytes, source })))
    }

    /// The copies, if they are of these rows, and the bytes that they take.
    pub fn of(self, pair: &InMemory) -> Option<([Entries; 2], u64)> {
        self.is_of(pair).then_some((self.views, self.bytes))
    }

    /// Whether they are copies of these rows.
    pub fn is_of(&self, pair: &InMemory) -> bool {
        are_same_rows(pair, &self.source, None)
    }
}
