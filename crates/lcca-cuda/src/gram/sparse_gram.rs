//! The joint Gram matrix of sparse rows, formed on a device.
//!
//! Every two entries of a row give a key, (column, column). Keys are sorted, and equal ones become one
//! entry. The other triangle of a symmetric block, or YᵀX, is the transpose of the part that was formed. If
//! all entries of a block's views are 1 and rows are not weighted, an entry is the number of equal keys,
//! and is exact. Otherwise, products are moved with their keys and summed up in the order of the rows, in a
//! fixed tree.
//!
//! The work is Σ r(r + 1)/2 keys for rows of r entries, which are written and read about fifteen times.

use super::gram_plan::{PUT_TOGETHER, Plan, pair_starts};
use crate::dense::array::DeviceArray;
use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::launch::Launch;
use crate::runtime::room::Room;
use crate::scattered::entries::Entries;
use crate::scattered::sort::{Keyed, RunSums, bytes_to_sort};
use crate::scattered::sparse::{Segments, SparseOnDevice, StoredValues, copy_buffer};
use bytemuck::Pod;
use lcca::data::{Allowance, InMemory, JointGram, Pair, Side};
use lcca::matrix::{Buffer, Matrix, SparseRows, Values};
use rayon::prelude::*;
use std::sync::Arc;

/// The number of pairs of one block of threads, as in pairs.cu.
const TILE: u64 = 4096;

/// The bytes that are taken while `entries` entries are put together into blocks of at most `rows` rows,
/// with the entries themselves.
fn bytes_to_put_together(entries: u64, rows: usize) -> u64 {
    // Entries and their transpose while it is sorted; or both, and the blocks.
    let sorting = 16 * entries + bytes_to_sort(entries, true);
    sorting.max(PUT_TOGETHER * entries) + 32 * (rows as u64 + 1)
}

/// The number of bits of the numbers below `count`.
fn bits_of(count: usize) -> u32 {
    usize::BITS - count.saturating_sub(1).leading_zeros()
}

/// A function that is called at the end of each step, with the name of the step.
pub(crate) type AfterStep<'a> = &'a dyn Fn(&'static str) -> Result<(), CudaError>;

/// Gram matrices, and their blocks on the device if there was room to keep them; otherwise they are on the
/// host.
pub(crate) struct FormedGrams {
    pub joint: JointGram,
    /// `blocks[target][source]`
    pub blocks: Option<[[SparseOnDevice; 2]; 2]>,
}

/// Forms all four blocks. Returns `None` if a view is not sparse or the device has too little memory, and
/// an error if the blocks would take more than `limit` bytes of the host. Rows may have been `copied`
/// before.
pub(crate) fn form(
    device: &Arc<Device>,
    pair: &InMemory,
    plan: &Plan,
    copied: Option<[Entries; 2]>,
    limit: u64,
    after: AfterStep<'_>,
) -> lcca::Result<Option<FormedGrams>> {
    let views = Side::BOTH.map(|side| pair.view(side));
    let [Matrix::Sparse(x), Matrix::Sparse(y)] = views else { return Ok(None) };
    // Memory is accounted for as on the host, so that a fit takes the same way wherever it runs.
    let allowance = Allowance::of_joint_gram(limit);
    allowance.take_transposed(&views)?;
    let weights = pair.weights().map(|weights| copy_buffer(device, weights)).transpose()?;
    let keeps = plan.keeps(device);
    let products = Products { device, rows: x.rows(), weights, keeps, after };
    // The larger symmetric block comes last, because the least other memory is in use then.
    let order = if plan.keys[0] <= plan.keys[2] { [0, 1] } else { [1, 0] };
    let (rows, shape) = ([x, y], [x.cols(), y.cols()]);
    let mut copied = copied.map_or([None, None], |copied| copied.map(Some));
    let mut entries = |side: usize| match copied[side].take() {
        Some(entries) => Ok(entries),
        None => Entries::copy(device, rows[side]),
    };
    let first = entries(order[0])?;
    after("copy rows")?;
    let keyed = products.sorted(&first, None, plan.keys[2 * order[0]])?;
    // The entries of the second view are copied while the device sorts.
    let second = entries(order[1])?;
    after("copy rows")?;
    let Some(own) = products.symmetric(keyed, shape[order[0]], first.squares.as_ref(), &allowance)? else {
        return Ok(None);
    };
    let own = products.settled(own)?;
    let [x, y] = if order[0] == 0 { [&first, &second] } else { [&second, &first] };
    let keyed = products.sorted(x, Some(y), plan.keys[1])?;
    drop(first);
    let Some([xy, yx]) = products.cross(keyed, shape, &allowance)? else { return Ok(None) };
    let (xy, yx) = (products.settled(xy)?, products.settled(yx)?);
    let keyed = products.sorted(&second, None, plan.keys[2 * order[1]])?;
    let squares = second.into_squares();
    let Some(last) = products.symmetric(keyed, shape[order[1]], squares.as_ref(), &allowance)? else {
        return Ok(None);
    };
    let last = products.settled(last)?;
    let [xx, yy] = if order[0] == 0 { [own, last] } else { [last, own] };
    // All threads help, because there are many entries, and many rows are searched for segments.
    let placed = [xx, xy, yx, yy].into_par_iter().map(|block| block.placed(device));
    let placed: Vec<Placed> = placed.collect::<lcca::Result<_>>()?;
    after("copy back")?;
    let Ok([(xx, xx_here), (xy, xy_here), (yx, yx_here), (yy, yy_here)]) = <[Placed; 4]>::try_from(placed)
    else {
        unreachable!("there are four blocks")
    };
    allowance.take_transposed(&[&xy])?;
    let moments = [pair.moments(Side::X)?.clone(), pair.moments(Side::Y)?.clone()];
    let joint = JointGram::from_all_blocks(pair.shape(), moments, [[xx, xy], [yx, yy]]);
    let blocks = match (xx_here, xy_here, yx_here, yy_here) {
        (Some(xx), Some(xy), Some(yx), Some(yy)) => Some([[xx, xy], [yx, yy]]),
        _ => None,
    };
    Ok(Some(FormedGrams { joint, blocks }))
}

/// A block as the host sees it, and as passes read it if it stays on the device.
type Placed = (Matrix, Option<SparseOnDevice>);

/// The kind of block that keys belong to.
#[derive(Clone, Copy)]
enum Kind<'a> {
    /// The keys are those of the upper triangle of a symmetric block, whose diagonal may be known.
    Symmetric(Option<&'a Room<f64>>),
    Cross,
}

impl Kind<'_> {
    /// The kind as kernels take it, with the address of the diagonal or 0.
    fn arguments(self) -> (i32, u64) {
        match self {
            Kind::Symmetric(diagonal) => (1, diagonal.map_or(0, Room::address)),
            Kind::Cross => (0, 0),
        }
    }
}

