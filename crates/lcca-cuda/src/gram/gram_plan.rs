//! The cost of the joint Gram matrix of sparse rows on a device: pairs of entries, and bytes.

use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::room::Room;
use crate::scattered::entries::Entries;
use crate::scattered::sort::{bytes_to_sort, scan};
use lcca::data::{InMemory, Pair, Side};
use lcca::matrix::{Matrix, SparseRows, Values};
use rayon::prelude::*;
use std::sync::Arc;

/// The least number of pairs of entries for which the device is quicker than the host.
const WORTHWHILE: u64 = 1 << 22;
/// The least number of rows whose pairs one thread counts at a time.
const COUNTED: usize = 1 << 14;
/// The bytes per entry while a block is put together: both triangles as keys and values, and the block
/// itself.
pub(crate) const PUT_TOGETHER: u64 = 64;
/// The most bytes that a key leaves behind if blocks are kept: those of an entry and its mirror image.
const KEPT: u64 = 24;

/// The work and the memory that the joint Gram matrix of two sparse views takes on a device.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Plan {
    /// Keys of XᵀX, XᵀY and YᵀY.
    pub keys: [u64; 3],
    bytes: u64,
}

/// The facts about a view on which the memory of a Gram matrix depends.
struct ViewSize {
    cols: usize,
    has_values: bool,
    bytes: u64,
}

impl Plan {
    /// Plans the Gram matrix of a pair. Returns `None` if pairs of entries are too many to be counted, or
    /// if a view is not sparse; for example, the Gram matrix of a one-hot view is known from its moments.
    pub fn new(pair: &InMemory) -> Option<Self> {
        let [x, y] = Side::BOTH.map(|side| match pair.view(side) {
            Matrix::Sparse(rows) => Some(rows),
            _ => None,
        });
        let (x, y) = (x?, y?);
        let view = |view: &SparseRows| {
            let width = match view.values() {
                Values::Ones => 4,
                Values::F32(_) => 8,
                Values::F64(_) => 12,
            };
            let bytes = 8 * (view.rows() as u64 + 1) + width * view.entries();
            ViewSize { cols: view.cols(), has_values: width > 4, bytes }
        };
        Plan::with(pair, count_pairs(x, y)?, [view(x), view(y)])
    }

    /// Plans the Gram matrix of entries that already lie on the device, in which columns may be repeated.
    /// Returns `None` if pairs of entries are too many to be counted.
    pub fn of_entries(
        device: &Arc<Device>,
        pair: &InMemory,
        [x, y]: [&Entries; 2],
    ) -> Result<Option<Self>, CudaError> {
        let count = |a: &Entries, b: Option<&Entries>| {
            let starts = pair_starts(device, a, b)?;
            starts.get(starts.len() - 1)
        };
        let pairs = [count(x, None)?, count(x, Some(y))?, count(y, None)?];
        let view = |view: &Entries| ViewSize {
            cols: view.cols,
            has_values: view.values().is_some(),
            bytes: view.bytes(),
        };
        Ok(Plan::with(pair, pairs, [view(x), view(y)]))
    }

    fn with(pair: &InMemory, pairs: [u64; 3], [x, y]: [ViewSize; 2]) -> Option<Self> {
        // Every column has a key on the diagonal.
        let keys = [pairs[0].checked_add(x.cols as u64)?, pairs[1], pairs[2].checked_add(y.cols as u64)?];
        // The limit is that low because lengths are also added up in bytes.
        if keys.iter().any(|&keys| keys > 1 << 48) {
            return None;
        }
        let is_weighted = pair.weights().is_some();
        let has_values = [x.has_values, x.has_values || y.has_values, y.has_values];
        let sorting = keys.iter().zip(has_values);
        let sorting = sorting.map(|(&keys, has_values)| bytes_to_sort(keys, has_values || is_weighted));
        // Weights, the first pair of every row, and the memory that prefix sums of these need.
        let rows = 3 * 8 * (pair.shape().rows as u64 + 1);
        Some(Plan { keys, bytes: x.bytes + y.bytes + rows + sorting.max().unwrap_or(0) })
    }

    /// The number of pairs of entries, plus one for every column.
    fn pairs(&self) -> u64 {
        self.keys.iter().sum()
    }

    /// Whether the device is quicker than the host.
    pub fn pays(&self) -> bool {
        self.pairs() >= WORTHWHILE
    }

    /// Whether this plan takes no more bytes than another, and at most one in `spare` pairs more.
    pub fn is_as_small_as(&self, other: &Plan, spare: u64) -> bool {
        self.bytes <= other.bytes && self.pairs() <= other.pairs() + other.pairs() / spare
    }

    /// Whether the device has the memory for the keys if `present` bytes of the rows already lie there.
    /// Whether the entries fit as well is only known once they are counted.
    pub fn fits(&self, device: &Device, present: u64) -> bool {
        self.bytes.saturating_sub(present) <= device.free()
    }

    /// Whether the device has the memory to keep blocks while the others are formed, however many entries
    /// they have.
    pub fn keeps(&self, device: &Device) -> bool {
        let each = KEPT + PUT_TOGETHER;
        self.bytes.saturating_add(self.pairs().saturating_mul(each)) <= device.free()
    }
}

