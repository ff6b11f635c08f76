//! Rows of two panels that are dealt to each other in many orders, for permutation tests.

use crate::error::Result;

/// Two panels x and y with the same numbers of rows and columns, outside ordinary memory.
pub trait Dealing: Send {
    /// The most orders that one call takes, at least one.
    fn most(&self) -> usize;

    /// Begins to sum `x[i, j]·y[order[i], j]` over all rows i, for every column j and each order. `orders`
    /// holds one order after another, and may be overwritten when this returns. The sums depend neither on
    /// the other orders nor on chance.
    fn begin(&mut self, orders: &[u32]) -> Result<()>;

    /// Waits for the sums that were begun last: one per column, order after order.
    fn sums(&mut self) -> Result<Vec<f64>>;

    /// Returns `self` as a [`Drawing`] if it draws orders sooner than the host. By default the host draws
    /// them.
    fn drawing(&mut self) -> Option<&mut dyn Drawing> {
        None
    }
}

/// Draws the random orders of all rows that the host would draw.
///
/// An order is the result of exchanging each number i of 0, 1, 2, … with the one at a random place up to i.
/// The host draws the places of the first [`KNOWN`] numbers, because several of them come from one word of
/// the generator. Later ones take a word each: the place of i is the upper half of the word times i + 1,
/// plus one if the lower half and the upper half of the next word times i + 1 add up to 2³² or more. That
/// next word is drawn only if the lower half is above 2³² − (i + 1), because otherwise they cannot.
pub trait Drawing {
    /// The most orders that one call draws, at least one.
    fn most(&self) -> usize;

    /// Begins with the sums of orders whose first places are known, one order after another, and continues
    /// each order with its generator.
    fn begin(&mut self, places: &[u32], generators: &[Generator]) -> Result<()>;
}

/// The count of numbers of an order whose places the host draws.
pub const KNOWN: usize = 1 << 16;

/// The state of ChaCha with 8 rounds.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// The key of the generator.
    pub key: [u32; 8],
    /// The stream of the generator: the last two words of each block.
    pub stream: u64,
    /// The next word of the generator.
    pub word: u64,
}