/// Products of views with the same rows.
struct Products<'a> {
    device: &'a Arc<Device>,
    rows: usize,
    weights: Option<Room<f64>>,
    /// Whether blocks stay on the device.
    keeps: bool,
    after: AfterStep<'a>,
}

impl Products<'_> {
    /// Lists the keys of AᵀB in order, or those of the upper triangle of AᵀA if there is no B.
    fn sorted(&self, a: &Entries, b: Option<&Entries>, keys: u64) -> Result<Keyed, CudaError> {
        let (device, rows, right) = (self.device, self.rows as u64, b.unwrap_or(a));
        let has_values = self.weights.is_some() || a.values().is_some() || right.values().is_some();
        let keyed = Keyed::new(device, keys as usize, has_values)?;
        let (bits, size) = (bits_of(right.cols), if b.is_none() { a.cols as u64 } else { 0 });
        let pairs = keys - size;
        let starts = pair_starts(device, a, b)?;
        device.launch(
            "expand_pairs",
            File::Pairs,
            Launch::blocks(pairs.div_ceil(TILE), 256),
            &[
                &rows,
                &a.view(),
                &right.view(),
                &i32::from(b.is_none()),
                &self.weights.as_ref().map_or(0, Room::address),
                &starts.address(),
                &pairs,
                &bits,
                &keyed.keys.address(),
                &keyed.values(),
            ],
        )?;
        drop(starts);
        let values = keyed.values.as_ref().map_or(0, |values| values.address_of(pairs as usize));
        let diagonal = keyed.keys.address_of(pairs as usize);
        device.launch_each("diagonal_keys", File::Pairs, size, &[&size, &bits, &diagonal, &values])?;
        (self.after)("list pairs")?;
        let keyed = keyed.sorted(device, 0..bits + bits_of(a.cols))?;
        (self.after)("sort")?;
        Ok(keyed)
    }

    /// Turns keys in order into the entries of a block of `rows` rows and `cols` columns. Returns `None` if
    /// there is no room to put the entries together.
    fn entries(
        &self,
        keyed: Keyed,
        [rows, cols]: [usize; 2],
        kind: Kind<'_>,
    ) -> Result<Option<Sorted>, CudaError> {
        let counted = keyed.counted(self.device)?;
        let n = counted.runs as u64;
        let together = bytes_to_put_together(n, rows.max(cols)).saturating_sub(counted.bytes());
        if counted.bytes_of_runs().max(together) > self.device.free() {
            return Ok(None);
        }
        let runs = counted.into_runs(self.device)?;
        let keys = runs.keys;
        let values = match runs.sums {
            RunSums::Sums(sums) => sums,
            RunSums::Starts(starts) => {
                let counts: Room<f64> = self.device.room(keys.len())?;
                let (bits, (is_symmetric, diagonal)) = (bits_of(cols), kind.arguments());
                let (keys, starts, to) = (keys.address(), starts.address(), counts.address());
                self.device.launch_each(
                    "count_equal",
                    File::Pairs,
                    n,
                    &[&n, &keys, &starts, &bits, &is_symmetric, &diagonal, &to],
                )?;
                counts
            }
        };
        (self.after)("sum up")?;
        Ok(Some(Sorted { keys, values, rows, cols }))
    }

    /// Puts all of a symmetric block together from the keys of its upper triangle. The diagonal may be
    /// known.
    fn symmetric(
        &self,
        keyed: Keyed,
        size: usize,
        diagonal: Option<&Room<f64>>,
        allowance: &Allowance,
    ) -> lcca::Result<Option<Block>> {
        let device = self.device;
        let Some(upper) = self.entries(keyed, [size, size], Kind::Symmetric(diagonal))? else {
            return Ok(None);
        };
        // The other triangle takes as many entries again.
        allowance.take_entries(2 * upper.keys.len() as u64)?;
        let lower = upper.transposed(device)?;
        let (above, below) = (upper.row_starts(device)?, lower.row_starts(device)?);
        let (above_at, below_at) = (above.address(), below.address());
        let starts: Room<u64> = device.room(size + 1)?;
        device.launch_each(
            "triangle_starts",
            File::Pairs,
            size as u64 + 1,
            &[&(size as u64), &above_at, &below_at, &starts.address()],
        )?;
        let (n, len, bits) = (upper.keys.len() as u64, 2 * upper.keys.len() - size, bits_of(size));
        let (columns, values): (Room<u32>, Room<f64>) = (device.room(len)?, device.room(len)?);
        let (to_columns, to_values) = (columns.address(), values.address());
        for (triangle, is_lower) in [(&lower, 1i32), (&upper, 0)] {
            let (keys, from) = (triangle.keys.address(), triangle.values.address());
            device.launch_each(
                "place_triangle",
                File::Pairs,
                n,
                &[&n, &keys, &from, &bits, &above_at, &below_at, &is_lower, &to_columns, &to_values],
            )?;
        }
        drop((upper, lower, above, below));
        let block = Block::new(device, starts, columns, values, size)?;
        (self.after)("put together")?;
        Ok(Some(block))
    }

    /// Puts AᵀB and BᵀA together from the keys of AᵀB.
    fn cross(
        &self,
        keyed: Keyed,
        shape: [usize; 2],
        allowance: &Allowance,
    ) -> lcca::Result<Option<[Block; 2]>> {
        let Some(entries) = self.entries(keyed, shape, Kind::Cross)? else { return Ok(None) };
        allowance.take_entries(entries.keys.len() as u64)?;
        let transposed = entries.transposed(self.device)?;
        let blocks = [entries.into_block(self.device)?, transposed.into_block(self.device)?];
        (self.after)("put together")?;
        Ok(Some(blocks))
    }

    /// Copies a block to the host if it cannot stay, because the next steps may need its memory.
    fn settled(&self, block: Block) -> lcca::Result<Settled> {
        if self.keeps {
            return Ok(Settled::Here(block));
        }
        let copied = Settled::OnHost(block.copied()?);
        (self.after)("copy back")?;
        Ok(copied)
    }
}

