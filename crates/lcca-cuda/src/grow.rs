//! Grows pairs of directions on few columns, from Gram matrices that lie on a device.

use crate::error::CudaError;
use crate::kernels::File;
use crate::launch::Launch;
use crate::room::Room;
use crate::scan::ScanOnDevice;
use bytemuck::{Pod, Zeroable};
use lcca::space::{MOST_GROWN, SparsePair};

/// The number of threads that grow a pair, as in grow.cu.
const THREADS: u32 = 512;
/// The most pairs that grow at a time, each with a number for every column of both views.
const AT_A_TIME: u64 = 384;
/// The share of free memory that these numbers may take.
const SHARE: u64 = 4;

/// A seed, and the pair that grew from it, as the kernel sees them.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
struct PairOnDevice {
    sizes: [u32; 2],
    columns: [[u32; MOST_GROWN]; 2],
    weights: [[f64; MOST_GROWN]; 2],
    objective: f64,
}

impl PairOnDevice {
    /// Lays a seed out for the kernel. Returns `None` if it has more columns than fit.
    fn new(seed: &[Vec<u32>; 2]) -> Option<Self> {
        let mut pair = PairOnDevice::zeroed();
        for (side, columns) in seed.iter().enumerate() {
            pair.sizes[side] = columns.len() as u32;
            pair.columns[side].get_mut(..columns.len())?.copy_from_slice(columns);
        }
        // There must be room for the columns that join.
        seed.iter().all(|columns| columns.len() <= 2).then_some(pair)
    }

    fn read(&self) -> SparsePair {
        let size = |side: usize| self.sizes[side] as usize;
        SparsePair {
            columns: [0, 1].map(|side| self.columns[side][..size(side)].to_vec()),
            weights: [0, 1].map(|side| self.weights[side][..size(side)].to_vec()),
            objective: self.objective,
        }
    }
}

impl ScanOnDevice<'_> {
    /// Grows pairs from seeds of at most two columns of each view. Returns `None` if a seed is larger, or
    /// if there is too little memory.
    pub fn grow(&self, seeds: &[[Vec<u32>; 2]]) -> Result<Option<Vec<SparsePair>>, CudaError> {
        let Some(mut pairs) = seeds.iter().map(PairOnDevice::new).collect::<Option<Vec<_>>>() else {
            return Ok(None);
        };
        let [x_cols, y_cols] = self.view.inverse.each_ref().map(|inverse| inverse.len() as u64);
        let bytes = 8 * (x_cols + y_cols);
        let blocks = (self.device.free() / SHARE / bytes.max(1)).min(AT_A_TIME).min(pairs.len() as u64);
        if pairs.is_empty() || blocks == 0 {
            return Ok(pairs.is_empty().then(Vec::new));
        }
        let sums: Room<f64> = self.device.zeros((blocks * (x_cols + y_cols)) as usize)?;
        let (here, next): (Room<PairOnDevice>, Room<u32>) =
            (self.device.copy(&pairs)?, self.device.zeros(1)?);
        self.device.launch(
            "grow_pairs",
            File::Grow,
            Launch::blocks(blocks, THREADS),
            &[
                &(pairs.len() as u32),
                &self.argument(),
                &here.address(),
                &sums.address(),
                &x_cols,
                &y_cols,
                &next.address(),
            ],
        )?;
        here.read_into(&mut pairs)?;
        Ok(Some(pairs.iter().map(PairOnDevice::read).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lcca::space::{ADDED, ROUNDS};

    #[test]
    fn constants_are_those_of_the_kernels() {
        let source = include_str!("../kernels/grow.cu");
        for line in [
            format!("#define THREADS {THREADS}\n"),
            format!("#define ROUNDS {ROUNDS}\n"),
            format!("#define ADDED {ADDED}\n"),
            format!("#define MOST_GROWN {MOST_GROWN}\n"),
            format!("#define CUT {:e}\n", lcca::whiten::CUT),
        ] {
            assert!(source.contains(&line), "{line}");
        }
    }

    #[test]
    fn seeds_with_more_columns_than_fit_are_declined() {
        let seed = |x: u32, y: u32| [(0..x).collect::<Vec<u32>>(), (0..y).collect()];
        assert!(PairOnDevice::new(&seed(2, 1)).is_some_and(|pair| pair.sizes == [2, 1]));
        assert!(PairOnDevice::new(&seed(3, 1)).is_none() && PairOnDevice::new(&seed(1, 9)).is_none());
    }
}
