//! What a fit says about the rows it has not seen: tests and intervals.
//!
//! Everything here repeats cheap work many times: refits from near weights, or correlations under random
//! orders of the rows.
//!
//! | file | holds |
//! |---|---|
//! | `bootstrap` | intervals and stability from resamples |
//! | `components` | how many pairs there are |
//! | `dealt` | how often random orders do as well as the observed one |
//! | `drawn` | the random orders |
//! | `exchange` | which rows may change places |
//! | `interval` | intervals for correlations |
//! | `matching` | which pair of a resample is which pair of the model |
//! | `permute` | the permutation test |
//! | `project_out` | scores without covariates |
//! | `resample` | resamples as row weights |
//! | `wilks` | Wilks' Λ |

pub(super) mod bootstrap;
pub(super) mod components;
pub(super) mod dealt;
pub(super) mod drawn;
pub(super) mod exchange;
pub(super) mod interval;
pub(super) mod matching;
pub(super) mod permute;
pub(super) mod project_out;
pub(super) mod resample;
pub(super) mod wilks;
