//! Sorts keys on a device, and finds runs of equal ones.
//!
//! This is a radix sort from the last digit to the first. Digits are counted in tiles of keys, prefix sums
//! of the counts say where each tile's keys go, and keys with the same digit stay in their order. The same
//! keys and numbers give the same bits every time, because everything is summed in a fixed order.

use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::launch::{Argument, Launch};
use crate::runtime::room::Room;
use std::ops::Range;
use std::sync::Arc;

/// The number of keys of one block of threads, as in sort.cu.
const TILE: u64 = 4096;
/// The length of a tile of numbers that one block of threads sums up, as in sort.cu.
const SCANNED: usize = 2048;
/// The threads of a block.
const THREADS: u32 = 256;
/// The number of tiles that a block of threads handles when it adds the sums that runs left in later tiles.
const WARPS: u64 = THREADS as u64 / 32;
/// The most bits of a digit.
const DIGIT: u32 = 8;

/// Keys, with a number for each if there are numbers.
pub(crate) struct Keyed {
    pub keys: Room<u64>,
    pub values: Option<Room<f64>>,
}

/// Keys whose runs of equal keys are counted.
pub(crate) struct Counted {
    keyed: Keyed,
    /// The number of runs that begin before each tile, and of all runs.
    before: Room<u64>,
    pub runs: usize,
}

/// Runs of equal keys, each listed once.
pub(crate) struct Runs {
    /// The key of each run, ascending if the keys were.
    pub keys: Room<u64>,
    pub sums: RunSums,
}

/// The places or the sums of runs.
pub(crate) enum RunSums {
    /// The first place of every run, and the end.
    Starts(Room<u64>),
    /// The sum of the values of every run.
    Sums(Room<f64>),
}

impl Keyed {
    /// Takes room for `len` keys.
    pub fn new(device: &Arc<Device>, len: usize, has_values: bool) -> Result<Self, CudaError> {
        let values = if has_values { Some(device.room(len)?) } else { None };
        Ok(Keyed { keys: device.room(len)?, values })
    }

    /// The address of the values; 0 if there are none.
    pub fn values(&self) -> u64 {
        self.values.as_ref().map_or(0, Room::address)
    }

    /// Sorts keys by some of their bits. Keys in which these are equal stay in their order.
    pub fn sorted(self, device: &Arc<Device>, bits: Range<u32>) -> Result<Keyed, CudaError> {
        let digits = digits(bits);
        let len = self.keys.len();
        if digits.is_empty() || len == 0 {
            return Ok(self);
        }
        let (n, tiles) = (len as u64, (len as u64).div_ceil(TILE));
        let widest = digits.iter().map(|digit| digit.mask).max().unwrap_or(0) as usize + 1;
        let counts = device.room(widest * tiles as usize)?;
        let (mut from, mut to) = (self, Keyed { keys: device.room(len)?, values: None });
        if from.values.is_some() {
            to.values = Some(device.room(len)?);
        }
        for Digit { shift, mask } in digits {
            let (keys, places) = (from.keys.address(), counts.address());
            launch(device, "count_digits", tiles, &[&n, &keys, &shift, &mask, &places])?;
            scan_some(device, &counts, (mask as usize + 1) * tiles as usize)?;
            let (values, keys_to, values_to) = (from.values(), to.keys.address(), to.values());
            launch(
                device,
                "place_digits",
                tiles,
                &[&n, &keys, &values, &shift, &mask, &places, &keys_to, &values_to],
            )?;
            std::mem::swap(&mut from, &mut to);
        }
        Ok(from)
    }

    /// Counts runs of equal keys that are side by side.
    pub fn counted(self, device: &Arc<Device>) -> Result<Counted, CudaError> {
        let (n, tiles) = (self.keys.len() as u64, (self.keys.len() as u64).div_ceil(TILE));
        let before: Room<u64> = device.zeros(tiles as usize + 1)?;
        launch(device, "count_runs", tiles, &[&n, &self.keys.address(), &before.address()])?;
        scan(device, &before)?;
        let runs = before.get(tiles as usize)? as usize;
        Ok(Counted { keyed: self, before, runs })
    }
}

impl Counted {
    /// The bytes of the keys and their values.
    pub fn bytes(&self) -> u64 {
        let values = self.keyed.values.as_ref().map_or(0, Room::len);
        8 * (self.keyed.keys.len() + values) as u64
    }

    /// The bytes that the runs take besides the keys while they are written.
    pub fn bytes_of_runs(&self) -> u64 {
        let each = if self.keyed.values.is_some() { 24 } else { 16 };
        each * (self.runs as u64 + 1) + 8 * self.before.len() as u64
    }

