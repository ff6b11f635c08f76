//! Least squares and singular vectors of one view, centred without densifying.

use crate::failure::Failure;
use crate::matrix::Matrix;
use crate::panels::to_numpy;
use crate::run::quietly;
use lcca::data::{Centred, InMemory, Pair, Side};
use lcca::matrix::Panel;
use lcca::solve::{Resources, Solver, project};
use lcca::svd;
use numpy::{PyArray1, PyArray2};
use pyo3::prelude::*;

type Vector<'py> = Bound<'py, PyArray1<f64>>;
type Table<'py> = Bound<'py, PyArray2<f64>>;

/// How a problem is to be solved, as a dictionary.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct How {
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

/// Coefficients of the columns of `targets` on those of `x`, the share of each that they explain, and both views' means.
#[pyfunction]
pub fn least_squares<'py>(
    py: Python<'py>,
    x: &Bound<'py, Matrix>,
    targets: &Bound<'py, Matrix>,
    how: How,
    threads: usize,
) -> PyResult<(Table<'py>, Vector<'py>, Vector<'py>, Vector<'py>)> {
    let pair = InMemory::new(x.get().rows.clone(), targets.get().rows.clone()).map_err(Failure::from)?;
    let solver = how.solver()?;
    let (found, means) = quietly(py, threads, move || {
        let centred = if how.center { Some(Centred::new(&pair)?) } else { None };
        let means = Side::BOTH.map(|side| {
            centred.as_ref().map_or_else(|| vec![0.0; pair.shape().cols(side)], |c| c.mean(side).to_vec())
        });
        let wanted = pair.shape().y_cols;
        let identity = Panel::from_fn(wanted, wanted, |i, j| f64::from(u8::from(i == j)));
        let seen: &dyn Pair = centred.as_ref().map_or(&pair, |centred| centred);
        Ok((project(seen, Side::X, &identity, solver, how.ridge, &how.resources())?, means))
    })?;
    let [x_mean, y_mean] = means.map(|mean| PyArray1::from_vec(py, mean));
    Ok((to_numpy(py, &found.weights)?, PyArray1::from_vec(py, found.explained), x_mean, y_mean))
}

/// The leading singular values and right singular vectors (p×k) of a view, and its means.
#[pyfunction]
pub fn singular_vectors<'py>(
    py: Python<'py>,
    x: &Bound<'py, Matrix>,
    k: usize,
    how: How,
    threads: usize,
) -> PyResult<(Vector<'py>, Table<'py>, Vector<'py>)> {
    let pair = InMemory::new(x.get().rows.clone(), x.get().rows.clone()).map_err(Failure::from)?;
    let (found, mean) = quietly(py, threads, move || {
        let options = how.resources().svd;
        if !how.center {
            let mean = vec![0.0; pair.shape().x_cols];
            return Ok((svd::randomized(&pair, Side::X, k, &options)?, mean));
        }
        let centred = Centred::new(&pair)?;
        Ok((svd::randomized(&centred, Side::X, k, &options)?, centred.mean(Side::X).to_vec()))
    })?;
    Ok((PyArray1::from_vec(py, found.s), to_numpy(py, &found.v)?, PyArray1::from_vec(py, mean)))
}

impl How {
    fn solver(&self) -> Result<Solver, Failure> {
        let steps = |usual: usize| self.steps.unwrap_or(usual);
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
