//! Rows that a worker of a cluster holds: one piece of both views, and several pieces asked together.
//!
//! What is asked is what `lcca::data::Pair` asks; answers are NumPy arrays, to be summed with those of other workers.

use crate::blocks::{Blocks, Gram, blocks_to_numpy, gram_to_numpy};
use crate::failure::Failure;
use crate::fit::pair;
use crate::matrix::Matrix;
use crate::panels::{Means, Sources, mat_to_numpy, to_numpy};
use crate::run::quietly;
use lcca::data::{Ask, InMemory, Pair, Shape, Side};
use lcca::matrix::Panel;
use numpy::{PyArray1, PyArray2, PyReadonlyArray1};
use pyo3::prelude::*;
use std::sync::Arc;

type Vector<'py, T> = Bound<'py, PyArray1<T>>;
type Table<'py> = Bound<'py, PyArray2<f64>>;
/// Weight, sums, squares and counts.
type Moments<'py> = (f64, Vector<'py, f64>, Vector<'py, f64>, Vector<'py, u64>);
/// Rows, rows looked at, pairs in all rows, in the largest, entries, sampled pairs.
type Sample<'py> = (usize, usize, f64, f64, f64, Vector<'py, u64>);

/// One piece of the rows of both views.
#[pyclass(frozen, module = "lcca._lcca")]
pub struct Rows {
    pair: Arc<InMemory>,
}

#[pymethods]
impl Rows {
    #[new]
    #[pyo3(signature = (x, y, weights))]
    fn new(
        x: &Bound<'_, Matrix>,
        y: &Bound<'_, Matrix>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
    ) -> PyResult<Self> {
        Ok(Rows { pair: Arc::new(pair(x, y, weights)?) })
    }

    /// Rows, columns of X, columns of Y.
    #[getter]
    fn shape(&self) -> (usize, usize, usize) {
        let Shape { rows, x_cols, y_cols } = self.pair.shape();
        (rows, x_cols, y_cols)
    }

    /// Which views are one-hot.
    #[getter]
    fn one_hot(&self) -> (bool, bool) {
        (self.pair.is_one_hot(Side::X), self.pair.is_one_hot(Side::Y))
    }

    /// Which views hold every entry of every row.
    #[getter]
    fn dense(&self) -> (bool, bool) {
        let dense = |side| matches!(self.pair.view(side), lcca::matrix::Matrix::Dense(_));
        (dense(Side::X), dense(Side::Y))
    }

    /// About the bytes of both views, in memory or mapped.
    #[getter]
    fn nbytes(&self) -> u64 {
        Side::BOTH.into_iter().map(|side| bytes(self.pair.view(side))).sum()
    }

    /// One view: "X" or "y".
    fn view(&self, name: &str) -> Matrix {
        Matrix::of(self.pair.view(if name == "X" { Side::X } else { Side::Y }).clone())
    }

    /// Equal rows merged where that pays, in terms of the columns that are kept; nothing where all would stay as it is.
    fn reduced(
        &self,
        py: Python<'_>,
        x_columns: Option<Vec<u32>>,
        y_columns: Option<Vec<u32>>,
        threads: usize,
    ) -> PyResult<Option<Rows>> {
        let pair = self.pair.clone();
        let smaller =
            quietly(py, threads, move || Ok(pair.reduced_to([x_columns.as_deref(), y_columns.as_deref()])?))?;
        Ok(smaller.map(|smaller| Rows { pair: Arc::new(smaller) }))
    }
}

fn bytes(view: &lcca::matrix::Matrix) -> u64 {
    use lcca::matrix::{DenseValues, Matrix, Values};
    let (rows, entries) = (view.rows() as u64, view.entries());
    match view {
        Matrix::OneHot(_) => 4 * rows,
        Matrix::Dense(m) => entries * if matches!(m.values(), DenseValues::F32(_)) { 4 } else { 8 },
        Matrix::Sparse(m) => {
            let value = match m.values() {
                Values::Ones => 0,
                Values::F32(_) => 4,
                Values::F64(_) => 8,
            };
            8 * rows + (4 + value) * entries
        }
    }
}

/// Pieces with the same columns, and the threads to ask them with.
#[pyclass(frozen, module = "lcca._lcca")]
pub struct Pieces {
    pair: Arc<lcca::data::Pieces>,
    threads: usize,
}

