//! One view, from arrays or from a file.

use crate::failure::Failure;
use crate::pinned::pin;
use crate::run::compute;
use lcca::data::InMemory;
use lcca_io::{Arrays, ReadOptions};
use numpy::{PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::path::PathBuf;

/// The rows of one view, checked once. Their numbers stay in the array or file that owns them, if its layout allows.
#[pyclass(frozen, module = "lcca._lcca")]
pub struct Matrix {
    pub rows: lcca::matrix::Matrix,
    names: Option<Vec<String>>,
    notes: Vec<String>,
}

type Numbers<'a, 'py> = &'a Bound<'py, PyUntypedArray>;

#[pymethods]
impl Matrix {
    /// A matrix in one of SciPy's layouts. For "csr" and "csc", `first` and `second` are offsets and indices; for "coo" they are
    /// rows and columns.
    #[staticmethod]
    fn sparse(
        py: Python<'_>,
        name: String,
        layout: &str,
        shape: (usize, usize),
        first: Numbers<'_, '_>,
        second: Numbers<'_, '_>,
        data: Numbers<'_, '_>,
        threads: usize,
    ) -> PyResult<Self> {
        let (first, second, data) = (pin(first)?, pin(second)?, pin(data)?);
        let arrays = match layout {
            "csr" => Arrays::Csr { indptr: first, indices: second, data },
            "csc" => Arrays::Csc { indptr: first, indices: second, data },
            "coo" => Arrays::Coo { row: first, col: second, data },
            other => {
                let message = format!("layout == {other:?}, expected \"csr\", \"csc\" or \"coo\"");
                return Err(Failure::Usage(message).into());
            }
        };
        Matrix::from_arrays(py, name, shape, arrays, threads)
    }

    /// A two-dimensional NumPy array, contiguous in either order.
    #[staticmethod]
    fn dense(py: Python<'_>, name: String, array: Numbers<'_, '_>, threads: usize) -> PyResult<Self> {
        let &[rows, cols] = array.shape() else {
            let dimensions = array.shape().len();
            return Err(Failure::Usage(format!("the array has {dimensions} dimensions, expected 2")).into());
        };
        let arrays = Arrays::Dense { data: pin(array)?, fortran: !array.is_c_contiguous() };
        Matrix::from_arrays(py, name, (rows, cols), arrays, threads)
    }

    /// A file of any format that the program `lcca` reads.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        cols: Option<usize>,
        zero_based: bool,
        threads: usize,
    ) -> PyResult<Self> {
        compute(py, threads, move || {
            let cols = cols.filter(|_| !lcca_io::says_its_width(&path));
            let options = ReadOptions::default().cols(cols).zero_based(zero_based);
            let loaded = lcca_io::read_matrix_with(&path, &options)?;
            let names = loaded.names()?.map(|names| names.iter().map(String::from).collect());
            Ok(Matrix { rows: loaded.matrix, names, notes: loaded.notes })
        })
    }

    /// Rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.rows.rows(), self.rows.cols())
    }

    /// The number of stored entries.
    #[getter]
    fn nnz(&self) -> u64 {
        self.rows.entries()
    }

    /// A short description of the storage, such as "one-hot".
    #[getter]
    fn kind(&self) -> &'static str {
        self.rows.kind()
    }

    /// The names of the columns, if the file had them.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        self.names.clone()
    }

    /// Remarks about the file that the user should see.
    #[getter]
    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn __repr__(&self) -> String {
        let (rows, cols) = self.shape();
        format!("<lcca.Matrix of {rows} rows and {cols} columns, {}>", self.kind())
    }
}

impl Matrix {
    /// A view without names, from rows that were checked before.
    pub fn from_rows(rows: lcca::matrix::Matrix) -> Self {
        Matrix { rows, names: None, notes: Vec::new() }
    }

    fn from_arrays(
        py: Python<'_>,
        name: String,
        (rows, cols): (usize, usize),
        arrays: Arrays,
        threads: usize,
    ) -> PyResult<Self> {
        compute(py, threads, move || {
            let loaded = lcca_io::matrix_from(&name, rows, cols, &arrays)?;
            Ok(Matrix { rows: loaded.matrix, names: None, notes: loaded.notes })
        })
    }
}

/// Two views of the same rows, with optional weights of the rows.
pub fn pair_from_views(
    x: &Bound<'_, Matrix>,
    y: &Bound<'_, Matrix>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
) -> Result<InMemory, Failure> {
    let pair = InMemory::new(x.get().rows.clone(), y.get().rows.clone())?;
    match weights {
        None => Ok(pair),
        Some(weights) => Ok(pair.weighted(weights.as_array().to_vec().into())?),
    }
}
