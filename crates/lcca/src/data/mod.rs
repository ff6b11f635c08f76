//! Two row-paired views, seen only through sums over their rows.
//!
//! [`Pair`] is the contract between rows and algorithms, and [`Ask`] is the request of a pass. Rows live in
//! memory or in mapped files ([`InMemory`], [`Pieces`]), in parts that are asked one after the other
//! ([`Shards`]), or are known only by their Gram matrices ([`JointGram`]). [`Centered`], [`Residual`],
//! [`Scaled`], [`Counting`] and [`Cached`] wrap any pair. Nothing n-sized crosses this interface.

mod facts;
pub(crate) mod grams;
mod homes;
mod in_memory;
#[cfg(any(test, feature = "laws"))]
pub mod laws;
#[cfg(test)]
mod laws_tests;
mod pair;
mod recut;
pub(crate) mod row_gram;
mod rows;
mod wrap;

pub use crate::side::{Shape, Side};
pub use crate::watch::Cost;
pub use facts::ask::{Ask, Source};
pub use facts::composition::Composition;
pub use facts::covariates::{Covariates, Explained};
pub use facts::estimate::{GramEstimate, GramSample};
pub(crate) use facts::moments::COLUMNS;
pub use facts::moments::Moments;
pub use facts::origin::Origin;
pub use facts::standardize::ColumnScale;
pub use facts::triangle::Triangle;
pub use grams::gram::{GramMatrix, SparseGram, StoredGram};
pub use grams::joint::{JointGram, add_blocks};
pub use grams::product::Allowance;
pub use grams::row_sums::RowSums;
pub use grams::transposed::by_columns;
pub use homes::accumulated::Accumulated;
pub use homes::fold_grams::FoldGrams;
pub use homes::fold_sums::FoldSums;
pub use homes::gathered::GatheredMoments;
pub use homes::pieces::Pieces;
pub use homes::shards::Shards;
pub use homes::summed::Summed;
pub use homes::sums::Sums;
pub use in_memory::{InMemory, PanelSpace};
pub use pair::{Blocks, Capabilities, Grams, JointGrams, Near, Pair, Reduced, Samples, Structure, Triangles};
pub(crate) use recut::Cut;
pub use rows::reduce::columns_to_keep;
pub use wrap::cached::Cached;
pub use wrap::centered::Centered;
pub use wrap::counting::{Counting, Tally};
pub use wrap::formed::Formed;
pub use wrap::normal::Normal;
pub use wrap::residual::Residual;
pub use wrap::scaled::Scaled;
