//! Rows of two panels that are dealt to each other in many orders, which is what a permutation test does.

use crate::error::Result;

/// Two panels of equally many rows and columns, x and y, somewhere else than in ordinary memory.
pub trait Dealing: Send {
    /// The most orders that it takes at a time, at least one.
    fn most(&self) -> usize;

    /// Begins to sum `x[i, j]·y[order[i], j]` over all rows i, for every column j and each of some orders. These follow each other, and may be overwritten
    /// when this returns. The sums depend neither on the other orders nor on chance.
    fn begin(&mut self, orders: &[u32]) -> Result<()>;

    /// Waits for the sums that were begun last: one per column, order after order.
    fn sums(&mut self) -> Result<Vec<f64>>;
}
