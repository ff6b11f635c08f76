//! What a fit returns, and what can be done with it.
//!
//! | file | holds |
//! |---|---|
//! | `certificate` | bounds, as data |
//! | `fitted` | a finished fit |
//! | `held_out` | correlations on both sides of a cut |
//! | `model` | weights, correlations, loadings: enough for new rows |
//! | `regress` | columns as functions of canonical variables |
//! | `restore` | from a reduced problem back to the one asked for |
//! | `score` | correlations on given rows |
//! | `seen` | rows as a fit sees them |
//! | `shared_columns` | columns that both views have |
//! | `transform` | canonical variables of new rows |
//! | `two_samples` | CCA of two data sets with the same columns and different rows |

pub(super) mod certificate;
pub(super) mod fitted;
pub(super) mod held_out;
pub(super) mod model;
pub(super) mod regress;
pub(super) mod restore;
pub(super) mod score;
pub(super) mod seen;
pub(super) mod shared_columns;
pub(super) mod transform;
pub(super) mod two_samples;
