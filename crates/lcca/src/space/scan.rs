//! Scans of sparse Gram matrices for columns that belong together, which a space may do where it has the
//! matrices.
//!
//! Each of them is specified by what the host does in `fit`: `twins`, `grow` and `hubs`. A space follows the
//! same operations in the same order, so that it finds the same columns.

use crate::data::JointGram;
use crate::error::Result;
use crate::side::Side;

/// How often columns are added to a pair that grows.
pub const ROUNDS: usize = 2;
/// Columns that are added to each view at a time.
pub const ADDED: usize = 2;
/// Most columns of a view that a pair grows to, from at most two.
pub const MOST_GROWN: usize = 2 + ROUNDS * ADDED;
/// Partners of a column that count, those of the largest entries.
pub const PARTNERS: usize = 64;
/// Sums over the entries of a row are added up in segments of so many, and these in order.
pub const SEGMENT: usize = 1024;
/// Entry i of a segment is added in lane i mod 32, and then the second half of the lanes to the first, until
/// one is left.
pub const SUM_LANES: usize = 32;

/// Gram matrices, and what makes the problem's B and A of them.
pub struct GramView<'a> {
    /// The stored entries, not centered.
    pub joint: &'a JointGram,
    /// The column means that are subtracted.
    pub means: Option<&'a [Vec<f64>; 2]>,
    /// Added to the diagonals of B.
    pub ridges: [f64; 2],
    /// Whether B of a view is its ridge times I, without C.
    pub identities: [bool; 2],
    /// 1/diag(B) of each view, 0 for a constant column.
    pub inverse: &'a [Vec<f64>; 2],
}

/// Two columns, and their product if both had B-length 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledProduct {
    /// The product.
    pub product: f64,
    /// The columns.
    pub columns: [u32; 2],
}

/// Which columns of a view are twins.
#[derive(Clone, Copy, Debug)]
pub struct TwinLimits {
    /// Columns with fewer entries have none.
    pub fewest: u64,
    /// Their product by absolute value is above this.
    pub least: f64,
    /// 1 minus its square is above this: otherwise they are the same.
    pub same: f64,
}

/// A pair of directions on few columns.
pub struct SparsePair {
    /// The columns of each view.
    pub columns: [Vec<u32>; 2],
    /// Their weights.
    pub weights: [Vec<f64>; 2],
    /// The objective.
    pub objective: f64,
}

/// Which columns may have many partners.
#[derive(Clone, Copy, Debug)]
pub struct HubLimits {
    /// The least that squares add up to, and the least objective.
    pub explained: f64,
    /// The share of the sum that no single partner may have.
    pub alone: f64,
    /// Added to the diagonal between partners.
    pub epsilon: f64,
    /// The largest objective.
    pub largest: f64,
}

/// The best partner of each of some things: a correlation and a place, if there is one.
pub type Matches = Vec<Option<(f64, usize)>>;

/// Gram matrices in a space that can scan them. Every answer may be `None`: then the host finds it.
pub trait GramScan: Send + Sync {
    /// The pairs of twins of each view, in any order: each column, and the other one of its view with the
    /// largest product by absolute value, the first of equal ones. Of two that are nearest to each other, the
    /// first is listed.
    fn twins(&self, limits: TwinLimits) -> Result<Option<[Vec<ScaledProduct>; 2]>>;

    /// For each pair of twins of X the pair of Y whose difference correlates most with theirs, the first of
    /// equal ones, if that is above `faint`: the correlation and its place.
    fn matched_twins(&self, x: &[ScaledProduct], y: &[ScaledProduct], faint: f64) -> Result<Option<Matches>>;

    /// Pairs of columns of X and Y that are the strongest of one of them, the first of equal ones, and above
    /// `faint`: the `most` largest and perhaps others, in any order. Those that are each other's strongest
    /// are there twice.
    fn strongest(&self, faint: f64, most: usize) -> Result<Option<Vec<ScaledProduct>>>;

    /// Columns that may have many partners, in any order, and what the squares of their products with the
    /// other view add up to.
    fn explained(&self, side: Side, limits: HubLimits) -> Result<Option<Vec<(f64, u32)>>>;

    /// The witnesses of some columns of a view and their partners, each if there is one.
    fn hubs(&self, side: Side, columns: &[u32], limits: HubLimits)
    -> Result<Option<Vec<Option<SparsePair>>>>;

    /// The pairs that grow from at most two columns of each view. The objective is not a number if that
    /// fails.
    fn grown(&self, seeds: &[[Vec<u32>; 2]]) -> Result<Option<Vec<SparsePair>>>;
}
