//! Pairs that change another pair: centered, scaled, counted, without the effects of covariates.
//!
//! A wrapper changes passes, not rows.
//!
//! | file | holds |
//! |---|---|
//! | `cached` | Small dense summaries of the rows, formed once |
//! | `centered` | Centering without densifying |
//! | `counting` | Counting passes and work, and telling a watcher about them |
//! | `formed` | A pair that is known only by its joint Gram matrix |
//! | `near_origin` | Rows about an origin |
//! | `normal` | The normal operator of one view |
//! | `residual` | Residuals on covariates, without forming them |
//! | `residual_tests` | Residuals on covariates obey the laws of any pair |
//! | `scaled` | Columns in other units, without changing the rows |

pub(crate) mod cached;
pub(crate) mod centered;
pub(crate) mod counting;
pub(crate) mod formed;
pub(crate) mod near_origin;
pub(crate) mod normal;
pub(crate) mod residual;
#[cfg(test)]
pub(crate) mod residual_tests;
pub(crate) mod scaled;
