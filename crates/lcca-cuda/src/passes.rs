//! Passes over rows or Gram matrices on a device.

use crate::dense::panel::{At, PanelOnDevice, column_sums, panel_of};
use crate::runtime::launch::Argument;
use crate::runtime::room::Room;
use crate::scattered::home::{GramsOnDevice, Home};
use crate::scattered::rows::Chunk;
use crate::scattered::sparse::Output;
use crate::space::Cuda;
use lcca::data::{Composition, InMemory};
use lcca::error::Result;
use lcca::space::Tall;

/// The panel with which a view's rows are multiplied in a pass.
struct SourceOnDevice {
    at: At,
    /// A row that is subtracted from every product.
    offset: Option<Room<f64>>,
    /// The panel behind `at`, if it is a scaled copy.
    _scaled: Option<PanelOnDevice>,
}

impl Cuda {
    /// Runs a pass over the rows or Gram matrices `home`, which are on the device.
    pub(crate) fn pass_here(
        &self,
        home: &Home,
        composition: &Composition<'_>,
        sources: [Option<&Tall>; 2],
        targets: &[[Option<&mut Tall>; 2]; 2],
    ) -> Result<()> {
        let [x, y] = composition.factors.map(|factors| factors.map(|factors| self.device.copy(factors)));
        let factors = [x.transpose()?, y.transpose()?];
        let mut from = [None, None];
        for side in 0..2 {
            if let Some(source) = sources[side] {
                from[side] =
                    Some(self.source(source, factors[side].as_ref(), composition.means.map(|m| m[side]))?);
            }
        }
        match home {
            Home::Grams(grams) => self.gram_products(grams, &from, targets)?,
            Home::Rows(rows) => {
                let Some(pair) = composition.home.downcast_ref::<InMemory>() else {
                    unreachable!("rows on the device are a copy of rows in memory")
                };
                let mut is_first = true;
                rows.for_each_chunk(&self.device, pair, |chunk| {
                    let result = self.row_products(chunk, &from, targets, !is_first);
                    is_first = false;
                    result
                })?;
            }
        }
        for (target, row) in targets.iter().enumerate() {
            for out in row.iter().flatten() {
                self.finish_product(out, factors[target].as_ref(), composition.dead[target])?;
            }
        }
        Ok(())
    }

    /// Prepares the panel with which a view's rows are multiplied: scales its rows by factors, and forms
    /// its product with the means.
    fn source(
        &self,
        panel: &Tall,
        factors: Option<&Room<f64>>,
        means: Option<&[f64]>,
    ) -> Result<SourceOnDevice> {
        let mut at = panel_of(panel).at();
        let mut scaled = None;
        if let Some(factors) = factors {
            let copy = PanelOnDevice::unwritten(&self.device, panel.rows(), panel.cols())?;
            let (count, to) = ((panel.rows() * at.stride) as u64, copy.room.address());
            let arguments: [&dyn Argument; 5] =
                [&count, &(at.stride as u32), &to, &at.address, &factors.address()];
            self.launch_each("scaled_copy", count, &arguments)?;
            at = copy.at();
            scaled = Some(copy);
        }
        let offset = match means {
            Some(means) => {
                let means = self.device.copy(means)?;
                Some(column_sums(&self.device, panel.rows(), at, 0, means.address())?)
            }
            None => None,
        };
        Ok(SourceOnDevice { at, offset, _scaled: scaled })
    }

    /// Forms products with blocks of the Gram matrix, and centers them afterwards.
    fn gram_products(
        &self,
        grams: &GramsOnDevice,
        from: &[Option<SourceOnDevice>; 2],
        targets: &[[Option<&mut Tall>; 2]; 2],
    ) -> Result<()> {
        for (target, row) in targets.iter().enumerate() {
            for source in 0..2 {
                let (Some(out), Some(SourceOnDevice { at, offset, .. })) = (&row[source], &from[source])
                else {
                    continue;
                };
                let address = panel_of(out).room.address();
                let output = Output { address, offset: 0, weights: 0, adds: false };
                grams.blocks[target][source].gather(at.address, at.stride, &output)?;
                if let Some(offset) = offset {
                    let (count, sums) = ((out.rows() * at.stride) as u64, grams.sums[target].address());
                    let arguments: [&dyn Argument; 5] =
                        [&count, &(at.stride as u32), &address, &sums, &offset.address()];
                    self.launch_each("subtract_outer", count, &arguments)?;
                }
            }
        }
        Ok(())
    }

    /// Forms the products of some rows, and centers them row by row.
    fn row_products(
        &self,
        chunk: &Chunk,
        from: &[Option<SourceOnDevice>; 2],
        targets: &[[Option<&mut Tall>; 2]; 2],
        adds: bool,
    ) -> Result<()> {
        let weights = chunk.weights();
        for (source, from) in from.iter().enumerate() {
            let Some(SourceOnDevice { at, offset, .. }) = from else { continue };
            let z: Room<f64> = self.device.room(chunk.rows * at.stride)?;
            let offset = offset.as_ref().map_or(0, Room::address);
            chunk.views[source].multiply(&self.device, chunk.rows, *at, z.address(), offset, weights)?;
            let z = At { address: z.address(), stride: at.stride };
            for (view, row) in chunk.views.iter().zip(targets) {
                if let Some(out) = &row[source] {
                    view.scatter(&self.device, chunk.rows, z, panel_of(out).room.address(), adds)?;
                }
            }
        }
        Ok(())
    }

    /// Scales the rows of a product and clears those of dead columns.
    fn finish_product(&self, out: &Tall, factors: Option<&Room<f64>>, dead: &[usize]) -> Result<()> {
        let panel = panel_of(out);
        let (address, stride) = (panel.room.address(), panel.stride as u32);
        if let Some(factors) = factors {
            let count = panel.room.len() as u64;
            self.launch_each("scale_rows", count, &[&count, &stride, &address, &factors.address()])?;
        }
        if !dead.is_empty() {
            let numbers: Vec<u32> = dead.iter().map(|&column| column as u32).collect();
            let (count, numbers) = ((dead.len() * panel.stride) as u64, self.device.copy(&numbers)?);
            self.launch_each("clear_rows", count, &[&count, &stride, &address, &numbers.address()])?;
        }
        Ok(())
    }
}
