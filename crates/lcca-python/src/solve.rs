//! Least squares and singular vectors of one view, which is centered without making it dense.

use crate::failure::Failure;
use crate::matrix::Matrix;
use crate::panels::{Table, Vector, panel_to_numpy};
use crate::run::compute;
use lcca::data::{Centered, InMemory, Pair, Side};
use lcca::matrix::Panel;
use lcca::solve::{Resources, SOLVERS, Solver, project};
use lcca::svd;
use numpy::PyArray1;
use pyo3::prelude::*;

/// The coefficients, the explained share of each target, and the column means of `x` and of the targets.
type SolutionArrays<'py> = (Table<'py>, Vector<'py, f64>, Vector<'py, f64>, Vector<'py, f64>);

/// The options of a solver, as a dictionary.
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
        let centered = if options.center { Some(Centered::new(&pair)?) } else { None };
        let means = Side::BOTH.map(|side| {
            centered.as_ref().map_or_else(|| vec![0.0; pair.shape().cols(side)], |c| c.mean(side).to_vec())
        });
        let targets = pair.shape().y_cols;
        let identity = Panel::from_fn(targets, targets, |i, j| f64::from(u8::from(i == j)));
        let visible: &dyn Pair = centered.as_ref().map_or(&pair, |centered| centered);
        Ok((project(visible, Side::X, &identity, &solver, options.ridge, &options.resources())?, means))
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
        let centered = Centered::new(&pair)?;
        Ok((svd::randomized(&centered, Side::X, k, &svd_options)?, centered.mean(Side::X).to_vec()))
    })?;
    Ok((PyArray1::from_vec(py, svd.s), panel_to_numpy(py, &svd.v)?, PyArray1::from_vec(py, mean)))
}

impl SolveOptions {
    /// The solver with the given name, and those of the given parameters that it has.
    fn solver(&self) -> Result<Solver, Failure> {
        let Some(spec) = SOLVERS.into_iter().find(|spec| spec.name == self.method) else {
            let names: Vec<String> = SOLVERS.iter().map(|spec| format!("{:?}", spec.name)).collect();
            let expected = names.join(", ");
            return Err(Failure::Usage(format!("method == {:?}, expected one of {expected}", self.method)));
        };
        let mut solver = Solver::new(spec);
        for (name, value) in [("t2", self.steps), ("k-pc", self.k_pc)] {
            let has_parameter = spec.parameters.iter().any(|parameter| parameter.name == name);
            if let Some(value) = value.filter(|_| has_parameter) {
                solver = solver.with(name, value)?;
            }
        }
        Ok(solver)
    }

    fn resources(&self) -> Resources {
        let svd = svd::Options { oversample: self.oversample, power: self.power, seed: self.seed };
        Resources { memory: self.memory, svd, tol: self.tol }
    }
}
