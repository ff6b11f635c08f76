//! Least squares and singular vectors of one view, centered without making it dense.

use crate::failure::Failure;
use crate::matrix::Matrix;
use crate::panels::{Table, Vector, panel_to_numpy};
use crate::run::compute;
use lcca::data::{Centred, InMemory, Pair, Side};
use lcca::matrix::Panel;
use lcca::solve::{Resources, Solver, project};
use lcca::svd;
use numpy::PyArray1;
use pyo3::prelude::*;

/// The coefficients, the explained share of each target, and the column means of `x` and of the targets.
type SolutionArrays<'py> = (Table<'py>, Vector<'py, f64>, Vector<'py, f64>, Vector<'py, f64>);

/// A dictionary of options.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct SolveOptions {
    method: String,
    ridge: f64,
    center: bool,
    steps: Option<usize>,
    k_pc: Option<usize>,
    tol: f64,
    oversample: usize,
    power: usize,
    memory: u64,
    seed: u64,
}

/// Regresses the columns of `targets` on those of `x`.
#[pyfunction]
pub fn least_squares<'py>(
    py: Python<'py>,
    x: &Bound<'py, Matrix>,
    targets: &Bound<'py, Matrix>,
    options: SolveOptions,
    threads: usize,
) -> PyResult<SolutionArrays<'py>> {
    let pair = InMemory::new(x.get().rows.clone(), targets.get().rows.clone()).map_err(Failure::from)?;
    let solver = options.solver()?;
    let (projection, means) = compute(py, threads, move || {
        let centred = if options.center { Some(Centred::new(&pair)?) } else { None };
        let means = Side::BOTH.map(|side| {
            centred.as_ref().map_or_else(|| vec![0.0; pair.shape().cols(side)], |c| c.mean(side).to_vec())
        });
        let targets = pair.shape().y_cols;
        let identity = Panel::from_fn(targets, targets, |i, j| f64::from(u8::from(i == j)));
        let visible: &dyn Pair = centred.as_ref().map_or(&pair, |centred| centred);
        Ok((project(visible, Side::X, &identity, solver, options.ridge, &options.resources())?, means))
    })?;
    let [x_mean, y_mean] = means.map(|mean| PyArray1::from_vec(py, mean));
    Ok((
        panel_to_numpy(py, &projection.weights)?,
        PyArray1::from_vec(py, projection.explained),
        x_mean,
        y_mean,
    ))
}

/// The leading singular values and right singular vectors (p×k) of a view, and its column means.
#[pyfunction]
pub fn singular_vectors<'py>(
    py: Python<'py>,
    x: &Bound<'py, Matrix>,
    k: usize,
    options: SolveOptions,
    threads: usize,
) -> PyResult<(Vector<'py, f64>, Table<'py>, Vector<'py, f64>)> {
    let pair = InMemory::new(x.get().rows.clone(), x.get().rows.clone()).map_err(Failure::from)?;
    let (svd, mean) = compute(py, threads, move || {
        let svd_options = options.resources().svd;
        if !options.center {
            let mean = vec![0.0; pair.shape().x_cols];
            return Ok((svd::randomized(&pair, Side::X, k, &svd_options)?, mean));
        }
        let centred = Centred::new(&pair)?;
        Ok((svd::randomized(&centred, Side::X, k, &svd_options)?, centred.mean(Side::X).to_vec()))
    })?;
    Ok((PyArray1::from_vec(py, svd.s), panel_to_numpy(py, &svd.v)?, PyArray1::from_vec(py, mean)))
}

impl SolveOptions {
    fn solver(&self) -> Result<Solver, Failure> {
        let steps = |default: usize| self.steps.unwrap_or(default);
        Ok(match self.method.as_str() {
            "cholesky" => Solver::Cholesky,
            "diagonal" => Solver::Diagonal,
            "gradient" => Solver::Gradient { steps: steps(51) },
            "cg" => Solver::Cg { steps: steps(500), tol: self.tol },
            "ling" => Solver::Ling { steps: steps(38), k_pc: self.k_pc.unwrap_or(100) },
            other => {
                let names = "\"cholesky\", \"cg\", \"ling\", \"gradient\" or \"diagonal\"";
                return Err(Failure::Usage(format!("method == {other:?}, expected {names}")));
            }
        })
    }

    fn resources(&self) -> Resources {
        let svd = svd::Options { oversample: self.oversample, power: self.power, seed: self.seed };
        Resources { memory: self.memory, svd }
    }
}
