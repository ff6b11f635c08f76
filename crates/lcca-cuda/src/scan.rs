//! Scans of Gram matrices that lie on a device: which columns belong together.

use crate::device::Device;
use crate::error::CudaError;
use crate::home::{GramsOnDevice, Home};
use crate::kernels::File;
use crate::launch::{Argument, Launch};
use crate::room::Room;
use crate::sparse::SparseOnDevice;
use bytemuck::{Pod, Zeroable};
use lcca::data::Side;
use lcca::space::{GramScan, GramView, HubLimits, PARTNERS, Partner, SparsePair};
use std::sync::Arc;

/// Threads of a block, of which 32 scan a row.
const THREADS: u32 = 256;
const ROWS: u64 = THREADS as u64 / 32;

/// One block of the joint Gram matrix as the kernels see it.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct BlockArgument {
    starts: u64,
    columns: u64,
    values: u64,
    kind: u64,
}

impl BlockArgument {
    fn new(block: &SparseOnDevice) -> Self {
        let (values, kind) = block.values.argument();
        BlockArgument {
            starts: block.row_offsets(),
            columns: block.columns.address(),
            values,
            kind: kind as u64,
        }
    }
}

/// The joint Gram matrix as the kernels see it.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(crate) struct GramsArgument {
    blocks: [[BlockArgument; 2]; 2],
    inverse: [u64; 2],
    means: [u64; 2],
    ridges: [f64; 2],
    weight: f64,
    identities: [i32; 2],
}

/// Gram matrices on a device, and what makes the metrics of a problem of them.
pub(crate) struct ScanOnDevice<'a> {
    pub device: &'a Arc<Device>,
    pub view: GramView<'a>,
    home: Arc<Home>,
    inverse: [Room<f64>; 2],
    means: Option<[Room<f64>; 2]>,
}

impl<'a> ScanOnDevice<'a> {
    /// Scans of the Gram matrices `home`, those of `view`; `None` if it is something else.
    pub fn new(
        device: &'a Arc<Device>,
        home: Arc<Home>,
        view: &GramView<'a>,
    ) -> Result<Option<Self>, CudaError> {
        let Home::Grams(_) = *home else { return Ok(None) };
        let copy = |numbers: &[Vec<f64>; 2]| -> Result<[Room<f64>; 2], CudaError> {
            Ok([device.copy(&numbers[0])?, device.copy(&numbers[1])?])
        };
        let (inverse, means) = (copy(view.inverse)?, view.means.map(copy).transpose()?);
        let view = GramView { ..*view };
        Ok(Some(ScanOnDevice { device, view, home, inverse, means }))
    }

    fn grams(&self) -> &GramsOnDevice {
        match &*self.home {
            Home::Grams(grams) => grams,
            Home::Rows(_) => unreachable!("scans are made of Gram matrices only"),
        }
    }

    /// What kernels are given.
    pub fn argument(&self) -> GramsArgument {
        let addresses = |rooms: &[Room<f64>; 2]| rooms.each_ref().map(Room::address);
        GramsArgument {
            blocks: self.grams().blocks.each_ref().map(|row| row.each_ref().map(BlockArgument::new)),
            inverse: addresses(&self.inverse),
            means: self.means.as_ref().map_or([0; 2], addresses),
            ridges: self.view.ridges,
            weight: self.view.joint.moments(Side::X).weight,
            identities: self.view.identities.map(i32::from),
        }
    }

    /// Columns of a view.
    fn columns(&self, side: Side) -> usize {
        self.view.inverse[side as usize].len()
    }

    /// What a kernel finds for each column of a view. `more` are its arguments between the view and the results.
    fn partners(
        &self,
        kernel: &'static str,
        side: Side,
        more: &[&dyn Argument],
    ) -> Result<Vec<Partner>, CudaError> {
        let rows = self.columns(side);
        let (columns, products): (Room<u32>, Room<f64>) = (self.device.room(rows)?, self.device.room(rows)?);
        let (count, grams, view) = (rows as u64, self.argument(), side as i32);
        let (to_columns, to_products) = (columns.address(), products.address());
        let mut arguments: Vec<&dyn Argument> = vec![&count, &grams, &view];
        arguments.extend(more);
        arguments.extend([&to_columns as &dyn Argument, &to_products]);
        self.device.launch(kernel, File::Scan, Launch::blocks(count.div_ceil(ROWS), THREADS), &arguments)?;
        let pairs = columns.to_vec()?.into_iter().zip(products.to_vec()?);
        Ok(pairs.map(|(column, product)| Partner { column, product }).collect())
    }

