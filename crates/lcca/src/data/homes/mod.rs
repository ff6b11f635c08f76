//! Where rows can live: in memory, in shards, in a Gram matrix, in sums.
//!
//! | file | holds |
//! |---|---|
//! | `accumulated` | Sums over rows that arrive in batches |
//! | `fold_grams` | The joint Gram matrices of the folds of cross-validation, formed together |
//! | `fold_sums` | The dense Gram matrices of the folds of cross-validation, for narrow views |
//! | `gathered` | The moments of rows that arrive in parts, about the first row |
//! | `in_memory_covariates` | Covariates of rows that can be read directly |
//! | `in_memory_pair` | The implementation of [`Pair`] for rows that can be read directly |
//! | `joint_pair` | Gram mode |
//! | `near_sums` | Sums about their center as a pair |
//! | `pieces` | Rows in several pieces that can all be read directly, as a worker of a cluster holds them |
//! | `shards` | Rows in several shards |
//! | `summed` | Rows whose dense Gram matrix is known |
//! | `sums` | Sums over the rows of narrow views |

pub(crate) mod accumulated;
pub(crate) mod fold_grams;
pub(crate) mod fold_sums;
pub(crate) mod gathered;
pub(crate) mod in_memory_covariates;
pub(crate) mod in_memory_pair;
pub(crate) mod joint_pair;
pub(crate) mod near_sums;
pub(crate) mod pieces;
pub(crate) mod shards;
pub(crate) mod summed;
pub(crate) mod sums;
