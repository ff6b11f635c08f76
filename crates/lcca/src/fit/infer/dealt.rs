//! Counts how often random orders of the rows do as well as the observed one, on the host or in a space
//! that does so faster.
//!
//! Each order depends on its number alone, and all spaces see the same ones. Sums of the same products in
//! another order differ by rounding, and so do those of a space from the host's. An order that gives
//! exactly the observed sum must count wherever it is summed, because scores with few different values,
//! rows that may not move and tests of a few rows give many such orders. A sum therefore counts as reached
//! if it is less than [`TIED`] below: far more than rounding, and far less than any difference that a
//! correlation can show.

use super::drawn::{Batch, Draws};
use crate::error::Result;
use crate::matrix::Panel;
use crate::space::{Dealing, Space};
use crate::watch::Watch;
use rayon::prelude::*;

/// Correlations that differ by less are equal. Rounding is about 1e-16·√rows.
const TIED: f64 = 1e-9;
/// The number of rows that one thread sums up at a time.
const PIECE: usize = 1 << 14;

/// The observed correlations, which those of random orders are compared with.
pub(in crate::fit) struct Observed {
    /// The correlation of each pair.
    pub correlations: Vec<f64>,
    /// The pairs, the largest correlation first.
    pub descending: Vec<usize>,
}

impl Observed {
    /// The correlations of the rows in the order in which they are given.
    pub fn new(x: &Panel, y: &Panel) -> Self {
        // Pieces have a fixed size, so that the result does not depend on the number of threads.
        let in_order: Vec<u32> = (0..x.rows() as u32).collect();
        let pieces = in_order.par_chunks(PIECE).enumerate().map(|(i, rows)| products(x, y, i * PIECE, rows));
        let mut correlations = vec![0.0; x.cols().min(y.cols())];
        for sums in pieces.collect::<Vec<_>>() {
            correlations.iter_mut().zip(sums).for_each(|(total, sum)| *total += sum);
        }
        let mut descending: Vec<usize> = (0..correlations.len()).collect();
        descending.sort_by(|&a, &b| correlations[b].total_cmp(&correlations[a]));
        Observed { correlations, descending }
    }

    /// Counts how often random orders do at least as well as the observed one.
    pub fn count(
        &self,
        [x, y]: [&Panel; 2],
        draws: &Draws<'_>,
        space: &dyn Space,
        watch: &dyn Watch,
    ) -> Result<Exceeded> {
        let is_empty = x.rows() == 0 || self.correlations.is_empty();
        match if is_empty { None } else { space.deal(x, y)? } {
            Some(dealing) => self.count_there(dealing, draws, watch),
            None => self.count_here([x, y], draws, watch),
        }
    }

    fn count_here(&self, [x, y]: [&Panel; 2], draws: &Draws<'_>, watch: &dyn Watch) -> Result<Exceeded> {
        let order = || vec![0; draws.orders.rows()];
        let counts = (0..draws.count).into_par_iter().map_init(order, |order, index| {
            draws.draw(index, order, watch)?;
            Ok(self.exceeded(&products(x, y, 0, order)))
        });
        counts.try_reduce(|| self.none(), |a, b| Ok(a.plus(&b)))
    }

    /// Counts in a space: all threads draw a batch of orders while the space deals the batch before.
    fn count_there(
        &self,
        mut dealing: Box<dyn Dealing>,
        draws: &Draws<'_>,
        watch: &dyn Watch,
    ) -> Result<Exceeded> {
        let mut batch = Batch::new(&mut *dealing, draws);
        let mut total = self.none();
        let mut add = |sums: Vec<f64>| {
            sums.chunks_exact(self.correlations.len()).for_each(|drawn| total.add(&self.exceeded(drawn)));
        };
        for first in (0..draws.count).step_by(batch.count()) {
            batch.draw(draws, first, watch)?;
            if first > 0 {
                add(dealing.sums()?);
            }
            batch.begin(&mut *dealing)?;
        }
        add(dealing.sums()?);
        Ok(total)
    }

    fn none(&self) -> Exceeded {
        let zeros = vec![0; self.correlations.len()];
        Exceeded { alone: zeros.clone(), by_largest: zeros }
    }

    /// Compares the correlations `drawn` under one order of the rows with the observed ones.
    fn exceeded(&self, drawn: &[f64]) -> Exceeded {
        let mut exceeded = self.none();
        let mut largest = f64::NEG_INFINITY;
        for &pair in self.descending.iter().rev() {
            let least = self.correlations[pair] - TIED;
            largest = largest.max(drawn[pair]);
            exceeded.alone[pair] = u64::from(drawn[pair] >= least);
            exceeded.by_largest[pair] = u64::from(largest >= least);
        }
        exceeded
    }
}

