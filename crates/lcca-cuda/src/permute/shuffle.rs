//! Draws random orders on a device: the same orders that the host would draw.
//!
//! Shuffling exchanges number i with the one at a random place up to i, one number after the other. The
//! random places do not depend on the exchanges, so a warp draws all places of one order first, 128 at a
//! time. For each place, a list then holds the numbers that came there directly. The last of them stays. If
//! there is none, the number at the place came from the place of its exchange partner, and is looked up
//! there among earlier exchanges in the same way. On average, this takes a few steps.

use crate::error::CudaError;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::launch::Launch;
use crate::runtime::room::Room;
use lcca::space::{Generator, KNOWN};
use std::sync::Arc;

/// The most orders that are drawn at a time: about one warp for each multiprocessor of the largest GPUs.
/// With more, the host begins too many orders before the GPU has anything to do.
const MOST: usize = 128;
/// The most bytes that the places of orders and the orders themselves may take.
const MOST_BYTES: usize = 8 << 30;
/// The numbers whose final places are looked up at a time. Lists of this length fit the second-level cache
/// of the larger GPUs.
const TOGETHER: usize = 4 << 20;

/// The most orders of `rows` rows that are drawn at a time, if each takes `more` bytes more, and `free`
/// bytes of the device are free.
pub(crate) fn most(rows: usize, more: usize, free: usize) -> usize {
    let lists = 8 * together(rows) * rows;
    (free.saturating_sub(lists).min(MOST_BYTES) / (8 * rows + 4 * KNOWN + more)).clamp(1, MOST)
}

/// The number of orders whose final places are looked up at a time.
fn together(rows: usize) -> usize {
    (TOGETHER / rows).max(1)
}

/// Draws orders of `rows` rows, one after another. `known` has the places of the first numbers of each
/// order.
pub(crate) fn draw(
    device: &Arc<Device>,
    rows: usize,
    known: &[u32],
    generators: &[Generator],
) -> Result<Room<u32>, CudaError> {
    let places = draw_places(device, rows, known, generators)?;
    let (count, together) = (generators.len(), together(rows));
    let orders: Room<u32> = device.room(count * rows)?;
    let numbers = together.min(count) * rows;
    let (heads, next): (Room<u32>, Room<u32>) = (device.room(numbers)?, device.room(numbers)?);
    for first in (0..count).step_by(together) {
        let some = together.min(count - first);
        let blocks = (rows.div_ceil(256) as u64, some as u64, 1);
        let shape = Launch { blocks, threads: 256, shared: 0 };
        let (rows_of, from, to) =
            (rows as u64, places.address_of(first * rows), orders.address_of(first * rows));
        heads.clear()?;
        device.launch(
            "list_places",
            File::Shuffle,
            shape,
            &[&rows_of, &from, &heads.address(), &next.address()],
        )?;
        device.launch(
            "follow_places",
            File::Shuffle,
            shape,
            &[&rows_of, &from, &heads.address(), &next.address(), &to],
        )?;
    }
    Ok(orders)
}

fn draw_places(
    device: &Arc<Device>,
    rows: usize,
    known: &[u32],
    generators: &[Generator],
) -> Result<Room<u32>, CudaError> {
    let count = generators.len();
    let words: Vec<u32> = generators.iter().flat_map(words_of).collect();
    let (places, known, each): (Room<u32>, _, _) =
        (device.room(count * rows)?, device.copy(known)?, (known.len() / count.max(1)) as u64);
    let generators = device.copy(&words)?;
    device.launch(
        "draw_places",
        File::Shuffle,
        Launch::blocks(count as u64, 32),
        &[&(rows as u64), &each, &places.address(), &known.address(), &generators.address()],
    )?;
    Ok(places)
}

/// Returns a generator as kernels read it.
fn words_of(generator: &Generator) -> [u32; 12] {
    let mut words = [0; 12];
    words[..8].copy_from_slice(&generator.key);
    for (i, number) in [generator.stream, generator.word].into_iter().enumerate() {
        (words[8 + 2 * i], words[9 + 2 * i]) = (number as u32, (number >> 32) as u32);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_and_lists_fit_the_memory_that_is_free() {
        for rows in [70_000, 400_000, 4_000_000, 7_300_000, 200_000_000] {
            for free in [0, 100 << 20, 2 << 30, 100 << 30] {
                let count = most(rows, 1000, free);
                assert!((1..=MOST).contains(&count));
                let lists = 8 * together(rows).min(count) * rows;
                assert!(count == 1 || count * (8 * rows + 4 * KNOWN + 1000) + lists <= free);
            }
        }
    }

    #[test]
    fn kernels_read_the_words_of_a_generator_in_order() {
        let generator =
            Generator { key: [1, 2, 3, 4, 5, 6, 7, 8], stream: 9 | 10 << 32, word: 11 | 12 << 32 };
        assert_eq!(words_of(&generator), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    }
}
