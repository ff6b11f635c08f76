//! Scans Gram matrices that lie on a device for columns that belong together.
//!
//! Kernels go through all entries, and only lists of their results are copied to the host.

use crate::device::Device;
use crate::error::CudaError;
use crate::home::{GramsOnDevice, Home};
use crate::kernels::File;
use crate::launch::{Argument, Launch};
use crate::room::Room;
use crate::sparse::SparseOnDevice;
use bytemuck::{Pod, Zeroable};
use lcca::data::Side;
use lcca::space::{GramView, HubLimits, SEGMENT, ScaledProduct};
use rayon::prelude::*;
use std::sync::Arc;

/// The threads of a block. Of these, 32 scan a short row.
const THREADS: u32 = 1024;
/// The number of short rows that a block scans.
const ROWS: u64 = THREADS as u64 / 32;
/// The number of bins by which the largest products are found.
const BINS: usize = 1 << 15;

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

/// An entry of a list, as the kernels see it.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(crate) struct Entry {
    pub product: f64,
    pub columns: [u32; 2],
}

impl From<Entry> for ScaledProduct {
    fn from(Entry { product, columns }: Entry) -> Self {
        ScaledProduct { product, columns }
    }
}

/// A list that kernels add to, in any order.
pub(crate) struct List {
    pub count: Room<u32>,
    pub entries: Room<Entry>,
}

impl List {
    /// Makes an empty list with room for `most` entries.
    pub fn new(device: &Arc<Device>, most: usize) -> Result<Self, CudaError> {
        Ok(List { count: device.zeros(1)?, entries: device.room(most)? })
    }

    pub fn read(&self) -> Result<Vec<Entry>, CudaError> {
        self.entries.first_to_vec(self.count.to_vec()?[0] as usize)
    }
}

/// The partner that was found for each column of a view, and their product.
pub(crate) struct Partners {
    pub columns: Room<u32>,
    pub products: Room<f64>,
}

/// Gram matrices on a device, and the numbers that turn them into the metrics of a problem.
pub(crate) struct ScanOnDevice<'a> {
    pub device: &'a Arc<Device>,
    pub view: GramView<'a>,
    home: Arc<Home>,
    inverse: [Room<f64>; 2],
    means: Option<[Room<f64>; 2]>,
    /// The rows of each block that are cut into segments.
    long_rows: [[Room<u32>; 2]; 2],
}