#[pymethods]
impl Pieces {
    #[new]
    fn new(pieces: Vec<Bound<'_, Rows>>, threads: usize) -> PyResult<Self> {
        let pieces = pieces.iter().map(|piece| piece.get().pair.clone()).collect();
        let pair = lcca::data::Pieces::new(pieces).map_err(Failure::from)?;
        Ok(Pieces { pair: Arc::new(pair), threads })
    }

    /// The products `wanted`, pairs of (target, source), where 0 is X and 1 is Y.
    fn products<'py>(
        &self,
        py: Python<'py>,
        sources: Sources<'py>,
        wanted: Vec<(usize, usize)>,
    ) -> PyResult<Vec<Table<'py>>> {
        let (pair, sources) = (self.pair.clone(), sources.panels()?);
        let found = quietly(py, self.threads, move || {
            let mut found: Vec<Panel> = Vec::new();
            for &(target, source) in &wanted {
                let columns = sources[source].as_ref().map_or(0, |(panel, _)| panel.cols());
                found.push(Panel::zeros(pair.shape().cols(Side::BOTH[target]), columns));
            }
            let mut ask = Ask::new();
            let mut outs: Vec<_> = wanted.iter().zip(&mut found).collect();
            for side in Side::BOTH {
                let Some(source) = &sources[side as usize] else { continue };
                ask = ask.shifted_source(side, crate::panels::source(source));
                while let Some(at) = outs.iter().position(|((_, from), _)| *from == side as usize) {
                    let ((target, _), out) = outs.swap_remove(at);
                    ask = ask.to(Side::BOTH[*target], out);
                }
            }
            pair.pass(&mut ask)?;
            Ok(found)
        })?;
        found.iter().map(|panel| to_numpy(py, panel)).collect()
    }

    /// Weight, column sums, column squares and counts of one view.
    fn moments<'py>(&self, py: Python<'py>, side: usize) -> PyResult<Moments<'py>> {
        let pair = self.pair.clone();
        let found = quietly(py, self.threads, move || Ok(pair.moments(Side::BOTH[side])?.clone()))?;
        let [sum, square] = [found.sum, found.square].map(|numbers| PyArray1::from_vec(py, numbers));
        Ok((found.weight, sum, square, PyArray1::from_vec(py, found.count)))
    }

    /// The Gram matrix of one view.
    fn gram<'py>(&self, py: Python<'py>, side: usize, limit: u64) -> PyResult<Gram<'py>> {
        let pair = self.pair.clone();
        let found = quietly(py, self.threads, move || Ok(pair.gram(Side::BOTH[side], limit)?))?;
        gram_to_numpy(py, found)
    }

    /// What a guess at the joint Gram matrix goes by, where there are `pieces` pieces in all.
    fn gram_sample<'py>(&self, py: Python<'py>, pieces: usize) -> PyResult<Option<Sample<'py>>> {
        let pair = self.pair.clone();
        let found = quietly(py, self.threads, move || Ok(pair.gram_sample(pieces)))?;
        Ok(found.map(|found| {
            let pairs = PyArray1::from_vec(py, found.pairs);
            (found.rows, found.looked_at, found.all, found.largest, found.stored, pairs)
        }))
    }

    /// XᵀX, XᵀY and YᵀY, sparse; nothing where they cannot be formed.
    fn joint_gram<'py>(&self, py: Python<'py>, limit: u64) -> PyResult<Option<Blocks<'py>>> {
        let pair = self.pair.clone();
        let found = quietly(py, self.threads, move || Ok(pair.joint_gram(limit)?))?;
        found.map(|joint| blocks_to_numpy(py, &joint)).transpose()
    }

    /// The lower triangle of [X Y]ᵀ[X Y] about the means, where given.
    fn dense_gram<'py>(
        &self,
        py: Python<'py>,
        means: Option<Means<'py>>,
        limit: u64,
    ) -> PyResult<Table<'py>> {
        let pair = self.pair.clone();
        let means = means.map(|(x, y)| [x, y].map(|mean| mean.as_array().to_vec()));
        let found = quietly(py, self.threads, move || {
            let means = means.as_ref().map(|means| means.each_ref().map(|mean| &mean[..]));
            Ok(pair.dense_gram(means, limit)?)
        })?;
        mat_to_numpy(py, found.as_ref())
    }

    /// The triangular factor of [1 X Y].
    fn triangle<'py>(&self, py: Python<'py>, limit: u64) -> PyResult<Table<'py>> {
        let pair = self.pair.clone();
        let found = quietly(py, self.threads, move || Ok(pair.triangle(limit)?))?;
        mat_to_numpy(py, found.factor())
    }
}
