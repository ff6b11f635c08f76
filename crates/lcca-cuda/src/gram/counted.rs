//! Rows whose columns were counted on a device, and that stay there for their Gram matrix.
//!
//! Entries may be whole numbers: counts, for example, or ones of which some were stored twice and added up.
//! Sums of whole numbers are exact in any order. If few entries are more than 1, each of these is listed as
//! often as its value says. The Gram matrix is then counted as that of ones is, and keys need no values
//! beside them.

use super::gram_plan::Plan;
use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::room::Room;
use crate::scattered::entries::Entries;
use crate::scattered::home::are_same_rows;
use lcca::data::{InMemory, Moments, Pair, Side};
use lcca::matrix::{Matrix, SparseRows, Values};
use rayon::prelude::*;
use std::sync::Arc;

/// The number of entries that the host looks at before rows with values are copied.
const LOOKED_AT: usize = 1 << 10;
/// The largest whole number up to which sums of whole numbers are exact in f64.
const EXACT: u64 = 1 << 53;
/// Entries are repeated if this adds at most one in `SPARE` entries, and one in `SPARE` pairs of entries.
const SPARE: u64 = 16;

/// Rows that were copied to a device to count their columns.
pub(crate) struct CountedRows {
    pub views: [Entries; 2],
    /// The work and the memory that forming their Gram matrix takes.
    pub plan: Plan,
    /// Keeps the host's entries alive, so that no others get their address.
    source: [Matrix; 2],
}

impl CountedRows {
    /// Returns the moments of both views, and the copies on which they were counted. Returns `None` if rows
    /// have weights or entries that are not positive whole numbers, or if one column may have too many
    /// entries.
    pub fn new(
        device: &Arc<Device>,
        pair: &InMemory,
        plan: Plan,
    ) -> Result<Option<([Moments; 2], Self)>, CudaError> {
        let views = Side::BOTH.map(|side| match pair.view(side) {
            Matrix::Sparse(rows) if seem_whole(rows) => Some(rows),
            _ => None,
        });
        let [Some(x), Some(y)] = views else { return Ok(None) };
        if pair.weights().is_some() || x.rows() > u32::MAX as usize {
            return Ok(None);
        }
        // The columns of X are counted while Y is copied.
        let x_entries = Entries::copy(device, x)?;
        let x_sums = ColumnCounts::begin(device, &x_entries)?;
        let y_entries = Entries::copy(device, y)?;
        let y_sums = ColumnCounts::begin(device, &y_entries)?;
        let (Some(x_moments), Some(y_moments)) = (x_sums.moments(x.rows())?, y_sums.moments(y.rows())?)
        else {
            return Ok(None);
        };
        let moments = [x_moments, y_moments];
        let (views, plan) = as_ones(device, pair, [x_entries, y_entries], plan, &moments)?;
        let source = Side::BOTH.map(|side| pair.view(side).clone());
        Ok(Some((moments, CountedRows { views, plan, source })))
    }

    /// The bytes of the plan that these copies already take.
    pub fn bytes(&self) -> u64 {
        self.views.iter().map(Entries::bytes).sum()
    }

    /// Whether these are copies of the rows of a pair.
    pub fn is_of(&self, pair: &InMemory) -> bool {
        are_same_rows(pair, &self.source, None)
    }
}

/// Whether the first entries are positive whole numbers.
fn seem_whole(rows: &SparseRows) -> bool {
    let first = rows.offsets().iter().next().unwrap_or(0) as usize;
    let looked_at = first..first + LOOKED_AT.min(rows.entries() as usize);
    matches!(rows.values(), Values::Ones)
        || looked_at.map(|entry| rows.values().get(entry)).all(|value| value >= 1.0 && value.fract() == 0.0)
}

/// Repeats the entries of more than 1 of both views, where that pays. Returns the views, and the plan of
/// their Gram matrix.
fn as_ones(
    device: &Arc<Device>,
    pair: &InMemory,
    views: [Entries; 2],
    plan: Plan,
    moments: &[Moments; 2],
) -> Result<([Entries; 2], Plan), CudaError> {
    let rows = pair.shape().rows;
    let repeated = |view: &Entries, moments: &Moments| {
        let (entries, total) = (view.columns.len() as u64, moments.sum.iter().sum::<f64>() as u64);
        let pays = view.values().is_some() && total <= entries + entries / SPARE;
        if !pays || Entries::bytes_to_repeat(entries, total, rows, view.cols) > device.free() {
            return Ok(None);
        }
        view.repeated(device, total as usize, &moments.square).map(Some)
    };
    let repeated = [repeated(&views[0], &moments[0])?, repeated(&views[1], &moments[1])?];
    if repeated.iter().all(Option::is_none) {
        return Ok((views, plan));
    }
    let [x, y] = [0, 1].map(|side| repeated[side].as_ref().unwrap_or(&views[side]));
    match Plan::of_entries(device, pair, [x, y])? {
        Some(other) if other.is_as_small_as(&plan, SPARE) => {
            let ([x, y], [repeated_x, repeated_y]) = (views, repeated);
            Ok(([repeated_x.unwrap_or(x), repeated_y.unwrap_or(y)], other))
        }
        _ => Ok((views, plan)),
    }
}

/// The number of entries of each column, and their sums if they are not all one.
struct ColumnCounts {
    counts: Room<u32>,
    more: Option<MoreThanOnes>,
}

/// For each column, the sums of its entries less 1, and of their squares less 1.
struct MoreThanOnes {
    sums: Room<u64>,
    squares: Room<u64>,
    /// Not 0 if an entry is not a positive whole number, or is too large.
    others: Room<u32>,
}

impl ColumnCounts {
    fn begin(device: &Arc<Device>, entries: &Entries) -> Result<Self, CudaError> {
        let (n, columns) = (entries.columns.len() as u64, entries.columns.address());
        let counts: Room<u32> = device.zeros(entries.cols)?;
        device.launch_each("count_columns", File::Count, n, &[&n, &columns, &counts.address()])?;
        let Some((values, kind)) = entries.values() else { return Ok(ColumnCounts { counts, more: None }) };
        let (sums, squares): (Room<u64>, Room<u64>) =
            (device.zeros(entries.cols)?, device.zeros(entries.cols)?);
        let (others, is_single): (Room<u32>, _) = (device.zeros(1)?, i32::from(kind == 1));
        device.launch_each(
            "sum_more_than_ones",
            File::Count,
            n,
            &[&n, &columns, &values, &is_single, &sums.address(), &squares.address(), &others.address()],
        )?;
        Ok(ColumnCounts { counts, more: Some(MoreThanOnes { sums, squares, others }) })
    }

    /// Returns the moments over `rows` rows; `None` if entries are not whole numbers, or are so large that
    /// sums would be rounded.
    fn moments(self, rows: usize) -> Result<Option<Moments>, CudaError> {
        let mut moments = Moments::of_counts(rows, &self.counts.to_vec()?);
        let Some(MoreThanOnes { sums, squares, others }) = self.more else { return Ok(Some(moments)) };
        if others.to_vec()?[0] != 0 {
            return Ok(None);
        }
        for (to, more) in [(&mut moments.sum, sums.to_vec()?), (&mut moments.square, squares.to_vec()?)] {
            if more.par_iter().any(|&more| more > EXACT - (1 << 32)) {
                return Ok(None);
            }
            to.par_iter_mut().zip(more).for_each(|(count, more)| *count += more as f64);
        }
        Ok(Some(moments))
    }
}