impl<'a> ScanOnDevice<'a> {
    /// Prepares scans of the Gram matrices `home`, which are those of `view`. Returns `None` if `home` has
    /// rows instead.
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
        let long = |target: Side, source: Side| -> Result<Room<u32>, CudaError> {
            let block = view.joint.block(target, source);
            let is_long = |&row: &u32| block.row_entries(row as usize) > SEGMENT as u64;
            device.copy(&(0..block.rows() as u32).into_par_iter().filter(is_long).collect::<Vec<u32>>())
        };
        let long_rows = [
            [long(Side::X, Side::X)?, long(Side::X, Side::Y)?],
            [long(Side::Y, Side::X)?, long(Side::Y, Side::Y)?],
        ];
        let view = GramView { ..*view };
        Ok(Some(ScanOnDevice { device, view, home, inverse, means, long_rows }))
    }

    fn grams(&self) -> &GramsOnDevice {
        match &*self.home {
            Home::Grams(grams) => grams,
            Home::Rows(_) => unreachable!("scans are made of Gram matrices only"),
        }
    }

    /// Returns the Gram matrices as an argument of kernels.
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

    /// The number of columns of a view.
    pub fn columns(&self, side: Side) -> usize {
        self.view.inverse[side as usize].len()
    }

    /// Takes room for the partner of each column of a view.
    pub fn partners(&self, side: Side) -> Result<Partners, CudaError> {
        let rows = self.columns(side);
        Ok(Partners { columns: self.device.room(rows)?, products: self.device.room(rows)? })
    }

    /// Scans the rows of a block. `more` are the arguments of the kernel after the rows.
    pub fn scan_rows(
        &self,
        kernel: &'static str,
        [side, other]: [Side; 2],
        more: &[&dyn Argument],
    ) -> Result<(), CudaError> {
        let (rows, long) = (self.columns(side) as u64, &self.long_rows[side as usize][other as usize]);
        let (grams, view, numbers, many) = (self.argument(), side as i32, long.address(), long.len() as u64);
        let mut arguments: Vec<&dyn Argument> = vec![&rows, &grams, &view, &numbers, &many];
        arguments.extend(more);
        let blocks = Launch::blocks(many + rows.div_ceil(ROWS), THREADS);
        self.device.launch(kernel, File::Scan, blocks, &arguments)
    }

    /// Runs a kernel over `count` numbers.
    pub fn launch_each(
        &self,
        kernel: &'static str,
        count: u64,
        arguments: &[&dyn Argument],
    ) -> Result<(), CudaError> {
        self.device.launch_each(kernel, File::Scan, count, arguments)
    }

    /// Lists pairs of columns of both views that are the strongest pair of one of their columns: the `most`
    /// largest, and perhaps others, because whole bins are listed.
    pub fn list_strongest(&self, faint: f64, most: usize) -> Result<Vec<Entry>, CudaError> {
        let views = [self.partners(Side::X)?, self.partners(Side::Y)?];
        let (counts, bins): (Room<u32>, _) = (self.device.zeros(BINS)?, BINS as u32);
        for (side, found) in Side::BOTH.into_iter().zip(&views) {
            let (rows, columns, products) =
                (self.columns(side) as u64, found.columns.address(), found.products.address());
            self.scan_rows("strongest_columns", [side, side.other()], &[&faint, &columns, &products])?;
            self.launch_each("count_products", rows, &[&rows, &products, &faint, &bins, &counts.address()])?;
        }
        let (first, count) = first_bin(&counts.to_vec()?, most);
        let list = List::new(self.device, count)?;
        for (side, found) in Side::BOTH.into_iter().zip(&views) {
            let (rows, columns, products) =
                (self.columns(side) as u64, found.columns.address(), found.products.address());
            let (count, entries) = (list.count.address(), list.entries.address());
            self.launch_each(
                "list_products",
                rows,
                &[&rows, &columns, &products, &faint, &bins, &first, &(side as i32), &count, &entries],
            )?;
        }
        list.read()
    }

    /// Lists columns of a view that may have many partners.
    pub fn list_explained(&self, side: Side, limits: HubLimits) -> Result<Vec<Entry>, CudaError> {
        let list = List::new(self.device, self.columns(side))?;
        let (count, entries) = (list.count.address(), list.entries.address());
        let more: [&dyn Argument; 4] = [&limits.explained, &limits.alone, &count, &entries];
        self.scan_rows("explained_squares", [side, side.other()], &more)?;
        list.read()
    }
}

/// Returns the last bin such that it and the bins after it hold at least `most` products, and the number
/// that they hold. If all bins hold fewer, this is the first bin.
fn first_bin(counts: &[u32], most: usize) -> (u32, usize) {
    let (mut first, mut held) = (counts.len(), 0);
    while first > 0 && held < most {
        first -= 1;
        held += counts[first] as usize;
    }
    (first as u32, held)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_kernels() {
        let source = include_str!("../kernels/scan.cu");
        for line in [
            format!("#define THREADS {THREADS}\n"),
            format!("#define WARP {}\n", lcca::space::SUM_LANES),
            format!("#define SEGMENT {SEGMENT}\n"),
        ] {
            assert!(source.contains(&line), "{line}");
        }
    }

    #[test]
    fn as_many_bins_are_listed_as_hold_enough() {
        assert_eq!(first_bin(&[7, 3, 0, 2, 5], 5), (4, 5));
        assert_eq!(first_bin(&[7, 3, 0, 2, 5], 6), (3, 7));
        assert_eq!(first_bin(&[7, 3, 0, 2, 5], 8), (1, 10));
        assert_eq!(first_bin(&[7, 3, 0, 2, 5], 100), (0, 17));
        assert_eq!(first_bin(&[1, 1], 0), (2, 0));
    }
}
