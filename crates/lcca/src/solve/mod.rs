//! Least squares on one view: W ≈ (C + λI)⁻¹R, one solver per file.
//!
//! A solver is a file with an implementation of [`LeastSquares`] and its [`SolverSpec`]. It becomes
//! available everywhere by being listed in [`SOLVERS`], and becomes a method of its own by being listed in
//! [`ALTERNATING`].

mod cg;
mod cholesky;
mod dense_cholesky;
mod diagonal;
mod gradient;
mod indefinite;
mod least_squares;
mod ling;
mod one_hot;
mod project;
mod shift_invert;
mod solver;
mod sparse_cholesky;
mod sparse_factor;

pub(crate) use cg::ActiveColumns;
pub use cg::Cg;
pub use cholesky::Cholesky;
pub use diagonal::Diagonal;
pub use gradient::Gradient;
pub(crate) use indefinite::Indefinite;
pub use least_squares::{LeastSquares, Prepare, Resources, Solved, SolverSpec};
pub use ling::Ling;
pub use one_hot::OneHot;
pub use project::{Projection, project};
pub(crate) use shift_invert::{ShiftInvert, shifted};
pub use solver::Solver;
pub(crate) use sparse_factor::Plan;

/// Every solver.
pub const SOLVERS: [&SolverSpec; 5] =
    [&cholesky::SPEC, &cg::SPEC, &ling::SPEC, &gradient::SPEC, &diagonal::SPEC];

/// A method that alternates least-squares problems of the two views.
#[derive(Debug)]
pub struct Alternating {
    /// The name of the method.
    pub name: &'static str,
    /// A summary of the method, in one line.
    pub summary: &'static str,
    /// The number of iterations if none is given.
    pub t1: usize,
    /// The solvers to choose from, the default first.
    pub solvers: &'static [&'static SolverSpec],
}

/// The methods of Lu & Foster that alternate least-squares problems, at the paper's parameters.
pub const ALTERNATING: [Alternating; 4] = [
    Alternating {
        name: "l-cca",
        summary: "alternating least squares by LING: randomized SVD, then gradient descent on the rest",
        t1: 5,
        solvers: &[&ling::SPEC],
    },
    Alternating {
        name: "g-cca",
        summary: "alternating least squares by gradient descent alone",
        t1: 5,
        solvers: &[&gradient::SPEC],
    },
    Alternating {
        name: "d-cca",
        summary: "alternating least squares with the diagonal of the Gram matrix; exact for one-hot views",
        t1: 30,
        solvers: &[&diagonal::SPEC],
    },
    Alternating {
        name: "als",
        summary: "alternating least squares, each solved exactly",
        t1: 30,
        solvers: &[&cholesky::SPEC, &cg::SPEC],
    },
];
