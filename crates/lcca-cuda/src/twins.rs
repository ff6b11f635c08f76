//! Columns that are nearly multiples of another one, from Gram matrices that lie on a device.

use crate::error::CudaError;
use crate::kernels::File;
use crate::launch::{Argument, Launch};
use crate::room::Room;
use crate::scan::{Entry, List, ScanOnDevice};
use lcca::data::Side;
use lcca::space::{Matches, ScaledProduct, TwinLimits};

/// The number of threads that compare one pair of twins with all of the other view, as in scan.cu.
const THREADS: u32 = 1024;
/// The most pairs that are compared at a time, each with two rows of the Gram matrix in full.
const AT_A_TIME: u64 = 256;
/// The share of free memory that these rows may take.
const SHARE: u64 = 4;
/// The place that kernels report if there is no pair.
const NOBODY: u32 = u32::MAX;

impl ScanOnDevice<'_> {
    /// Lists the pairs of twins of a view, in any order.
    pub fn list_twins(&self, side: Side, limits: TwinLimits) -> Result<Vec<ScaledProduct>, CudaError> {
        let (rows, found) = (self.columns(side) as u64, self.partners(side)?);
        let (columns, products) = (found.columns.address(), found.products.address());
        let counts = self.device.copy(&self.view.joint.moments(side).nonzero)?;
        self.scan_rows(
            "nearest_columns",
            [side, side],
            &[&counts.address(), &limits.fewest, &columns, &products],
        )?;
        let list = List::new(self.device, rows as usize)?;
        let (count, entries) = (list.count.address(), list.entries.address());
        let arguments: [&dyn Argument; 7] =
            [&rows, &columns, &products, &limits.least, &limits.same, &count, &entries];
        self.launch_each("list_twins", rows, &arguments)?;
        Ok(list.read()?.into_iter().map(ScaledProduct::from).collect())
    }

    /// Finds the best pair of Y for each pair of twins of X. Returns `None` if there is too little memory.
    pub fn match_twins(
        &self,
        x: &[ScaledProduct],
        y: &[ScaledProduct],
        faint: f64,
    ) -> Result<Option<Matches>, CudaError> {
        let (device, cols) = (self.device, self.columns(Side::Y) as u64);
        let blocks = (device.free() / SHARE / (16 * cols).max(1)).min(AT_A_TIME).min(x.len() as u64);
        if blocks == 0 {
            return Ok(None);
        }
        let copy = |twins: &[ScaledProduct]| {
            let entries = twins.iter().map(|&ScaledProduct { product, columns }| Entry { product, columns });
            device.copy(&entries.collect::<Vec<Entry>>())
        };
        let (own, others, rows): (_, _, Room<f64>) =
            (copy(x)?, copy(y)?, device.zeros((2 * cols * blocks) as usize)?);
        let (places, correlations): (Room<u32>, Room<f64>) = (device.room(x.len())?, device.room(x.len())?);
        device.launch(
            "compare_twins",
            File::Scan,
            Launch::blocks(blocks, THREADS),
            &[
                &self.argument(),
                &(x.len() as u32),
                &own.address(),
                &(y.len() as u32),
                &others.address(),
                &faint,
                &rows.address(),
                &cols,
                &places.address(),
                &correlations.address(),
            ],
        )?;
        let found = places.to_vec()?.into_iter().zip(correlations.to_vec()?);
        let matched =
            found.map(|(place, correlation)| (place != NOBODY).then_some((correlation, place as usize)));
        Ok(Some(matched.collect()))
    }
}