    fn nearest_of(&self, side: Side, fewest: u64) -> Result<Vec<Partner>, CudaError> {
        let counts = self.device.copy(&self.view.joint.moments(side).nonzero)?;
        self.partners("nearest_columns", side, &[&counts.address(), &fewest])
    }

    fn explained_of(&self, side: Side, limits: HubLimits) -> Result<Vec<f64>, CudaError> {
        let rows = self.columns(side) as u64;
        let out: Room<f64> = self.device.room(rows as usize)?;
        self.device.launch(
            "explained_squares",
            File::Scan,
            Launch::blocks(rows.div_ceil(ROWS), THREADS),
            &[&rows, &self.argument(), &(side as i32), &limits.explained, &limits.alone, &out.address()],
        )?;
        out.to_vec()
    }

    fn hubs_of(
        &self,
        side: Side,
        hubs: &[u32],
        limits: HubLimits,
    ) -> Result<Vec<Option<SparsePair>>, CudaError> {
        let (device, count) = (self.device, hubs.len());
        let (numbers, sizes): (_, Room<u32>) = (device.copy(hubs)?, device.room(count)?);
        let (columns, weights): (Room<u32>, Room<f64>) =
            (device.room(count * PARTNERS)?, device.room(count * PARTNERS)?);
        let objectives: Room<f64> = device.room(count)?;
        device.launch(
            "hub_witnesses",
            File::Scan,
            Launch::blocks(count as u64, THREADS),
            &[
                &self.argument(),
                &(side as i32),
                &numbers.address(),
                &limits.explained,
                &limits.largest,
                &limits.epsilon,
                &sizes.address(),
                &columns.address(),
                &weights.address(),
                &objectives.address(),
            ],
        )?;
        let (sizes, objectives) = (sizes.to_vec()?, objectives.to_vec()?);
        let (columns, weights) = (columns.to_vec()?, weights.to_vec()?);
        let pair = |hub: usize| {
            let size = sizes[hub] as usize;
            let own = hub * PARTNERS..hub * PARTNERS + size;
            let root = self.view.inverse[side as usize][hubs[hub] as usize].sqrt();
            let mut pair = SparsePair {
                columns: [vec![hubs[hub]], columns[own.clone()].to_vec()],
                weights: [vec![root], weights[own].to_vec()],
                objective: objectives[hub].min(1.0),
            };
            if side == Side::Y {
                pair.columns.swap(0, 1);
                pair.weights.swap(0, 1);
            }
            (size > 0).then_some(pair)
        };
        Ok((0..count).map(pair).collect())
    }
}

/// What was found, or nothing if the device has too little memory: the host looks for it then.
pub(crate) fn unless_full<T>(found: Result<T, CudaError>) -> lcca::Result<Option<T>> {
    match found {
        Err(CudaError::Memory { .. }) => Ok(None),
        found => Ok(Some(found?)),
    }
}

impl GramScan for ScanOnDevice<'_> {
    fn nearest(&self, fewest: u64) -> lcca::Result<Option<[Vec<Partner>; 2]>> {
        let of_view = |side: Side| self.nearest_of(side, fewest);
        unless_full(of_view(Side::X).and_then(|x| Ok([x, of_view(Side::Y)?])))
    }

    fn strongest(&self, faint: f64) -> lcca::Result<Option<[Vec<Partner>; 2]>> {
        let of_view = |side: Side| self.partners("strongest_columns", side, &[&faint]);
        unless_full(of_view(Side::X).and_then(|x| Ok([x, of_view(Side::Y)?])))
    }

    fn explained(&self, side: Side, limits: HubLimits) -> lcca::Result<Option<Vec<f64>>> {
        unless_full(self.explained_of(side, limits))
    }

    fn hubs(
        &self,
        side: Side,
        columns: &[u32],
        limits: HubLimits,
    ) -> lcca::Result<Option<Vec<Option<SparsePair>>>> {
        unless_full(self.hubs_of(side, columns, limits))
    }

    fn grown(&self, seeds: &[[Vec<u32>; 2]]) -> lcca::Result<Option<Vec<SparsePair>>> {
        Ok(unless_full(self.grow(seeds))?.flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_kernels() {
        let source = include_str!("../kernels/scan.cu");
        for line in [
            format!("#define THREADS {THREADS}\n"),
            "#define WARP 32\n".into(),
            format!("#define PARTNERS {PARTNERS}\n"),
        ] {
            assert!(source.contains(&line), "{line}");
        }
        assert_eq!(lcca::space::SUM_LANES, 32);
    }
}
