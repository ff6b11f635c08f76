//! Exact answers for narrow views, by dense algebra.
//!
//! `auto` takes Gram matrices for narrow views, and QR of the rows where these lose too many digits.
//!
//! | file | holds |
//! |---|---|
//! | `exact` | QR of the rows (Björck & Golub 1973) |
//! | `gram` | the dense Gram matrix of both views |
//! | `krylov` | a few leading singular triplets by block Krylov iteration |
//! | `leading` | leading singular triplets, exact to rounding |
//! | `pivoted` | whitening by Cholesky with pivots |
//! | `sketch` | rows added up at random before QR |

pub(super) mod exact;
pub(super) mod gram;
pub(super) mod krylov;
pub(super) mod leading;
pub(super) mod pivoted;
pub(super) mod sketch;
