//! Random numbers that are the same on every machine for the same seed and purpose.

use crate::matrix::{LANES, Line, Panel};
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};
use rayon::prelude::*;

/// From so many numbers on, a panel is filled in chunks of so many rows, each by a generator of its own.
const LARGE: usize = 1 << 17;
const ROWS: usize = 1 << 10;

/// The purpose of some random numbers. Each purpose has its own stream, so that one seed gives each different numbers. The
/// values are part of the results: changing one changes the answers of every seed.
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
    #[cfg(any(test, feature = "laws"))]
    Test = 4,
}

/// A panel of independent standard normal numbers, the same whatever the number of threads.
pub(crate) fn normal_panel(rows: usize, cols: usize, seed: u64, purpose: Purpose) -> Panel {
    if rows.saturating_mul(cols) < LARGE {
        let mut rng = generator(seed, purpose, 0);
        return Panel::from_fn(rows, cols, |_, _| StandardNormal.sample(&mut rng));
    }
    let mut panel = Panel::zeros(rows, cols);
    let stride = panel.lines_per_row();
    panel.lines_mut().par_chunks_mut(ROWS * stride).enumerate().for_each(|(chunk, lines)| {
        let mut rng = generator(seed, purpose, 1 + chunk as u64);
        for row in bytemuck::cast_slice_mut::<Line, f64>(lines).chunks_exact_mut(stride * LANES) {
            row[..cols].iter_mut().for_each(|entry| *entry = StandardNormal.sample(&mut rng));
        }
    });
    panel
}

/// The `index`-th of several independent generators for one purpose of a seed.
pub(crate) fn generator(seed: u64, purpose: Purpose, index: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    // Purposes are below 256, so that no two pairs of purpose and index share a stream.
    rng.set_stream(purpose as u64 | index << 8);
    rng
}

/// Puts `items` in a random order.
pub(crate) fn shuffle<T>(items: &mut [T], rng: &mut ChaCha8Rng) {
    items.shuffle(rng);
}
