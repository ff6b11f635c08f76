//! Two row-paired views, seen only through sums over their rows.
//!
//! Nothing n-sized crosses this interface. Every verb of [`Pair`] is a sum (or a merge) over rows, so rows may live in
//! memory, in a mapped file, in shards or on other machines, and the algorithms do not change.

mod ask;
mod centred;
mod counting;
mod dense_gram;
mod estimate;
mod gram;
mod in_memory;
mod joint;
#[cfg(test)]
mod laws;
mod merge;
mod moments;
mod normal;
mod parts;
mod pieces;
mod product;
mod reduce;
mod remember;
mod shards;
mod triangle;

pub use ask::{Ask, Source};
pub use centred::Centred;
pub use counting::{Cost, Counting, Tally};
pub(crate) use dense_gram::mirrored;
pub use estimate::{GramEstimate, GramSample};
pub use gram::{GramMatrix, SparseGram, StoredGram};
pub use in_memory::InMemory;
pub use joint::{JointGram, add_blocks};
pub use moments::Moments;
pub use normal::Normal;
pub use pieces::Pieces;
pub use reduce::{Reduced, columns as columns_to_keep};
pub use remember::Remembering;
pub use shards::Shards;
pub use triangle::Triangle;

use crate::error::Result;
use faer::Mat;
use std::fmt;

/// Which of the two views.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first view.
    X,
    /// The second view.
    Y,
}

impl Side {
    /// X, then Y.
    pub const BOTH: [Side; 2] = [Side::X, Side::Y];

    /// The other view.
    pub fn other(self) -> Side {
        match self {
            Side::X => Side::Y,
            Side::Y => Side::X,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::X => "X",
            Side::Y => "Y",
        })
    }
}

/// Rows and columns of a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Rows of both views.
    pub rows: usize,
    /// Columns of X.
    pub x_cols: usize,
    /// Columns of Y.
    pub y_cols: usize,
}

impl Shape {
    /// Columns of one view.
    pub fn cols(&self, side: Side) -> usize {
        match side {
            Side::X => self.x_cols,
            Side::Y => self.y_cols,
        }
    }
}

/// Two row-paired views X (n×p₁) and Y (n×p₂).
///
/// Laws, tested on every implementation: a pass is linear in its panels; the products XᵀX and YᵀY are symmetric and
/// XᵀY is the transpose of YᵀX; all equal the dense computation; splitting the rows changes nothing beyond rounding;
/// the centred pair equals explicitly centred data.
pub trait Pair: Sync {
    /// Rows and columns.
    fn shape(&self) -> Shape;

    /// Column sums, squared norms and counts of one view: one reading of it, remembered.
    fn moments(&self, side: Side) -> Result<&Moments>;

    /// One pass over the rows: **adds** the asked products of XᵀX·Wx, XᵀY·Wy, YᵀX·Wx, YᵀY·Wy into the given panels.
    ///
    /// # Panics
    /// Where a panel's height is not its view's width: that is a broken contract, not bad data.
    fn pass(&self, ask: &mut Ask<'_>) -> Result<()>;

    /// Whether every row of one view is known to hold at most one entry, which is 1: C is then diagonal.
    fn is_one_hot(&self, side: Side) -> bool {
        let _ = side;
        false
    }

    /// The same problem with fewer rows or columns, where that makes passes much cheaper.
    fn reduced(&self) -> Result<Option<Reduced>> {
        Ok(None)
    }

    /// The Gram matrix C = XᵀX (or YᵀY) of one view itself, sparse where the view is; an error where more than `limit`
    /// bytes would be needed.
    fn gram(&self, side: Side, limit: u64) -> Result<GramMatrix>;

    /// What [`Pair::joint_gram`] would hold and cost, from a sample of the rows; nothing where it cannot be formed, as for
    /// dense views.
    fn joint_gram_estimate(&self) -> Result<Option<GramEstimate>> {
        Ok(None)
    }

    /// All of [X Y]ᵀ[X Y], sparse; nothing where it cannot be formed, and an error where more than `limit` bytes would be
    /// needed.
    fn joint_gram(&self, limit: u64) -> Result<Option<JointGram>> {
        let _ = limit;
        Ok(None)
    }

    /// The lower triangle of [X Y]ᵀ[X Y] with `means` subtracted from every row, dense: for small views. An error where more
    /// than `limit` bytes would be needed.
    fn dense_gram(&self, means: Option<[&[f64]; 2]>, limit: u64) -> Result<Mat<f64>>;

    /// The triangular factor of [1 X Y], by QR over row blocks: what classical CCA needs of the data, without squaring
    /// its condition number. An error where more than `limit` bytes would be needed.
    fn triangle(&self, limit: u64) -> Result<Triangle>;
}