    /// Writes the runs, with the sums of their values if there are values.
    pub fn into_runs(self, device: &Arc<Device>) -> Result<Runs, CudaError> {
        let (n, tiles) = (self.keyed.keys.len() as u64, self.before.len() as u64 - 1);
        let (keys, count) = (self.keyed.keys, self.runs);
        let runs: Room<u64> = device.room(count)?;
        let starts: Room<u64> = device.zeros(count + 1)?;
        let (to, before) = (starts.address(), self.before.address());
        launch(device, "write_runs", tiles, &[&n, &keys.address(), &before, &runs.address(), &to])?;
        let Some(values) = self.keyed.values else {
            return Ok(Runs { keys: runs, sums: RunSums::Starts(starts) });
        };
        drop(keys);
        let sums: Room<f64> = device.room(count)?;
        let carries: Room<f64> = device.room(tiles as usize)?;
        let (sum, carry) = (sums.address(), carries.address());
        launch(device, "sum_runs", tiles, &[&n, &values.address(), &before, &to, &sum, &carry])?;
        launch(device, "add_carries", tiles.div_ceil(WARPS), &[&tiles, &before, &to, &carry, &sum])?;
        Ok(Runs { keys: runs, sums: RunSums::Sums(sums) })
    }
}

/// The bytes that are taken while `keys` keys are sorted, with the keys themselves.
pub(crate) fn bytes_to_sort(keys: u64, has_values: bool) -> u64 {
    let counts = (8 << DIGIT) * keys.div_ceil(TILE);
    // Prefix sums need memory for the sums of their tiles, a number for every SCANNED numbers.
    (if has_values { 32 } else { 16 }) * keys + counts + counts / SCANNED as u64 * 2 + (64 << 10)
}

/// Some bits of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Digit {
    shift: u32,
    mask: u32,
}

/// Splits some bits into the fewest digits, as narrow as these can be, from the last digit to the first.
fn digits(bits: Range<u32>) -> Vec<Digit> {
    let count = bits.len() as u32;
    let digits = count.div_ceil(DIGIT);
    let place = |digit: u32| bits.start + count * digit / digits;
    (0..digits)
        .map(|digit| Digit { shift: place(digit), mask: (1 << (place(digit + 1) - place(digit))) - 1 })
        .collect()
}

/// Replaces every number by the sum of those before it.
pub(crate) fn scan(device: &Arc<Device>, numbers: &Room<u64>) -> Result<(), CudaError> {
    scan_some(device, numbers, numbers.len())
}

/// Replaces each of the first `len` numbers by the sum of those before it.
fn scan_some(device: &Arc<Device>, numbers: &Room<u64>, len: usize) -> Result<(), CudaError> {
    let (n, tiles) = (len as u64, len.div_ceil(SCANNED));
    if tiles <= 1 {
        return launch(device, "scan_tiles", tiles as u64, &[&n, &numbers.address(), &0u64]);
    }
    let sums: Room<u64> = device.room(tiles)?;
    launch(device, "sum_tiles", tiles as u64, &[&n, &numbers.address(), &sums.address()])?;
    scan(device, &sums)?;
    launch(device, "scan_tiles", tiles as u64, &[&n, &numbers.address(), &sums.address()])
}

fn launch(
    device: &Device,
    name: &'static str,
    blocks: u64,
    arguments: &[&dyn Argument],
) -> Result<(), CudaError> {
    device.launch(name, File::Sort, Launch::blocks(blocks, THREADS), arguments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_cover_all_bits_once_and_are_few() {
        for start in [0, 3, 19] {
            for count in 0..=64 - start {
                let digits = digits(start..start + count);
                assert_eq!(digits.len() as u32, count.div_ceil(DIGIT));
                let mut next = start;
                for Digit { shift, mask } in digits {
                    assert_eq!(shift, next);
                    assert!(mask > 0 && mask < 1 << DIGIT && (mask + 1).is_power_of_two());
                    next += mask.count_ones();
                }
                assert_eq!(next, start + count);
            }
        }
    }

    #[test]
    fn constants_are_those_of_the_kernels() {
        let source = include_str!("../../kernels/sort.cu");
        for line in [
            "#define THREADS 256",
            "#define SCANNED (8 * THREADS)",
            "#define ROUNDS 16",
            "#define TILE (WARPS * SECTION)",
            "#define RADIX 256",
        ] {
            assert!(source.contains(line), "{line}");
        }
        assert_eq!((SCANNED as u32, TILE as u32, 1 << DIGIT), (8 * THREADS, THREADS / 32 * 16 * 32, 256));
    }
}
