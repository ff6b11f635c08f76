//! Fitting, and using what was fitted.
//!
//! `driver` is the line from data to a fit; every other file is one step of it, one algorithm, or one use of a model.

mod alternate;
mod both_views;
mod bounds;
mod certificate;
mod certify;
mod checkpoint;
mod choose;
mod coarse;
mod driver;
mod eigenproblem;
mod exact;
mod finish;
mod fitted;
mod fold_data;
mod folds;
mod gram;
mod held_out;
mod hold_out;
mod leading;
mod lobpcg;
mod model;
mod one_view;
mod path;
mod permute;
mod pivoted;
mod plan;
mod precondition;
mod problem;
mod regress;
mod restore;
mod risk;
mod rpcca;
mod scale;
mod score;
mod search;
mod select;
mod selection;
mod shared_columns;
mod shifted_factor;
mod significant;
mod sketch;
mod stopping;
#[cfg(test)]
mod tests;
mod transform;
mod view_block;
mod witness;

pub use crate::watch::{Checkpoint, Loop, TraceRow, Watch};
pub use certificate::{Certificate, Kind, Search};
pub use certify::Verdict;
pub use driver::{fit, resume};
pub use fitted::Fit;
pub use folds::Folds;
pub use held_out::HeldOut;
pub use hold_out::{HoldOut, hold_out};
pub use model::{Effects, Model, View};
pub use path::path;
pub use permute::{Significance, permutation_test};
pub use plan::estimated_operations;
pub use regress::Regressions;
pub use risk::{Risk, risk};
pub use score::Scores;
pub use select::{FoldScores, cross_validate, cross_validate_on};
pub use selection::Selection;
