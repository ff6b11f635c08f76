//! Methods against dense algebra and against each other.
//!
//! | file | holds |
//! |---|---|
//! | `conjugate_gradients` | Alternating least squares by conjugate gradients gives the answer of Cholesky |
//! | `default_method` | The default method reaches the true answer, with and without structure |
//! | `few_rows` | Rows that are few and wide, against a dense answer in row space |
//! | `inverses` | The stand-ins for (B − A)⁻¹ on all columns, against dense algebra |
//! | `methods` | Each method on random problems, against dense computations that share no code with it |
//! | `metrics` | Metrics other than that of CCA, against singular value decompositions of dense matrices |
//! | `narrow` | Narrow views are solved exactly |
//! | `regressions` | Regressions of columns on canonical variables |
//! | `sketching` | Row-sketched CCA |
//! | `structure` | Structure makes problems smaller and changes no answer |
//! | `theorems` | The paper's theorems, measured on data whose correlations and spectra are known |

pub(super) mod conjugate_gradients;
pub(super) mod default_method;
pub(super) mod few_rows;
pub(super) mod inverses;
pub(super) mod methods;
pub(super) mod metrics;
pub(super) mod narrow;
pub(super) mod regressions;
pub(super) mod sketching;
pub(super) mod structure;
pub(super) mod theorems;
