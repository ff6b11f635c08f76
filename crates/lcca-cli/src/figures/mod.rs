//! The pictures that `lcca plot` writes and `lcca report` shows.
//!
//! Each file holds the numbers of one picture: the columns, the components and their positions.
//! [`crate::picture`] draws them.

mod biplot;
mod certainty;
mod circle;
mod columns;
mod given_rows;
mod heatmap;
mod illustration;
mod labels;
mod loadings;
mod order;
mod scores;
mod scree;
mod similarity;
mod training;

pub use biplot::biplot;
pub use certainty::Certainty;
pub use circle::circle;
pub use columns::{ColumnNames, largest};
pub use given_rows::GivenRows;
pub use heatmap::heatmap;
pub use illustration::Illustration;
pub use labels::RowLabels;
pub use loadings::loadings;
pub use scores::scores;
pub use scree::{Scree, scree};
pub use similarity::cim;
pub use training::are_training_rows;
