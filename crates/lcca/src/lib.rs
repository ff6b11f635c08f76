//! Canonical correlation analysis (CCA) on huge sparse data.
//!
//! Given views X (n×p₁) and Y (n×p₂) of the same n rows, CCA finds weights Wx (p₁×k) and Wy (p₂×k) with
//!
//! ```text
//! WxᵀCxxWx = I,   WyᵀCyyWy = I,   WxᵀCxyWy = diag(d₁ ≥ … ≥ d_k),      Cxx = XᵀX, Cyy = YᵀY, Cxy = XᵀY
//! ```
//!
//! so that the columns of X·Wx and Y·Wy correlate as much as any can. The default method is block LOBPCG; the
//! others are those of Lu & Foster, *Large Scale Canonical Correlation Analysis with Iterative Least Squares*
//! (NIPS 2014).
//!
//! Algorithms touch rows only through [`data::Pair`], whose central operation is a *pass*: it streams the
//! rows once and adds up products with thin p×k panels. Everything else happens on weights; nothing n-sized
//! is stored.
//!
//! | module | holds |
//! |---|---|
//! | [`matrix`] | one view's rows in the storage that fits them; panels |
//! | [`data`] | [`data::Pair`], its implementations (in memory or mapped, shards) and wrappers (centered, counting) |
//! | [`method`] | methods and settings as plain data |
//! | [`fit`](mod@fit) | [`fit::fit`], models, scores, transforms |
//! | [`outcome`] | the decisions of a fit, and notes for its user, as data |
//! | [`watch`] | watching, stopping and continuing a fit |
//! | [`solve`] | least squares on a view: Cholesky, diagonal, conjugate gradients, gradient descent, LING |
//! | [`svd`] | leading singular vectors of a view |
//! | [`metric`] | captured correlation, distances and angles between subspaces |
//! | [`nearest`](mod@nearest) | columns that are alike |
//! | [`granted`] | asking for memory before it is needed |
//! | [`space`] | where the default method's tall panels live |
//! | [`panels`], [`whiten`](mod@whiten) | arithmetic of panels |
//! | [`decompose`] | decompositions of small matrices |
//!
//! ```
//! use lcca::data::InMemory;
//! use lcca::matrix::{SparseRows, Values};
//! use lcca::method::{Method, Settings};
//!
//! // Four rows; X has three columns, Y two; all entries are 1.
//! let x = SparseRows::new(3, vec![0, 2, 3, 4, 6].into(), vec![0, 1, 0, 2, 1, 2].into(), Values::Ones)?;
//! let y = SparseRows::new(2, vec![0, 1, 2, 3, 4].into(), vec![0, 0, 1, 1].into(), Values::Ones)?;
//! let pair = InMemory::new(x.into(), y.into())?;
//! let fit = lcca::fit::fit(&pair, &Settings::new(Method::als(30), 1), &())?;
//! assert!((fit.model.correlations[0] - 1.0).abs() < 1e-9);
//! # Ok::<(), lcca::Error>(())
//! ```
//!
//! The crate reads no files, has no clock, prints nothing and starts no threads: it computes on the current
//! rayon pool.

pub mod data;
pub mod decompose;
pub mod error;
pub mod fit;
pub mod granted;
mod kernel;
pub mod matrix;
pub mod method;
pub mod metric;
pub mod nearest;
pub mod outcome;
pub mod panels;
mod parameter;
mod random;
mod settings;
mod side;
mod small;
pub mod solve;
pub mod space;
pub mod svd;
#[cfg(test)]
mod testing;
pub mod watch;
pub mod whiten;

pub use error::{Error, Result};