/// A block in the place where it stays.
enum Settled {
    Here(Block),
    OnHost(SparseRows),
}

impl Settled {
    fn placed(self, device: &Arc<Device>) -> lcca::Result<Placed> {
        match self {
            Settled::Here(block) => block.kept(device),
            Settled::OnHost(rows) => Ok((rows.into(), None)),
        }
    }
}

/// Entries of a block in the order of their keys, which are (row, column).
struct Sorted {
    keys: Room<u64>,
    values: Room<f64>,
    rows: usize,
    cols: usize,
}

impl Sorted {
    /// Returns the entries of the transpose.
    fn transposed(&self, device: &Arc<Device>) -> Result<Sorted, CudaError> {
        let len = self.keys.len();
        let (keys, mut values): (Room<u64>, Room<f64>) = (device.room(len)?, device.room(len)?);
        let (bits, row_bits) = (bits_of(self.cols), bits_of(self.rows));
        device.launch_each(
            "transpose_keys",
            File::Pairs,
            len as u64,
            &[&(len as u64), &self.keys.address(), &bits, &row_bits, &keys.address()],
        )?;
        values.copy_from(&self.values)?;
        // Rows already ascend, and sorting leaves equal keys in their order.
        let keyed = Keyed { keys, values: Some(values) }.sorted(device, row_bits..row_bits + bits)?;
        let values = keyed.values.expect("values are sorted with their keys");
        Ok(Sorted { keys: keyed.keys, values, rows: self.cols, cols: self.rows })
    }

