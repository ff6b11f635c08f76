//! Random panels: the same on every machine for the same seed and use.

use crate::matrix::Panel;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

/// What a random panel is for; different uses of one seed draw different numbers.
#[derive(Clone, Copy)]
pub(crate) enum Use {
    Start = 1,
    SvdOfX = 2,
    SvdOfY = 3,
    StartOfY = 5,
    Folds = 6,
    Permutations = 7,
    #[cfg(any(test, feature = "laws"))]
    Test = 4,
}

/// Independent standard normal numbers.
pub(crate) fn normal_panel(rows: usize, cols: usize, seed: u64, purpose: Use) -> Panel {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(purpose as u64);
    Panel::from_fn(rows, cols, |_, _| StandardNormal.sample(&mut rng))
}

/// A generator of its own for one use of a seed, the `index`-th of several.
pub(crate) fn generator(seed: u64, purpose: Use, index: u64) -> ChaCha8Rng {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    rng.set_stream(purpose as u64 | index << 8);
    rng
}

/// Puts `items` in random order.
pub(crate) fn shuffle(items: &mut [u32], rng: &mut ChaCha8Rng) {
    items.shuffle(rng);
}
