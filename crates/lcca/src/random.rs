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
    scaled_normal_panel(rows, cols, seed, purpose, |_| 1.0)
}

/// The same numbers, each row multiplied by a factor.
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
    let mut panel = Panel::zeros(rows, cols);
    let stride = panel.lines_per_row();
    panel.lines_mut().par_chunks_mut(ROWS * stride).enumerate().for_each(|(chunk, lines)| {
        let mut rng = generator(seed, purpose, 1 + chunk as u64);
        let rows = bytemuck::cast_slice_mut::<Line, f64>(lines).chunks_exact_mut(stride * LANES);
        for (row, numbers) in (chunk * ROWS..).zip(rows) {
            let factor = factor(row);
            numbers[..cols].iter_mut().for_each(|entry| *entry = sample(&mut rng, factor));
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
