//! Two row-paired views, seen only through sums over their rows.
//!
//! [`Pair`] is the contract between rows and algorithms, and [`Ask`] is the request of a pass. Rows live in
//! memory or in mapped files ([`InMemory`], [`Pieces`]), in parts that are asked one after the other
//! ([`Shards`]), or are known only by their Gram matrices ([`JointGram`]). [`Centered`], [`Residual`],
//! [`Scaled`], [`Counting`] and [`Cached`] wrap any pair. Nothing n-sized crosses this interface.

mod accumulated;
mod ask;
mod block_gram;
mod cached;
mod centered;
mod chosen;
mod composition;
mod counting;
mod covariates;
mod dead_columns;
mod dense_gram;
mod estimate;
mod fold_grams;
mod fold_sums;
mod formed;
mod gathered;
mod gram;
mod in_memory;
mod in_memory_covariates;
mod in_memory_pair;
mod joint;
mod joint_pair;
pub(crate) mod joint_single;
mod laned;
#[cfg(any(test, feature = "laws"))]
pub mod laws;
#[cfg(test)]
mod laws_tests;
mod merge;
mod moments;
mod near_origin;
mod near_sums;
mod normal;
mod origin;
mod pair;
mod paired_rows;
mod parts;
mod pieces;
mod product;
mod recut;
mod reduce;
mod residual;
#[cfg(test)]
mod residual_tests;
pub(crate) mod row_gram;
mod row_sums;
mod sample;
mod scaled;
mod scatter_gram;
mod shards;
mod sketch;
mod standardize;
mod summed;
mod sums;
mod touched;
mod transposed;
mod triangle;

pub use crate::side::{Shape, Side};
pub use crate::watch::Cost;
pub use accumulated::Accumulated;
pub use ask::{Ask, Source};
pub use cached::Cached;
pub use centered::Centered;
pub use composition::Composition;
pub use counting::{Counting, Tally};
pub use covariates::{Covariates, Explained};
pub use estimate::{GramEstimate, GramSample};
pub use fold_grams::FoldGrams;
pub use fold_sums::FoldSums;
pub use formed::Formed;
pub use gathered::GatheredMoments;
pub use gram::{GramMatrix, SparseGram, StoredGram};
pub use in_memory::{InMemory, PanelSpace};
pub use joint::{JointGram, add_blocks};
pub(crate) use moments::COLUMNS;
pub use moments::Moments;
pub use normal::Normal;
pub use origin::Origin;
pub use pair::{Blocks, Capabilities, Grams, JointGrams, Near, Pair, Reduced, Samples, Structure, Triangles};
pub use pieces::Pieces;
pub use product::Allowance;
pub(crate) use recut::Cut;
pub use reduce::columns_to_keep;
pub use residual::Residual;
pub use row_sums::RowSums;
pub use scaled::Scaled;
pub use shards::Shards;
pub use standardize::ColumnScale;
pub use summed::Summed;
pub use sums::Sums;
pub use transposed::by_columns;
pub use triangle::Triangle;