/// Returns the first pair of every row of AᵀB, or of the upper triangle of AᵀA if there is no B, and the
/// end.
pub(crate) fn pair_starts(
    device: &Arc<Device>,
    a: &Entries,
    b: Option<&Entries>,
) -> Result<Room<u64>, CudaError> {
    let (rows, other) = (a.starts.len() as u64 - 1, b.map_or(0, |b| b.starts.address()));
    let starts: Room<u64> = device.room(a.starts.len())?;
    device.launch_each(
        "count_pairs",
        File::Pairs,
        rows + 1,
        &[&rows, &a.starts.address(), &other, &starts.address()],
    )?;
    scan(device, &starts)?;
    Ok(starts)
}

/// The number of places in a triangle with its diagonal; `None` if it overflows.
fn triangle(size: u64) -> Option<u64> {
    Some(size.checked_mul(size.checked_add(1)?)? / 2)
}

/// Counts the pairs of entries of XᵀX, XᵀY and YᵀY. Returns `None` if they are too many to be counted.
fn count_pairs(x: &SparseRows, y: &SparseRows) -> Option<[u64; 3]> {
    let (a, b) = (x.offsets().as_slice(), y.offsets().as_slice());
    let add = |sums: [u64; 3], more: [u64; 3]| -> Option<[u64; 3]> {
        Some([sums[0].checked_add(more[0])?, sums[1].checked_add(more[1])?, sums[2].checked_add(more[2])?])
    };
    let of_row = |row: usize| -> Option<[u64; 3]> {
        let [r, s] = [a, b].map(|offsets| offsets[row + 1].get() - offsets[row].get());
        Some([triangle(r)?, r.checked_mul(s)?, triangle(s)?])
    };
    (0..x.rows())
        .into_par_iter()
        .with_min_len(COUNTED)
        .map(of_row)
        .try_fold(|| [0; 3], |sums, more| add(sums, more?))
        .try_reduce(|| [0; 3], add)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lcca::matrix::{Buffer, DenseRows, DenseValues, OneHotRows};

    fn sparse(cols: usize, lengths: &[u64], values: fn(usize) -> Values) -> SparseRows {
        let mut offsets = vec![0u64];
        let mut columns = Vec::new();
        for &length in lengths {
            columns.extend(0..length as u32);
            offsets.push(columns.len() as u64);
        }
        let values = values(columns.len());
        SparseRows::new(cols, offsets.into(), columns.into(), values).unwrap()
    }

    fn numbers(count: usize) -> Buffer<f64> {
        vec![0.5; count].into()
    }

    #[test]
    fn pairs_are_counted_row_by_row() {
        let (x, y) = (sparse(9, &[0, 1, 5, 9], |_| Values::Ones), sparse(4, &[3, 0, 4, 1], |_| Values::Ones));
        assert_eq!(count_pairs(&x, &y), Some([1 + 15 + 45, 20 + 9, 6 + 10 + 1]));
        // A range of rows shares the entries of all rows.
        assert_eq!(count_pairs(&x.slice(1..3), &y.slice(1..3)), Some([16, 20, 10]));
        assert_eq!(triangle(u64::MAX), None);
    }

    #[test]
    fn other_views_than_sparse_ones_are_declined_and_so_is_too_little_memory() {
        let rows = || sparse(9, &[2, 1, 5, 9], |_| Values::Ones);
        let one_hot = OneHotRows::new(3, vec![0, 1, 2, 1].into()).unwrap();
        let dense = DenseRows::new(4, 1, DenseValues::F64(numbers(4))).unwrap();
        for other in [Matrix::from(one_hot), dense.into()] {
            assert!(Plan::new(&InMemory::new(rows().into(), other.clone()).unwrap()).is_none());
            assert!(Plan::new(&InMemory::new(other, rows().into()).unwrap()).is_none());
        }
        let pair = |x: SparseRows, y: SparseRows| InMemory::new(x.into(), y.into()).unwrap();
        let ones = Plan::new(&pair(rows(), rows())).unwrap();
        assert_eq!(ones.keys, [3 + 1 + 15 + 45 + 9, 4 + 1 + 25 + 81, 3 + 1 + 15 + 45 + 9]);
        assert!(!ones.pays());
        let with_values = sparse(9, &[2, 1, 5, 9], |count| Values::F64(numbers(count)));
        let weighted = pair(rows(), rows()).weighted(numbers(4)).unwrap();
        for other in [pair(rows(), with_values), weighted] {
            let plan = Plan::new(&other).unwrap();
            assert!(plan.bytes > ones.bytes && plan.keys == ones.keys);
        }
        // 5,000 rows of 50 entries are 6.4 million pairs in XᵀX alone.
        let many = || sparse(60, &[50; 5000], |_| Values::Ones);
        let plan = Plan::new(&pair(many(), many())).unwrap();
        assert!(plan.pays() && plan.bytes > 16 * 12_500_000 && plan.bytes < 20 * 12_500_000, "{plan:?}");
        let weighted = pair(many(), many()).weighted(numbers(5000)).unwrap();
        let twice = Plan::new(&weighted).unwrap().bytes;
        assert!(twice > 32 * 12_500_000 && twice < 36 * 12_500_000, "{twice}");
    }
}
