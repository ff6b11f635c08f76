//! The default method: block LOBPCG (Knyazev 2001).
//!
//! CCA is the eigenproblem A·w = θ·B·w, and its largest θ are wanted. Every iteration takes the best pairs
//! in the span of the weights W, the preconditioned residuals T and the last step P:
//!
//! ```text
//! start:   random weights, fair in the norm of M
//! repeat:  Rayleigh–Ritz on [W T P] → new W, P, Θ and all their products, without a pass
//!          R = A·W − B·W·Θ
//!          T = M⁻¹R,   M ≈ B − A
//!          measure T: one pass
//! until    what is still missing from Σθ is within the tolerance, and M can be trusted to say so
//! ```
//!
//! | file | holds |
//! |---|---|
//! | `both_views` | A and B of both views |
//! | `eliminated` | the pair that remains when a one-hot view is eliminated |
//! | `iteration` | the loop |
//! | `one_view` | A and B of one view, the other being eliminated |
//! | `refine` | a few steps from a fit to similar rows |
//! | `stopping` | how much is missing, and when that is little enough |
//! | `subblocks` | Rayleigh–Ritz by smaller decompositions |

pub(super) mod both_views;
pub(super) mod eliminated;
pub(super) mod iteration;
pub(super) mod one_view;
pub(super) mod refine;
pub(super) mod stopping;
pub(super) mod subblocks;
