//! The rows of both views that a cluster worker holds: one shard.

use crate::matrix::{Matrix, pair_from_views};
use crate::run::compute;
use lcca::data::{InMemory, Pair, Shape, Side, Structure};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use std::sync::Arc;

/// The rows of one shard.
#[pyclass(frozen, module = "lcca._lcca")]
pub struct Rows {
    pub pair: Arc<InMemory>,
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
        Ok(Rows { pair: Arc::new(pair_from_views(x, y, weights)?) })
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

    /// Which views are stored densely.
    #[getter]
    fn dense(&self) -> (bool, bool) {
        let is_dense = |side| matches!(self.pair.view(side), lcca::matrix::Matrix::Dense(_));
        (is_dense(Side::X), is_dense(Side::Y))
    }

    /// The approximate number of bytes of both views, in memory or mapped.
    #[getter]
    fn nbytes(&self) -> u64 {
        Side::BOTH.into_iter().map(|side| stored_bytes(self.pair.view(side))).sum()
    }

    /// One view: "X" or "y".
    fn view(&self, name: &str) -> Matrix {
        Matrix::from_rows(self.pair.view(if name == "X" { Side::X } else { Side::Y }).clone())
    }

    /// The same shard in terms of the kept columns, with equal rows merged if that pays; None if nothing
    /// would change.
    fn reduced(
        &self,
        py: Python<'_>,
        x_columns: Option<Vec<u32>>,
        y_columns: Option<Vec<u32>>,
        threads: usize,
    ) -> PyResult<Option<Rows>> {
        let pair = self.pair.clone();
        let smaller =
            compute(py, threads, move || Ok(pair.reduced_to([x_columns.as_deref(), y_columns.as_deref()])?))?;
        Ok(smaller.map(|smaller| Rows { pair: Arc::new(smaller) }))
    }
}

fn stored_bytes(view: &lcca::matrix::Matrix) -> u64 {
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
