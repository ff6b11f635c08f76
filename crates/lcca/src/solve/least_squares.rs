//! The contract of a least-squares solver, and the description of one.

use crate::data::Normal;
use crate::error::Result;
use crate::matrix::Panel;
use crate::parameter::{Parameter, Values};
use crate::svd;

/// Solves (C + λI)·W = R for one view, exactly or approximately.
pub trait LeastSquares {
    /// Solves for a p×k R; the answer has the same shape. Solvers that take a start begin there; the others
    /// ignore it.
    fn solve(&self, rhs: &Panel, start: Option<Solved>) -> Result<Solved>;

    /// Whether a start near the answer saves work.
    fn takes_start(&self) -> bool {
        false
    }
}

/// The answer of a solver.
pub struct Solved {
    /// W.
    pub weights: Panel,
    /// (C + λI)·W, if the solver knows it without another pass.
    pub normal: Option<Panel>,
}

/// The resources that preparing a solver may use besides its parameters.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// Bytes that factorizations may take.
    pub memory: u64,
    /// The accuracy and the seed of singular vectors.
    pub svd: svd::Options,
    /// The residual of a column, relative to its right-hand side, at which an iterative solver may stop.
    pub tol: f64,
}

/// Factorizes, reads diagonals or finds singular vectors, so that solves are cheap.
pub type Prepare = for<'a> fn(Normal<'a>, &Values, &Resources) -> Result<Box<dyn LeastSquares + 'a>>;

/// The description of a solver. The rest of the engine, the command line and Python know nothing else about
/// it.
#[derive(Debug)]
pub struct SolverSpec {
    /// The name of the solver.
    pub name: &'static str,
    /// A summary of the method, in one line.
    pub summary: &'static str,
    /// The parameters of the solver.
    pub parameters: &'static [Parameter],
    /// Makes the solver ready for a view.
    pub prepare: Prepare,
    /// The number of passes that preparing the solver for both views takes, given the power iterations of
    /// the randomized SVD.
    pub passes_to_prepare: fn(&Values, usize) -> f64,
    /// The number of passes that one solve on each view takes.
    pub passes_to_solve: fn(&Values) -> f64,
    /// Whether answers can lie anywhere. A solver that never leaves the leading singular vectors cannot
    /// tell how much it misses.
    pub looks_everywhere: fn(&Values) -> bool,
    /// Whether the answer depends on the units of columns even without a ridge.
    pub depends_on_scale: bool,
    /// Whether the parameters make sense together, for k right-hand sides.
    pub check: fn(&Values, usize) -> Result<()>,
}

impl SolverSpec {
    /// A solver without parameters that needs no passes, from which every description starts.
    pub(super) const fn new(name: &'static str, summary: &'static str, prepare: Prepare) -> Self {
        SolverSpec {
            name,
            summary,
            parameters: &[],
            prepare,
            passes_to_prepare: |_, _| 0.0,
            passes_to_solve: |_| 0.0,
            looks_everywhere: |_| true,
            depends_on_scale: false,
            check: |_, _| Ok(()),
        }
    }
}