/// How often chance did at least as well as the observed order.
pub(in crate::fit) struct Exceeded {
    /// For each pair, how often the pair itself correlated at least as much as observed.
    pub alone: Vec<u64>,
    /// For each pair, how often the largest of the pairs that correlate no more than it reached its
    /// correlation.
    pub by_largest: Vec<u64>,
}

impl Exceeded {
    fn add(&mut self, other: &Self) {
        let add = |a: &mut [u64], b: &[u64]| a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        add(&mut self.alone, &other.alone);
        add(&mut self.by_largest, &other.by_largest);
    }

    fn plus(mut self, other: &Self) -> Self {
        self.add(other);
        self
    }
}

/// Σ x[first + i]·y[order[i]] for each column.
fn products(x: &Panel, y: &Panel, first: usize, order: &[u32]) -> Vec<f64> {
    let mut sums = vec![0.0; x.cols().min(y.cols())];
    for (i, &row) in (first..).zip(order) {
        let both = x.row(i).iter().zip(y.row(row as usize));
        sums.iter_mut().zip(both).for_each(|(sum, (x, y))| *sum += x * y);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::infer::exchange::Orders;
    use crate::fit::{Exchange, Groups};
    use crate::random;
    use crate::space::{Drawing, Generator, KNOWN};
    use crate::testing::random_panel;
    use rand::{Rng, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// A device that sums from the last row to the first, and so rounds otherwise than the host.
    struct Backwards {
        panels: [Panel; 2],
        most: usize,
        /// Whether it draws orders itself.
        draws: bool,
        begun: Option<Vec<f64>>,
    }

    impl Drawing for Backwards {
        fn most(&self) -> usize {
            self.most
        }

        /// Draws word by word, and then finds orders without any exchange, by following every place to the
        /// number that it gets.
        fn begin(&mut self, known: &[u32], generators: &[Generator]) -> Result<()> {
            let (rows, mut orders) = (self.panels[0].rows(), Vec::new());
            for (known, generator) in known.chunks_exact(KNOWN).zip(generators) {
                let mut places = known.to_vec();
                let mut seed = [0; 32];
                seed.copy_from_slice(&generator.key.map(u32::to_le_bytes).concat());
                let mut random = ChaCha8Rng::from_seed(seed);
                random.set_stream(generator.stream);
                random.set_word_pos(u128::from(generator.word));
                while places.len() < rows {
                    places.push(place(places.len() as u32 + 1, &mut random));
                }
                orders.extend(followed(&places));
            }
            Dealing::begin(self, &orders)
        }
    }

    /// A number below `range`, as kernels draw it.
    fn place(range: u32, random: &mut ChaCha8Rng) -> u32 {
        let mut product = || u64::from(random.next_u32()) * u64::from(range);
        let first = product();
        let (place, low) = ((first >> 32) as u32, first as u32);
        let is_decided = low <= range.wrapping_neg();
        if is_decided || low.checked_add((product() >> 32) as u32).is_some() { place } else { place + 1 }
    }

    /// The number at each place after all exchanges, as kernels find it.
    fn followed(places: &[u32]) -> Vec<u32> {
        let mut came = vec![Vec::new(); places.len()];
        places.iter().enumerate().for_each(|(number, &place)| came[place as usize].push(number));
        let last_before =
            |limit: usize, place: usize| came[place].iter().copied().filter(|&n| n < limit).max();
        let follow = |place: usize| {
            let (mut at, mut found) = (place, last_before(usize::MAX, place));
            while found.is_none() {
                let partner = places[at] as usize;
                (found, at) = (last_before(at, partner), partner);
            }
            found.unwrap() as u32
        };
        (0..places.len()).map(follow).collect()
    }

    impl Dealing for Backwards {
        fn drawing(&mut self) -> Option<&mut dyn Drawing> {
            if self.draws { Some(self) } else { None }
        }

        fn most(&self) -> usize {
            self.most
        }

        fn begin(&mut self, orders: &[u32]) -> Result<()> {
            assert!(self.begun.is_none(), "sums that nobody asked for");
            let [x, y] = &self.panels;
            assert!(orders.len() <= self.most.saturating_mul(x.rows()));
            let sum = |order: &[u32], j: usize| {
                let products =
                    order.iter().enumerate().rev().map(|(i, &row)| x.row(i)[j] * y.row(row as usize)[j]);
                products.sum::<f64>()
            };
            let sums =
                orders.chunks_exact(x.rows()).flat_map(|order| (0..x.cols()).map(move |j| sum(order, j)));
            self.begun = Some(sums.collect());
            Ok(())
        }

        fn sums(&mut self) -> Result<Vec<f64>> {
            Ok(self.begun.take().expect("sums that were begun"))
        }
    }

    /// A panel with columns of length one.
    fn unit(panel: &Panel) -> Panel {
        let length = |j: usize| (0..panel.rows()).map(|i| panel.row(i)[j].powi(2)).sum::<f64>().sqrt();
        let lengths: Vec<f64> = (0..panel.cols()).map(length).collect();
        Panel::from_fn(panel.rows(), panel.cols(), |i, j| panel.row(i)[j] / lengths[j].max(f64::MIN_POSITIVE))
    }

    /// Asserts that both ways give the same counts, and returns these.
    fn counted(panels: [&Panel; 2], orders: &Orders, count: usize) -> [Vec<u64>; 2] {
        let (observed, draws) = (Observed::new(panels[0], panels[1]), Draws { orders, count, seed: 3 });
        let here = observed.count_here(panels, &draws, &()).unwrap();
        for (most, draws_there) in [(1, false), (7, true), (usize::MAX, false)] {
            let panels = panels.map(Panel::clone);
            let device = Box::new(Backwards { panels, most, draws: draws_there, begun: None });
            let there = observed.count_there(device, &draws, &()).unwrap();
            assert_eq!((&here.alone, &here.by_largest), (&there.alone, &there.by_largest));
        }
        [here.alone, here.by_largest]
    }

    #[test]
    fn another_space_counts_what_the_host_counts() {
        for (rows, cols) in [(1, 1), (3, 2), (57, 1), (200, 9)] {
            let [x, y] = [1, 2].map(|seed| unit(&random_panel(rows, cols, seed)));
            counted([&x, &y], &Orders::All(rows), 101);
        }
    }

    #[test]
    fn orders_that_are_drawn_elsewhere_are_those_of_the_host() {
        for rows in [KNOWN - 1, KNOWN, KNOWN + 1, KNOWN + 3, 150_000] {
            // Another order would have other sums, few of which are larger than these.
            let x = unit(&random_panel(rows, 2, 1));
            let y = unit(&Panel::from_fn(rows, 2, |i, j| x.row(i)[j] / 99.0 + x.row((i + 1) % rows)[j]));
            counted([&x, &y], &Orders::All(rows), 17);
            let mut expected = vec![0; rows];
            random::order(&mut expected, &mut random::generator(3, random::Purpose::Permutations, 5));
            let mut random = random::generator(3, random::Purpose::Permutations, 5);
            let mut places = vec![0; rows.min(KNOWN)];
            random::places(&mut places, &mut random);
            (places.len()..rows).for_each(|i| places.push(place(i as u32 + 1, &mut random)));
            assert_eq!(followed(&places), expected, "{rows} rows");
        }
    }

    #[test]
    fn orders_that_give_what_was_observed_count_however_they_are_summed() {
        // Scores of two and three values: about one order in thirty gives the observed correlation, most of
        // them rounded differently.
        let [x, y] =
            [2, 3].map(|values| unit(&Panel::from_fn(90, 2, |i, j| ((i * (j + 1)) % values) as f64 - 0.3)));
        let few = counted([&x, &y], &Orders::All(90), 2000);
        let exact = |order: &[u32]| -> i64 {
            let value = |i: usize, values: usize| (10 * (i % values)) as i64 - 3;
            order.iter().enumerate().map(|(i, &row)| value(i, 2) * value(row as usize, 3)).sum()
        };
        let in_order: Vec<u32> = (0..90).collect();
        let mut order = vec![0; 90];
        let orders = Orders::All(90);
        let reached = (0..2000).filter(|&index| {
            orders.draw(&mut order, &mut random::generator(3, random::Purpose::Permutations, index));
            exact(&order) >= exact(&in_order)
        });
        assert_eq!(few[0][0], reached.count() as u64);
    }

    #[test]
    fn rows_that_stay_and_columns_without_length_always_count() {
        // Half of all orders of the one group with two rows change nothing.
        let groups = Groups::new((0..40).map(|row| row.max(1)));
        let all: Vec<usize> = (0..40).collect();
        let orders = Orders::new(Exchange::Within(&groups), 40, &all).unwrap();
        let (x, y) = (unit(&random_panel(40, 2, 5)), unit(&random_panel(40, 2, 6)));
        let [alone, _] = counted([&x, &y], &orders, 400);
        assert!(alone.iter().all(|&count| count >= 150), "{alone:?}");
        let zero = Panel::zeros(40, 2);
        assert_eq!(counted([&x, &zero], &Orders::All(40), 30), [vec![30, 30], vec![30, 30]]);
    }
}
