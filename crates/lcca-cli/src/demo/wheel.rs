//! Discrete draws in whole numbers, which are equal on every machine.

use rand::Rng;

/// The weight of Zipf's first rank; rank r has this weight divided by r.
const ZIPF_TOP: u64 = 1 << 40;

/// Zipf's weight of an item, `rank` counted from 0. A larger `offset` flattens the head.
pub fn zipf(rank: usize, offset: usize) -> u64 {
    ZIPF_TOP / (rank + offset + 1) as u64
}

/// A number below `bound`, all about equally likely (the bias is below bound / 2⁶⁴).
pub fn below(rng: &mut impl Rng, bound: u64) -> u64 {
    ((u128::from(rng.next_u64()) * u128::from(bound)) >> 64) as u64
}

/// True in `per_mille` of a thousand draws.
pub fn chance(rng: &mut impl Rng, per_mille: u64) -> bool {
    below(rng, 1000) < per_mille
}

/// A wheel of items, which draws item i with probability proportional to its weight.
pub struct Wheel {
    /// `ends[i]` is the sum of the weights up to and including item i.
    ends: Vec<u64>,
}

impl Wheel {
    /// A wheel of these weights, of which at least one must be positive.
    pub fn new(weights: impl IntoIterator<Item = u64>) -> Self {
        let running = |total: &mut u64, weight| {
            *total += weight;
            Some(*total)
        };
        let ends: Vec<u64> = weights.into_iter().scan(0, running).collect();
        assert!(
            ends.last().is_some_and(|&total| total > 0),
            "a wheel of {} items without weight",
            ends.len()
        );
        Wheel { ends }
    }

    /// Draws an item.
    pub fn draw(&self, rng: &mut impl Rng) -> usize {
        let total = self.ends.last().copied().unwrap_or(0);
        let position = below(rng, total);
        self.ends.partition_point(|&end| end <= position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_chacha::ChaCha8Rng;

    #[test]
    fn items_come_up_in_proportion_to_their_weights() {
        let wheel = Wheel::new([1, 0, 3, 6]);
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let mut seen = [0i64; 4];
        (0..100_000).for_each(|_| seen[wheel.draw(&mut rng)] += 1);
        for (seen, expected) in seen.into_iter().zip([10_000, 0, 30_000, 60_000]) {
            assert!((seen - expected).abs() < 800, "{seen}, expected about {expected}");
        }
        assert_eq!(seen[1], 0);
    }
}
