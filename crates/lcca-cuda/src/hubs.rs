//! Witnesses of one column against many, from Gram matrices that lie on a device.

use crate::error::CudaError;
use crate::kernels::File;
use crate::launch::Launch;
use crate::room::Room;
use crate::scan::ScanOnDevice;
use lcca::data::Side;
use lcca::space::{HubLimits, PARTNERS, SparsePair};

/// The number of threads that find one witness, as in hubs.cu.
const THREADS: u32 = 512;

impl ScanOnDevice<'_> {
    /// Returns the witness of each of some columns of a view and its partners, if there is one.
    pub fn find_hubs(
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
            File::Hubs,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_are_those_of_the_kernels() {
        let source = include_str!("../kernels/hubs.cu");
        for line in [format!("#define THREADS {THREADS}\n"), format!("#define PARTNERS {PARTNERS}\n")] {
            assert!(source.contains(&line), "{line}");
        }
    }
}