    /// Returns the first entry of each row, and the end.
    fn row_starts(&self, device: &Arc<Device>) -> Result<Room<u64>, CudaError> {
        let (rows, n, bits) = (self.rows as u64, self.keys.len() as u64, bits_of(self.cols));
        let starts: Room<u64> = device.room(self.rows + 1)?;
        device.launch_each(
            "row_starts",
            File::Pairs,
            rows + 1,
            &[&rows, &n, &self.keys.address(), &bits, &starts.address()],
        )?;
        Ok(starts)
    }

    fn into_block(self, device: &Arc<Device>) -> Result<Block, CudaError> {
        let (n, bits, starts) = (self.keys.len() as u64, bits_of(self.cols), self.row_starts(device)?);
        let columns: Room<u32> = device.room(self.keys.len())?;
        device.launch_each(
            "columns_of",
            File::Pairs,
            n,
            &[&n, &self.keys.address(), &bits, &columns.address()],
        )?;
        Block::new(device, starts, columns, self.values, self.cols)
    }
}

/// A block of the Gram matrix as sparse rows.
struct Block {
    starts: Room<u64>,
    columns: Room<u32>,
    values: StoredValues,
    cols: usize,
}

impl Block {
    /// Makes a block, with values in single precision if that holds all of them.
    fn new(
        device: &Arc<Device>,
        starts: Room<u64>,
        columns: Room<u32>,
        values: Room<f64>,
        cols: usize,
    ) -> Result<Self, CudaError> {
        let (n, inexact): (_, Room<u32>) = (values.len() as u64, device.zeros(1)?);
        device.launch_each("find_inexact", File::Pairs, n, &[&n, &values.address(), &inexact.address()])?;
        let values = if inexact.to_vec()?[0] == 0 {
            let singles: Room<f32> = device.room(values.len())?;
            device.launch_each("to_singles", File::Pairs, n, &[&n, &values.address(), &singles.address()])?;
            StoredValues::F32(singles)
        } else {
            StoredValues::F64(values)
        };
        Ok(Block { starts, columns, values, cols })
    }

    /// Returns a copy on the host.
    fn copied(self) -> lcca::Result<SparseRows> {
        let values = match &self.values {
            StoredValues::Ones => Values::Ones,
            StoredValues::F32(values) => Values::F32(values.to_vec()?.into()),
            StoredValues::F64(values) => Values::F64(values.to_vec()?.into()),
        };
        let (offsets, columns) = (self.starts.to_vec()?, self.columns.to_vec()?);
        SparseRows::ordered(self.cols, offsets.into(), columns.into(), values)
    }

    /// Keeps the block where it lies. The host gets the places where rows begin, and copies the rest only
    /// if it reads them.
    fn kept(self, device: &Arc<Device>) -> lcca::Result<Placed> {
        let Block { starts, columns, values, cols } = self;
        let offsets = starts.to_vec()?;
        let segments = Segments::new(&offsets);
        let (columns, seen_columns) = shared(device, columns)?;
        let (values, seen_values) = match values {
            StoredValues::Ones => (StoredValues::Ones, Values::Ones),
            StoredValues::F32(values) => {
                let (values, seen) = shared(device, values)?;
                (StoredValues::F32(values), Values::F32(seen))
            }
            StoredValues::F64(values) => {
                let (values, seen) = shared(device, values)?;
                (StoredValues::F64(values), Values::F64(seen))
            }
        };
        let here = SparseOnDevice::cut(device, cols, starts, segments, columns, values)?;
        Ok((SparseRows::ordered(cols, offsets.into(), seen_columns, seen_values)?.into(), Some(here)))
    }
}

/// Returns numbers on the device, and a buffer of the host with the same numbers. Both keep them there.
fn shared<T: Pod + Send + Sync>(
    device: &Arc<Device>,
    numbers: Room<T>,
) -> lcca::Result<(Room<T>, Buffer<T>)> {
    let (address, len) = (numbers.address(), numbers.len());
    let array = DeviceArray::of_room(device, numbers);
    // SAFETY: the array keeps the numbers alive, and nothing writes to them any more.
    let here = unsafe { Room::lent(device, array.clone(), address, len) };
    Ok((here, Buffer::shared(array, 0, len)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_just_the_bits_that_they_need() {
        for (count, bits) in [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (256, 8), (257, 9), (504_243, 19)] {
            assert_eq!(bits_of(count), bits, "{count}");
        }
        assert_eq!(bits_of(u32::MAX as usize), 32);
    }

    #[test]
    fn constants_are_those_of_the_kernels() {
        assert!(include_str!("../../kernels/pairs.cu").contains(&format!("#define TILE {TILE}\n")));
    }
}
