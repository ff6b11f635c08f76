//! Random numbers that are the same on every machine for the same seed and purpose.

use crate::matrix::{LANES, Line, Panel};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;
use std::convert::Infallible;
use std::mem::MaybeUninit;

/// Panels of at least `LARGE` numbers are filled in chunks of `ROWS` rows, one generator per chunk, so that
/// threads can share the work.
const LARGE: usize = 1 << 17;
const ROWS: usize = 1 << 10;
/// The number of exchanges that a random order draws at a time.
const BLOCK: usize = 256;

/// The purpose of some random numbers. One seed gives each purpose different numbers, because each has its
/// own stream. The values are part of the results: changing one changes the answers of every seed.
#[derive(Clone, Copy)]
pub(crate) enum Purpose {
    Start = 1,
    SvdX = 2,
    SvdY = 3,
    StartY = 5,
    Folds = 6,
    Permutations = 7,
    HoldOut = 8,
    Sketch = 9,
    ProbeX = 10,
    ProbeY = 11,
    Bootstrap = 12,
    Spectrum = 13,
    Proof = 14,
    #[cfg(any(test, feature = "laws"))]
    Test = 4,
}

/// A panel of independent standard normal numbers, which do not depend on the number of threads.
pub(crate) fn normal_panel(rows: usize, cols: usize, seed: u64, purpose: Purpose) -> Panel {
    scaled_normal_panel(rows, cols, seed, purpose, |_| 1.0)
}

/// The numbers of [`normal_panel`], with each row multiplied by a factor.
pub(crate) fn scaled_normal_panel(
    rows: usize,
    cols: usize,
    seed: u64,
    purpose: Purpose,
    factor: impl Fn(usize) -> f64 + Sync,
) -> Panel {
    let sample = |rng: &mut ChaCha8Rng, factor: f64| -> f64 {
        let number: f64 = StandardNormal.sample(rng);
        factor * number
    };
    if rows.saturating_mul(cols) < LARGE {
        let mut rng = generator(seed, purpose, 0);
        return Panel::from_fn(rows, cols, |row, _| sample(&mut rng, factor(row)));
    }
    let row_bytes = cols.div_ceil(LANES) * size_of::<Line>();
    let fill = |bytes: &mut [MaybeUninit<u8>]| {
        bytes.par_chunks_mut(ROWS * row_bytes).enumerate().for_each(|(chunk, bytes)| {
            let mut rng = generator(seed, purpose, 1 + chunk as u64);
            for (row, bytes) in (chunk * ROWS..).zip(bytes.chunks_exact_mut(row_bytes)) {
                let factor = factor(row);
                for (column, entry) in bytes.chunks_exact_mut(size_of::<f64>()).enumerate() {
                    let number = if column < cols { sample(&mut rng, factor) } else { 0.0 };
                    entry.copy_from_slice(&number.to_ne_bytes().map(MaybeUninit::new));
                }
            }
        });
        Ok::<(), Infallible>(())
    };
    // SAFETY: every row is written, the padding with zeros.
    let Ok(panel) = unsafe { Panel::written(rows, cols, fill) };
    panel
}

/// The `index`-th of several independent generators for one purpose of a seed.
pub(crate) fn generator(seed: u64, purpose: Purpose, index: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // No two pairs of purpose and index share a stream, because purposes are below 256.
    rng.set_stream(purpose as u64 | index << 8);
    rng
}

/// Puts `items` in a random order.
pub(crate) fn shuffle<T>(items: &mut [T], rng: &mut ChaCha8Rng) {
    items.shuffle(rng);
}

/// Writes 0, 1, 2, … in the random order in which [`shuffle`] would put them. Places are drawn ahead of the
/// exchanges, so that memory can be asked for before it is needed.
pub(crate) fn order(out: &mut [u32], rng: &mut ChaCha8Rng) {
    let mut places = Places::default();
    let mut block = [0; BLOCK];
    for first in (0..out.len()).step_by(BLOCK) {
        let block = &mut block[..BLOCK.min(out.len() - first)];
        for place in block.iter_mut() {
            *place = places.next(rng);
            prefetch(out, *place as usize);
        }
        for (i, &place) in (first..).zip(block.iter()) {
            // Number i goes to a place up to its own, and the number there goes to the end.
            out[i] = i as u32;
            out.swap(i, place as usize);
        }
    }
}

/// Writes the first places that [`order`] draws.
pub(crate) fn places(out: &mut [u32], rng: &mut ChaCha8Rng) {
    let mut places = Places::default();
    out.iter_mut().for_each(|place| *place = places.next(rng));
}

/// Draws a random number up to 0, then one up to 1, up to 2 and so on. These are the numbers by which
/// `rand` exchanges, but `rand` does not expose them: it takes several out of one number of 32 bits while
/// they fit.
#[derive(Default)]
struct Places {
    /// The number of places drawn so far.
    count: u32,
    /// The rest of the last number of 32 bits, and how many places can still be taken out of it.
    chunk: u32,
    left: u32,
}

impl Places {
    #[inline]
    fn next(&mut self, rng: &mut ChaCha8Rng) -> u32 {
        self.count += 1;
        // There is only one choice for the first number.
        if self.count == 1 {
            return 0;
        }
        if self.left == 0 {
            let bound;
            (bound, self.left) =
                if self.count > u32::from(u16::MAX) { (self.count, 1) } else { product(self.count) };
            self.chunk = rng.random_range(..bound);
        }
        self.left -= 1;
        if self.left == 0 {
            return self.chunk;
        }
        let place = self.chunk % self.count;
        self.chunk /= self.count;
        place
    }
}

/// The product m·(m + 1)·(m + 2)… with as many factors as fit into 32 bits, and the number of its factors.
fn product(m: u32) -> (u32, u32) {
    let (mut product, mut factors) = (m, 1);
    while let Some(next) = product.checked_mul(m + factors) {
        (product, factors) = (next, factors + 1);
    }
    (product, factors)
}

/// Starts loading a number that will be exchanged.
#[inline(always)]
fn prefetch(numbers: &[u32], index: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: a prefetch reads nothing and cannot fault at any address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(numbers.as_ptr().wrapping_add(index).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (numbers, index);
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng;

    #[test]
    fn orders_are_those_of_a_shuffle() {
        for rows in (0..300).chain([1000, 65_534, 65_535, 65_536, 65_537, 70_000, 200_001]) {
            let draws = if rows < 300 { 20 } else { 3 };
            for index in 0..draws {
                let mut expected: Vec<u32> = (0..rows).collect();
                let mut random = generator(7, Purpose::Test, index);
                shuffle(&mut expected, &mut random);
                let mut found = vec![u32::MAX; rows as usize];
                let mut again = generator(7, Purpose::Test, index);
                order(&mut found, &mut again);
                assert_eq!(found, expected, "{rows} rows");
                assert_eq!(random.next_u32(), again.next_u32(), "{rows} rows leave the generator elsewhere");
            }
        }
    }
}
