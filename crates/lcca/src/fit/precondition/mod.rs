//! The preconditioner M ≈ B − A of the default method.
//!
//! `preconditioner` chooses; every other file is one way to stand for (B − A)⁻¹, or a part of one.
//!
//! | file | holds |
//! |---|---|
//! | `block_size` | how large a coarse block may be |
//! | `choose` | which columns it holds |
//! | `coarse` | (B − A)⁻¹ on some columns, dense |
//! | `coarse_factor` | its Cholesky factor |
//! | `incomplete` | an incomplete factor of sparse Gram matrices |
//! | `inverse` | what all of these have in common |
//! | `preconditioner` | which of them a fit takes, and when it takes another |
//! | `row_space` | exact where rows are few |
//! | `shifted_factor` | a sparse factor, for the method `shift-invert` |
//! | `single_cholesky` | Cholesky factors in single precision |
//! | `two_level` | over rows: a factor of frequent columns, a polynomial for the others |
//! | `varying` | directions without variance, taken out |

pub(super) mod block_size;
pub(super) mod choose;
pub(super) mod coarse;
pub(super) mod coarse_factor;
pub(super) mod incomplete;
pub(super) mod inverse;
pub(super) mod preconditioner;
pub(super) mod row_space;
pub(super) mod shifted_factor;
pub(super) mod single_cholesky;
pub(super) mod two_level;
pub(super) mod varying;
