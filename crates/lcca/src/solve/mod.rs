//! Least squares on one view: W ≈ (C + λI)⁻¹R, one solver a file.

mod cg;
mod cholesky;
mod dense_cholesky;
mod diagonal;
mod gradient;
mod ling;
mod one_hot;
mod shift_invert;
mod sparse_cholesky;
mod sparse_factor;

pub use cg::Cg;
pub(crate) use cg::Running;
pub use cholesky::Cholesky;
pub use diagonal::Diagonal;
pub use gradient::Gradient;
pub use ling::Ling;
pub use one_hot::OneHot;
pub(crate) use shift_invert::{ShiftInvert, shifted};
pub(crate) use sparse_factor::Plan;

use crate::data::{Ask, Normal, Pair, Side};
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use crate::svd;

/// Solves (C + λI)·W = R for one view, exactly or not.
pub trait LeastSquares {
    /// R is p×k; so is the answer. Solvers that take a start begin there, the others leave it aside.
    fn solve(&self, rhs: &Panel, start: Option<Solved>) -> Result<Solved>;

    /// Whether a start near the answer saves work.
    fn takes_start(&self) -> bool {
        false
    }
}

/// What a solver found.
pub struct Solved {
    /// W.
    pub weights: Panel,
    /// (C + λI)·W, where the solver knows it without another pass.
    pub normal: Option<Panel>,
}

/// Which solver, with which parameters: plain data.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// Sparse or dense Cholesky factorisation of C + λI: exact.
    Cholesky,
    /// The inverse diagonal: exact where C is diagonal.
    Diagonal,
    /// Steepest descent from zero.
    Gradient {
        /// Steps, half a pass each.
        steps: usize,
    },
    /// LING: projection on leading singular vectors, then steepest descent.
    Ling {
        /// Steps, half a pass each.
        steps: usize,
        /// Singular vectors.
        k_pc: usize,
    },
    /// Conjugate gradients: exact in the limit, nothing p×p formed.
    Cg {
        /// Most steps, half a pass each.
        steps: usize,
        /// The residual of a column, relative to its right-hand side, at which it is done.
        tol: f64,
    },
}

/// What preparing a solver may use besides its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Bytes that factorisations may take.
    pub memory: u64,
    /// How singular vectors are found.
    pub svd: svd::Options,
}

impl Solver {
    /// Factorises, reads diagonals or finds singular vectors, so that solves are cheap.
    pub fn prepare<'a>(
        &self,
        normal: Normal<'a>,
        resources: &Resources,
    ) -> Result<Box<dyn LeastSquares + 'a>> {
        Ok(match *self {
            Solver::Cholesky => Box::new(Cholesky::new(normal, resources.memory)?),
            Solver::Diagonal => Box::new(Diagonal::new(normal)?),
            Solver::Gradient { steps } => Box::new(Gradient { normal, steps }),
            Solver::Cg { steps, tol } => Box::new(Cg::new(normal, steps, tol)?),
            Solver::Ling { steps, k_pc } => Box::new(Ling::new(normal, k_pc, steps, &resources.svd)?),
        })
    }
}

/// The projection of some columns on the span of a view.
pub struct Projection {
    /// W: the projections are X·W.
    pub weights: Panel,
    /// For each column t, ‖X·w‖²/‖t‖² with w's own projection error included: 1 − ‖t − X·w‖²/‖t‖².
    pub explained: Vec<f64>,
}

/// Projects columns on the span of one view: minimises ‖X·w − t‖² + λ‖w‖² for every column t = Y·v of `targets`, where
/// X is `side`'s view, Y the other and λ = `ridge`·tr(XᵀX)/p.
///
/// Any n×k targets T are reached by pairing X with T itself and `targets` = I. Costs what the solver costs plus one
/// pass and a half.
pub fn project(
    pair: &dyn Pair,
    side: Side,
    targets: &Panel,
    solver: Solver,
    ridge: f64,
    resources: &Resources,
) -> Result<Projection> {
    let normal = Normal::new(pair, side, ridge)?;
    let mut rhs = Panel::zeros(normal.size(), targets.cols());
    let mut own = Panel::zeros(targets.rows(), targets.cols());
    let ask = Ask::new().source(side.other(), targets).to(side, &mut rhs);
    pair.pass(&mut ask.to(side.other(), &mut own))?;
    let weights = solver.prepare(normal, resources)?.solve(&rhs, None)?.weights;
    let mut fitted = Panel::zeros(normal.size(), targets.cols());
    Normal { ridge: 0.0, ..normal }.apply(&weights, &mut fitted)?;
    let (length, overlap, square) = (
        panels::column_dots(targets, &own),
        panels::column_dots(&weights, &rhs),
        panels::column_dots(&weights, &fitted),
    );
    let explained = |j: usize| if length[j] > 0.0 { (2.0 * overlap[j] - square[j]) / length[j] } else { 0.0 };
    Ok(Projection { weights, explained: (0..targets.cols()).map(explained).collect() })
}
