//! The random orders of a test, drawn one by one or in batches for a space that deals rows to each other.

use super::exchange::Orders;
use crate::error::{Error, Result};
use crate::random;
use crate::space::{Dealing, Generator, KNOWN};
use crate::watch::{Cost, Watch};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// The most numbers in a batch of orders: 64 MB. A batch has at least one order per thread.
const BATCH: usize = 1 << 24;
/// The number of batches to aim for, unless they would be very small.
const OVERLAPPING: usize = 4;

/// The random orders of a test.
pub(in crate::fit) struct Draws<'a> {
    pub orders: &'a Orders,
    pub count: usize,
    pub seed: u64,
}

impl Draws<'_> {
    /// The number of orders drawn at a time: a multiple of the threads, in several batches, so that drawing
    /// and dealing overlap.
    fn batch(&self) -> usize {
        let threads = rayon::current_num_threads();
        let most = (BATCH / self.orders.rows().max(1)).min(self.count / OVERLAPPING);
        most.next_multiple_of(threads).max(threads).min(self.count)
    }

    /// Writes the `index`-th order: the row that comes to each place.
    pub fn draw(&self, index: usize, order: &mut [u32], watch: &dyn Watch) -> Result<()> {
        self.orders.draw(order, &mut self.generator(index));
        go_on(watch)
    }

    /// The generator of the `index`-th order, which depends on that number alone.
    fn generator(&self, index: usize) -> ChaCha8Rng {
        random::generator(self.seed, random::Purpose::Permutations, index as u64)
    }
}

fn go_on(watch: &dyn Watch) -> Result<()> {
    if watch.pass(Cost::default()).is_break() { Err(Error::Interrupted) } else { Ok(()) }
}

/// A batch of orders that are dealt together.
pub(in crate::fit) struct Batch {
    /// The most orders of the batch.
    count: usize,
    /// Whether the host draws whole orders, or the first places only.
    is_whole: bool,
    /// How many numbers of each order the host draws.
    each: usize,
    numbers: Vec<u32>,
    /// The generators of the other places.
    generators: Vec<Generator>,
}

impl Batch {
    /// Prepares a batch for `dealing`, which draws orders of very many rows itself if it can.
    pub fn new(dealing: &mut dyn Dealing, draws: &Draws<'_>) -> Self {
        let most = draws.batch().min(dealing.most());
        let is_large = matches!(draws.orders, Orders::All(rows) if *rows > KNOWN);
        let (count, is_whole) = match dealing.drawing() {
            Some(drawing) if is_large => (drawing.most().min(draws.count), false),
            _ => (most, true),
        };
        let (count, each) = (count.max(1), if is_whole { draws.orders.rows() } else { KNOWN });
        Batch { count, is_whole, each, numbers: vec![0; count * each], generators: Vec::new() }
    }

    /// The most orders of the batch.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Draws the orders of a batch, from the `first` on.
    pub fn draw(&mut self, draws: &Draws<'_>, first: usize, watch: &dyn Watch) -> Result<()> {
        self.numbers.truncate((draws.count - first) * self.each);
        let is_whole = self.is_whole;
        let draw = |(index, numbers): (usize, &mut [u32])| {
            let mut random = draws.generator(first + index);
            if is_whole {
                draws.orders.draw(numbers, &mut random);
            } else {
                random::places(numbers, &mut random);
            }
            go_on(watch).map(|()| continued(&random))
        };
        let orders = self.numbers.par_chunks_exact_mut(self.each).enumerate();
        self.generators = orders.map(draw).collect::<Result<_>>()?;
        Ok(())
    }

    /// Starts the sums of these orders.
    pub fn begin(&self, dealing: &mut dyn Dealing) -> Result<()> {
        match dealing.drawing() {
            Some(drawing) if !self.is_whole => drawing.begin(&self.numbers, &self.generators),
            _ => dealing.begin(&self.numbers),
        }
    }
}

/// The state of a generator, for a device to continue from.
fn continued(random: &ChaCha8Rng) -> Generator {
    let seed = random.get_seed();
    let word =
        |i: usize| u32::from_le_bytes([seed[4 * i], seed[4 * i + 1], seed[4 * i + 2], seed[4 * i + 3]]);
    Generator {
        key: std::array::from_fn(word),
        stream: random.get_stream(),
        word: random.get_word_pos() as u64,
    }
}
