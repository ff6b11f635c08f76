//! Data that break numerical software: constant, dependent, badly scaled, far from zero.
//!
//! | file | holds |
//! |---|---|
//! | `covariates` | Fits to residuals on covariates that were never formed |
//! | `degenerate_data` | Rank deficiency, more columns than rows, constant and duplicate columns, ties |
//! | `far_from_zero` | Columns whose means are far above their deviations |
//! | `rounding_and_scales` | Data on which a careless computation goes wrong by rounding |
//! | `scaling` | Units of columns |
//! | `single_precision` | The first iterations on wide views run in single precision |
//! | `variables` | The scale of canonical variables |

pub(super) mod covariates;
pub(super) mod degenerate_data;
pub(super) mod far_from_zero;
pub(super) mod rounding_and_scales;
pub(super) mod scaling;
pub(super) mod single_precision;
pub(super) mod variables;
