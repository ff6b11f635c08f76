//! Searches Gram matrices that lie on a device before the first iteration.

use crate::error::CudaError;
use crate::scan::ScanOnDevice;
use lcca::data::Side;
use lcca::space::{GramScan, HubLimits, Matches, ScaledProduct, SparsePair, TwinLimits};

/// Returns the result, or `None` if the device has too little memory, because the host then does the work.
pub(crate) fn unless_full<T>(found: Result<T, CudaError>) -> lcca::Result<Option<T>> {
    match found {
        Err(CudaError::Memory { .. }) => Ok(None),
        found => Ok(Some(found?)),
    }
}

impl GramScan for ScanOnDevice<'_> {
    fn twins(&self, limits: TwinLimits) -> lcca::Result<Option<[Vec<ScaledProduct>; 2]>> {
        let of_view = |side: Side| self.list_twins(side, limits);
        unless_full(of_view(Side::X).and_then(|x| Ok([x, of_view(Side::Y)?])))
    }

    fn matched_twins(
        &self,
        x: &[ScaledProduct],
        y: &[ScaledProduct],
        faint: f64,
    ) -> lcca::Result<Option<Matches>> {
        Ok(unless_full(self.match_twins(x, y, faint))?.flatten())
    }

    fn strongest(&self, faint: f64, most: usize) -> lcca::Result<Option<Vec<ScaledProduct>>> {
        let listed = unless_full(self.list_strongest(faint, most))?;
        Ok(listed.map(|listed| listed.into_iter().map(ScaledProduct::from).collect()))
    }

    fn explained(&self, side: Side, limits: HubLimits) -> lcca::Result<Option<Vec<(f64, u32)>>> {
        let listed = unless_full(self.list_explained(side, limits))?;
        Ok(listed.map(|listed| listed.iter().map(|entry| (entry.product, entry.columns[0])).collect()))
    }

    fn hubs(
        &self,
        side: Side,
        columns: &[u32],
        limits: HubLimits,
    ) -> lcca::Result<Option<Vec<Option<SparsePair>>>> {
        unless_full(self.find_hubs(side, columns, limits))
    }

    fn grown(&self, seeds: &[[Vec<u32>; 2]]) -> lcca::Result<Option<Vec<SparsePair>>> {
        Ok(unless_full(self.grow(seeds))?.flatten())
    }
}
