//! CCA of two data sets with the same columns but different rows.

use crate::failure::Failure;
use crate::matrix::Matrix;
use crate::panels::{Table, Vector, panel_from_numpy, panel_to_numpy, rows_to_numpy};
use crate::run::compute;
use lcca::data::{ColumnScale, GatheredMoments};
use lcca::fit::{TwoSamples, embed};
use numpy::{PyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// The products of the columns of one data set, whose rows arrive in parts and are standardized.
///
/// With `scaled`, `note` must see all rows before `add` sees the first.
#[pyclass(frozen, module = "lcca._lcca")]
pub struct RowSums {
    cols: usize,
    state: Arc<Mutex<State>>,
}

struct State {
    /// The moments of the columns seen so far, if these are scaled.
    moments: Option<GatheredMoments>,
    sums: Option<lcca::data::RowSums>,
}

impl State {
    /// The sums, which start when the scale of the columns is known.
    fn sums(&mut self, cols: usize) -> &mut lcca::data::RowSums {
        let moments = &self.moments;
        self.sums.get_or_insert_with(|| {
            let scale = |moments: &GatheredMoments| ColumnScale::standard(&moments.moments());
            let columns = moments.as_ref().map_or_else(|| ColumnScale::none(cols), scale);
            lcca::data::RowSums::new(columns)
        })
    }

    /// The rows moved near the origin, if the columns are scaled.
    fn near(&self, rows: lcca::matrix::Matrix) -> lcca::matrix::Matrix {
        match &self.moments {
            Some(moments) => moments.near(&rows),
            None => rows,
        }
    }
}

#[pymethods]
impl RowSums {
    #[new]
    fn new(cols: usize, scaled: bool) -> Self {
        let state = State { moments: scaled.then(|| GatheredMoments::new(cols)), sums: None };
        RowSums { cols, state: Arc::new(Mutex::new(state)) }
    }

    /// Adds the moments of rows to those that columns are scaled by.
    fn note(&self, py: Python<'_>, rows: &Bound<'_, Matrix>, threads: usize) -> PyResult<()> {
        let (rows, state) = (rows.get().rows.clone(), self.state.clone());
        self.check(&rows)?;
        compute(py, threads, move || {
            match &mut state.lock().unwrap_or_else(PoisonError::into_inner).moments {
                Some(moments) => Ok(moments.add(&rows)?),
                None => Ok(()),
            }
        })
    }

    /// Which columns have more than one value in the rows that were noted.
    #[getter]
    fn varies<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let varies = state.moments.as_ref().map_or_else(|| vec![true; self.cols], GatheredMoments::varies);
        PyArray1::from_vec(py, varies)
    }

    /// Adds rows. Matrices may take `limit` bytes.
    fn add(&self, py: Python<'_>, rows: &Bound<'_, Matrix>, limit: u64, threads: usize) -> PyResult<()> {
        let (rows, state, cols) = (rows.get().rows.clone(), self.state.clone(), self.cols);
        compute(py, threads, move || {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            let rows = state.near(rows);
            Ok(state.sums(cols).add(&rows, limit)?)
        })
    }

    /// The embeddings of rows: once standardized, times weights of one row per column.
    fn embed<'py>(
        &self,
        py: Python<'py>,
        rows: &Bound<'py, Matrix>,
        weights: PyReadonlyArray2<'py, f64>,
        threads: usize,
    ) -> PyResult<Table<'py>> {
        let (rows, state, cols) = (rows.get().rows.clone(), self.state.clone(), self.cols);
        let weights = panel_from_numpy(&weights);
        let (count, k) = (rows.rows(), weights.cols());
        let embedding = compute(py, threads, move || {
            let (columns, rows) = {
                let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
                (state.sums(cols).columns().clone(), state.near(rows))
            };
            Ok(embed(&rows, &columns, &weights)?)
        })?;
        rows_to_numpy(py, embedding, count, k)
    }

    /// The number of rows so far, and of those whose entries are all the same.
    #[getter]
    fn counts(&self) -> (u64, u64) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.sums.as_ref().map_or((0, 0), |sums| (sums.rows(), sums.constant()))
    }
}

impl RowSums {
    fn check(&self, rows: &lcca::matrix::Matrix) -> Result<(), Failure> {
        let (expected, found) = (self.cols, rows.cols());
        if expected == found {
            Ok(())
        } else {
            Err(lcca::Error::Length { what: "columns", expected, found }.into())
        }
    }
}

/// The singular values, the weights of both data sets, and how far their embeddings are from orthonormal.
type Coupled<'py> = (Vector<'py, f64>, Table<'py>, Table<'py>, (f64, f64));

/// The `k` leading components of two data sets.
#[pyfunction]
pub fn two_samples<'py>(
    py: Python<'py>,
    first: &Bound<'py, RowSums>,
    second: &Bound<'py, RowSums>,
    k: usize,
    threads: usize,
) -> PyResult<Coupled<'py>> {
    let [first, second] = [first, second].map(|sums| (sums.get().state.clone(), sums.get().cols));
    let found = compute(py, threads, move || {
        let ((first, x_cols), (second, y_cols)) = (first, second);
        let mut x = first.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&first, &second) {
            let sums = x.sums(x_cols);
            return Ok(TwoSamples::new(sums, sums, k)?);
        }
        let mut y = second.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(TwoSamples::new(x.sums(x_cols), y.sums(y_cols), k)?)
    })?;
    let [x, y] = &found.weights;
    let [x_departure, y_departure] = found.departure;
    let (x, y) = (panel_to_numpy(py, x)?, panel_to_numpy(py, y)?);
    Ok((PyArray1::from_vec(py, found.values), x, y, (x_departure, y_departure)))
}
