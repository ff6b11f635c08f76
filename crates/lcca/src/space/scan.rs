//! Scans of sparse Gram matrices for columns that belong together, which a space may run where the matrices
//! are.
//!
//! The host's code in `fit` specifies each scan: `twins`, `grow` and `hubs`. A space must find the same
//! columns, so it follows the same operations in the same order.

use crate::data::JointGram;
use crate::error::Result;
use crate::side::Side;

/// The number of times that columns are added to a pair that grows.
pub const ROUNDS: usize = 2;
/// The number of columns that are added to each view at a time.
pub const ADDED: usize = 2;
/// The most columns of a view that a pair grows to, from at most two.
pub const MOST_GROWN: usize = 2 + ROUNDS * ADDED;
/// The number of partners of a column that count, those of the largest entries.
pub const PARTNERS: usize = 64;
/// The number of entries of a row that are summed as one segment. The sums of the segments are added in
/// order.
pub const SEGMENT: usize = 1024;
/// The number of lanes of a segment. Entry i is added in lane i mod 32, and then the second half of the
/// lanes to the first, until one is left.
pub const SUM_LANES: usize = 32;

/// Gram matrices with everything that turns them into B and A of the problem.
pub struct GramView<'a> {
    /// The stored entries, not centered.
    pub joint: &'a JointGram,
    /// The column means that are subtracted.
    pub means: Option<&'a [Vec<f64>; 2]>,
    /// The ridges that are added to the diagonals of B.
    pub ridges: [f64; 2],
    /// Whether B of a view is its ridge times I, without C.
    pub identities: [bool; 2],
    /// 1/diag(B) of each view, 0 for a constant column.
    pub inverse: &'a [Vec<f64>; 2],
}

/// Two columns, and the product that they would have if both had B-length 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledProduct {
    /// The product.
    pub product: f64,
    /// The columns.
    pub columns: [u32; 2],
}

/// The limits that decide which columns of a view are twins.
#[derive(Clone, Copy, Debug)]
pub struct TwinLimits {
    /// The fewest entries of a column that can have a twin.
    pub fewest: u64,
    /// The least product of twins, by absolute value.
    pub least: f64,
    /// The least difference between 1 and the square of the product of twins. Columns with a smaller one
    /// are the same.
    pub same: f64,
}

/// A pair of directions on few columns.
pub struct SparsePair {
    /// The columns of each view.
    pub columns: [Vec<u32>; 2],
    /// The weights of these columns.
    pub weights: [Vec<f64>; 2],
    /// The objective of the pair.
    pub objective: f64,
}

/// The limits that decide which columns may have many partners.
#[derive(Clone, Copy, Debug)]
pub struct HubLimits {
    /// The least sum of squares of a column's products, and the least objective of a witness.
    pub explained: f64,
    /// The share of the sum that no single partner may have.
    pub alone: f64,
    /// The number that is added to the diagonal between partners.
    pub epsilon: f64,
    /// The largest objective.
    pub largest: f64,
}

/// For each query, its best partner if there is one: a correlation and a place.
pub type Matches = Vec<Option<(f64, usize)>>;

/// Gram matrices in a space that can scan them. Any answer may be `None`, which leaves the search to the
/// host.
pub trait GramScan: Send + Sync {
    /// The pairs of twins of each view, in any order: each column with the other one of its view that has
    /// the largest product by absolute value, the first one if several are equal. If two columns are
    /// nearest to each other, the first is listed.
    fn twins(&self, limits: TwinLimits) -> Result<Option<[Vec<ScaledProduct>; 2]>>;

    /// For each pair of twins of X, the pair of Y whose difference correlates most with theirs, the first
    /// one if several are equal, if the correlation is above `faint`: the correlation and the place of the
    /// pair.
    fn matched_twins(&self, x: &[ScaledProduct], y: &[ScaledProduct], faint: f64) -> Result<Option<Matches>>;

    /// Pairs of columns of X and Y, each the strongest pair of one of its columns, the first one if several
    /// are equal, with a product above `faint`: the `most` largest and perhaps others, in any order. Pairs
    /// that are the strongest of both columns occur twice.
    fn strongest(&self, faint: f64, most: usize) -> Result<Option<Vec<ScaledProduct>>>;

    /// The columns that may have many partners, in any order, with the sums of the squares of their
    /// products with the other view.
    fn explained(&self, side: Side, limits: HubLimits) -> Result<Option<Vec<(f64, u32)>>>;

    /// The witnesses of some columns of a view and their partners, where there is one.
    fn hubs(&self, side: Side, columns: &[u32], limits: HubLimits)
    -> Result<Option<Vec<Option<SparsePair>>>>;

    /// The pairs that grow from at most two columns of each view. The objective is NaN if growing fails.
    fn grown(&self, seeds: &[[Vec<u32>; 2]]) -> Result<Option<Vec<SparsePair>>>;
}
