//! Fits models, and uses fitted ones.
//!
//! `driver` is the line from data to a fit; every other file is one step of it, and every folder one kind of
//! method or use.
//!
//! | file or folder | holds |
//! |---|---|
//! | `certify` | checks of what a fit claims |
//! | `check` | what is refused before anything is computed |
//! | `checkpoint` | whether a checkpoint can be continued |
//! | `dense` | exact answers for narrow views |
//! | `driver` | plan, prepare, iterate, finish |
//! | `finish` | from weights to a model |
//! | `folds` | rows held out, and what is chosen with them |
//! | `infer` | tests and intervals |
//! | `lobpcg` | the default method |
//! | `models` | what a fit returns |
//! | `one_fit` | one fit to data that are prepared |
//! | `pairs` | weights with their products |
//! | `paper` | the paper's methods |
//! | `plan` | what `auto` means |
//! | `precondition` | the preconditioner of the default method |
//! | `proof` | proofs that no pair was overlooked |
//! | `risk` | correlations that mean nothing |
//! | `scale` | which columns are divided by their deviations |

mod certify;
mod check;
mod checkpoint;
mod dense;
mod driver;
mod finish;
mod folds;
mod infer;
mod lobpcg;
mod models;
mod one_fit;
mod pairs;
mod paper;
mod plan;
mod precondition;
mod proof;
mod risk;
mod scale;
#[cfg(test)]
mod tests;

pub use crate::watch::{Checkpoint, Loop, TraceRow, Watch};
pub use certify::verdict::Verdict;
pub use driver::{fit, resume};
pub use folds::division::Folds;
pub use folds::groups::Groups;
pub use folds::hold_out::{HoldOut, hold_out, hold_out_groups};
pub use folds::path::path;
pub use folds::select::{FoldScores, cross_validate, cross_validate_on};
pub use folds::selection::Selection;
pub use infer::bootstrap::{Bootstrap, Resampling, ViewErrors, bootstrap};
pub use infer::components::{Components, TRIED, recommend_components};
pub use infer::exchange::Exchange;
pub use infer::interval::{Interval, correlation_interval};
pub use infer::permute::{PermutationTest, Significance, permutation_test, permutation_test_in};
pub use infer::wilks::{Wilks, wilks};
pub use models::certificate::{Certificate, Kind, Proven, Search};
pub use models::fitted::Fit;
pub use models::held_out::HeldOut;
pub use models::model::{Effects, Model, View};
pub use models::regress::Regressions;
pub use models::score::Scores;
pub use models::two_samples::{TwoSamples, embed};
pub use plan::{estimated_operations, operations_elsewhere};
pub use risk::{Risk, risk};
