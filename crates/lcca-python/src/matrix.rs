//! One view, from arrays or from a file.

use crate::failure::Failure;
use crate::held::share;
use crate::run::quietly;
use lcca_io::{Arrays, ReadOptions};
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::path::PathBuf;

/// The rows of one view, checked once and shared with whatever holds their numbers.
#[pyclass(frozen, module = "lcca._lcca")]
pub struct Matrix {
    pub rows: lcca::matrix::Matrix,
    names: Option<Vec<String>>,
    notes: Vec<String>,
}

type Numbers<'a, 'py> = &'a Bound<'py, PyUntypedArray>;

#[pymethods]
impl Matrix {
    /// One of SciPy's layouts: "csr" and "csc" have offsets and indices, "coo" rows and columns, before the values.
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
        let (first, second, data) = (share(first)?, share(second)?, share(data)?);
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

    /// Every number: a NumPy array of two dimensions, contiguous in either order.
    #[staticmethod]
    fn dense(py: Python<'_>, name: String, array: Numbers<'_, '_>, threads: usize) -> PyResult<Self> {
        let &[rows, cols] = array.shape() else {
            let found = array.shape().len();
            return Err(Failure::Usage(format!("the array has {found} dimensions, expected 2")).into());
        };
        let arrays = Arrays::Dense { data: share(array)?, fortran: !array.is_c_contiguous() };
        Matrix::from_arrays(py, name, (rows, cols), arrays, threads)
    }

    /// Any file that the program `lcca` reads.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        cols: Option<usize>,
        zero_based: bool,
        threads: usize,
    ) -> PyResult<Self> {
        quietly(py, threads, move || {
            let cols = cols.filter(|_| !lcca_io::says_its_width(&path));
            let options = ReadOptions { cols, zero_based: zero_based.then_some(true) };
            let loaded = lcca_io::read_matrix_with(&path, &options)?;
            let names = lcca_io::read_names(&path)?;
            let names = names.map(|names| names.iter().map(String::from).collect());
            Ok(Matrix { rows: loaded.matrix, names, notes: loaded.notes })
        })
    }

    /// Rows and columns.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.rows.rows(), self.rows.cols())
    }

    /// How many entries are stored.
    #[getter]
    fn nnz(&self) -> u64 {
        self.rows.entries()
    }

    /// What a person would call the storage.
    #[getter]
    fn kind(&self) -> &'static str {
        self.rows.kind()
    }

    /// The names of the columns, where a file had them.
    #[getter]
    fn names(&self) -> Option<Vec<String>> {
        self.names.clone()
    }

    /// What a person should know about the reading.
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
    /// Rows that are there already.
    pub fn of(rows: lcca::matrix::Matrix) -> Self {
        Matrix { rows, names: None, notes: Vec::new() }
    }

    fn from_arrays(
        py: Python<'_>,
        name: String,
        (rows, cols): (usize, usize),
        arrays: Arrays,
        threads: usize,
    ) -> PyResult<Self> {
        quietly(py, threads, move || {
            let loaded = lcca_io::matrix_from(&name, rows, cols, &arrays)?;
            Ok(Matrix { rows: loaded.matrix, names: None, notes: loaded.notes })
        })
    }
}
