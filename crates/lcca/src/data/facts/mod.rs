//! What is known of rows and asked of them, as plain data.
//!
//! | file | holds |
//! |---|---|
//! | `ask` | The request of a pass |
//! | `chosen` | Some columns of both views, numbered anew |
//! | `composition` | A pass described as data, so that a space whose panels are not in ordinary memory can compute it |
//! | `covariates` | The part of two views that covariates explain |
//! | `dead_columns` | Columns that are zero after subtraction |
//! | `estimate` | The number of entries that [X Y]ᵀ[X Y] would have, estimated from a sample of the rows |
//! | `moments` | Column sums, squared norms and counts |
//! | `origin` | The numbers that were subtracted from columns before anything was summed |
//! | `standardize` | Rows that are standardized one by one |
//! | `triangle` | The triangular factor of [1 X Y], by QR over blocks of rows (TSQR) |

pub(crate) mod ask;
pub(crate) mod chosen;
pub(crate) mod composition;
pub(crate) mod covariates;
pub(crate) mod dead_columns;
pub(crate) mod estimate;
pub(crate) mod moments;
pub(crate) mod origin;
pub(crate) mod standardize;
pub(crate) mod triangle;
