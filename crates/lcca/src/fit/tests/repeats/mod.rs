//! Fits that are repeated: resamples, folds, permutations.
//!
//! | file | holds |
//! |---|---|
//! | `bootstrap` | Intervals that cover, stability that tells ties, and resamples that are deterministic |
//! | `exchange` | P-values are uniform if the views are independent |
//! | `fold_path` | Paths of ridges on the rows outside folds must give the scores of whole fits to these rows |
//! | `selection` | Ridge paths, cross-validation and permutation tests |

pub(super) mod bootstrap;
pub(super) mod exchange;
pub(super) mod fold_path;
pub(super) mod selection;
