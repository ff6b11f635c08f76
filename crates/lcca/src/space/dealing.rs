//! Rows of two panels that are dealt to each other in many orders, which is what a permutation test does.

use crate::error::Result;

/// Two panels of equally many rows and columns, x and y, somewhere else than in ordinary memory.
pub trait Dealing: Send {
    /// The most orders that it takes at a time, at least one.
    fn most(&self) -> usize;

    /// Begins to sum `x[i, j]·y[order[i], j]` over all rows i, for every column j and each of some orders.
    /// These follow each other, and may be overwritten when this returns. The sums depend neither on the
    /// other orders nor on chance.
    fn begin(&mut self, orders: &[u32]) -> Result<()>;

    /// Waits for the sums that were begun last: one per column, order after order.
    fn sums(&mut self) -> Result<Vec<f64>>;

    /// Itself, if it draws orders sooner than the host. By default the host draws them.
    fn drawing(&mut self) -> Option<&mut dyn Drawing> {
        None
    }
}

/// Draws random orders of all rows itself: those that the host would draw.
///
/// An order is what exchanging each number i of 0, 1, 2, … with the one at a random place up to i gives. The
/// host draws the places of the first [`KNOWN`] numbers, because several of them come from one word of the
/// generator. Later ones take a word each: the place of i is the upper half of the word times i + 1, plus one
/// if the lower half and the upper half of the next word times i + 1 add up to 2³² or more. That next word is
/// drawn only if the lower half is above 2³² − (i + 1): otherwise they cannot.
pub trait Drawing {
    /// The most orders that it draws at a time, at least one.
    fn most(&self) -> usize;

    /// Begins with the sums of orders of which the first places are known, one order after another, and a
    /// generator for each of the others.
    fn begin(&mut self, places: &[u32], generators: &[Generator]) -> Result<()>;
}

/// Numbers of an order whose places the host draws.
pub const KNOWN: usize = 1 << 16;

/// ChaCha with 8 rounds.
#[derive(Clone, Copy, Debug)]
pub struct Generator {
    /// Its key.
    pub key: [u32; 8],
    /// Its stream: the last two words of each block.
    pub stream: u64,
    /// The next of its words.
    pub word: u64,
}
