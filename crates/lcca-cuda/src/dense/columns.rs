//! Facts about the columns of the data, one number per row of a panel: for example how active a column is,
//! or whether it is chosen.

use super::panel::{FactorsOnDevice, PanelOnDevice, SUMMED_COLS, SUMMED_ROWS, panel_of};
use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::launch::{Argument, Launch};
use crate::runtime::room::Room;
use lcca::space::{RowFactors, Tall};
use std::sync::Arc;

/// Starts a kernel that has one warp for each of `rows` rows.
fn launch_rows(
    device: &Device,
    name: &'static str,
    rows: usize,
    arguments: &[&dyn Argument],
) -> Result<(), CudaError> {
    device.launch(name, File::Columns, Launch::blocks((rows as u64).div_ceil(8), 256), arguments)
}

/// `Σᵢ w[j, i]²/inverse[j] + Σᵢ r[j, i]²·inverse[j]` for every row j, and 0 if `inverse[j]` is 0.
pub(crate) fn activity(
    device: &Arc<Device>,
    w: &Tall,
    r: &Tall,
    inverse: &RowFactors,
) -> Result<Vec<f64>, CudaError> {
    let (rows, w, r) = (w.rows(), panel_of(w).at(), panel_of(r).at());
    let (inverse, out) = (inverse.storage::<FactorsOnDevice>(), device.room::<f64>(rows)?);
    launch_rows(
        device,
        "activity_of_rows",
        rows,
        &[
            &(rows as u64),
            &(w.stride as u32),
            &w.address,
            &(r.stride as u32),
            &r.address,
            &inverse.0.address(),
            &out.address(),
        ],
    )?;
    out.to_vec()
}

/// Copies one number per row, with zeros for `rows`. Returns `None` if one of these rows does not exist.
pub(crate) fn without_rows(
    device: &Arc<Device>,
    factors: &RowFactors,
    rows: &[u32],
) -> Result<Option<RowFactors>, CudaError> {
    let FactorsOnDevice(factors) = factors.storage();
    if rows.iter().any(|&row| row as usize >= factors.len()) {
        return Ok(None);
    }
    let mut copy: Room<f64> = device.room(factors.len())?;
    copy.copy_from(factors)?;
    let (count, rows) = (rows.len() as u64, device.copy(rows)?);
    device.launch(
        "clear_factors",
        File::Columns,
        Launch::each(count),
        &[&count, &rows.address(), &copy.address()],
    )?;
    Ok(Some(RowFactors(Box::new(FactorsOnDevice(copy)))))
}

/// Returns the entry of largest absolute value in every column, the first if there are several.
pub(crate) fn largest_entries(device: &Arc<Device>, a: &Tall) -> Result<Vec<f64>, CudaError> {
    let (rows, panel) = (a.rows(), panel_of(a).at());
    let (parts, width) = (rows.div_ceil(SUMMED_ROWS).max(1), panel.stride.min(SUMMED_COLS));
    let largest: Room<f64> = device.room(parts * panel.stride)?;
    let blocks = (parts as u64, panel.stride.div_ceil(width.max(1)) as u64, 1);
    device.launch(
        "largest_entries",
        File::Columns,
        Launch { blocks, threads: 256, shared: 0 },
        &[
            &(rows as u64),
            &(SUMMED_ROWS as u64),
            &(panel.stride as u32),
            &(width as u32),
            &largest.address(),
            &panel.address,
        ],
    )?;
    let larger = |mut largest: Vec<f64>, part: &[f64]| {
        for (largest, &value) in largest.iter_mut().zip(part) {
            *largest = if value.abs() > largest.abs() { value } else { *largest };
        }
        largest
    };
    Ok(largest.to_vec()?.chunks_exact(panel.stride.max(1)).fold(vec![0.0; a.cols()], larger))
}

/// `a[i, j]·rows[i]·columns[j]`, but at most 1 in absolute value.
pub(crate) fn cosines(
    device: &Arc<Device>,
    a: &Tall,
    rows: &[f64],
    columns: &[f64],
) -> Result<Tall, CudaError> {
    assert_eq!((a.rows(), a.cols()), (rows.len(), columns.len()), "shape of the panel");
    let (from, out) = (panel_of(a), PanelOnDevice::unwritten(device, a.rows(), a.cols())?);
    let mut padded = columns.to_vec();
    padded.resize(from.stride, 0.0);
    let (count, rows, columns) = (out.room.len() as u64, device.copy(rows)?, device.copy(&padded)?);
    let arguments: [&dyn Argument; 6] = [
        &count,
        &(from.stride as u32),
        &from.room.address(),
        &rows.address(),
        &columns.address(),
        &out.room.address(),
    ];
    device.launch("scale_to_cosines", File::Columns, Launch::each(count), &arguments)?;
    Ok(out.tall(a.rows(), a.cols()))
}

/// Returns the place of each of `height` columns among the chosen ones, or `u32::MAX` if the column was not
/// chosen. The first chosen column has place `first`.
pub(crate) fn places(
    device: &Arc<Device>,
    chosen: &Room<u32>,
    first: usize,
    height: usize,
) -> Result<Room<u32>, CudaError> {
    let (places, height): (Room<u32>, u64) = (device.room(height)?, height as u64);
    device.launch("no_places", File::Columns, Launch::each(height), &[&height, &places.address()])?;
    let count = chosen.len() as u64;
    let arguments: [&dyn Argument; 4] = [&count, &chosen.address(), &(first as u32), &places.address()];
    device.launch("place_columns", File::Columns, Launch::each(count), &arguments)?;
    Ok(places)
}
