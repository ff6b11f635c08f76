//! One view, from arrays or from a file.

use crate::failure::Failure;
use crate::gpu_array::{GpuNumbers, dense_rows, sparse_rows};
use crate::options::normalize;
use crate::pinned::pin;
use crate::run::compute;
use crate::table::Table;
use lcca::data::{InMemory, Side};
use lcca::fit::Groups;
use lcca_io::views::take_rows;
use lcca_io::{Arrays, Loaded, ModelColumns, Names, ReadOptions};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// The rows of one view, checked once. Their numbers stay in the array or file that owns them, if its layout
/// allows.
#[pyclass(frozen, module = "lcca._lcca")]
pub struct Matrix {
    pub rows: lcca::matrix::Matrix,
    names: Option<Vec<String>>,
    notes: Vec<String>,
    /// The file as it was read. It knows the names of its rows and the rows that it left out.
    loaded: Option<Arc<Loaded>>,
    /// The covariates of the rows, if they have any.
    pub covariates: Option<lcca::matrix::Matrix>,
}

type Numbers<'a, 'py> = &'a Bound<'py, PyUntypedArray>;

#[pymethods]
impl Matrix {
    /// A matrix in one of SciPy's layouts. For "csr" and "csc", `first` and `second` are offsets and indices;
    /// for "coo" they are rows and columns.
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

    /// A two-dimensional array of f32 or f64 numbers in the memory of a GPU, one row after another, if fits
    /// on `device` can use it there; otherwise None, and it must be copied.
    #[staticmethod]
    fn dense_on_gpu(
        py: Python<'_>,
        name: String,
        device: String,
        shape: (usize, usize),
        numbers: GpuNumbers,
    ) -> PyResult<Option<Self>> {
        compute(py, 1, move || Ok(dense_rows(&name, &device, shape, numbers)?.map(Matrix::from_rows)))
    }

    /// Compressed sparse rows in the memory of a GPU, if fits on `device` can use them there; otherwise None,
    /// and they must be copied.
    #[staticmethod]
    fn sparse_on_gpu(
        py: Python<'_>,
        name: String,
        device: String,
        shape: (usize, usize),
        indptr: GpuNumbers,
        indices: GpuNumbers,
        data: GpuNumbers,
        threads: usize,
    ) -> PyResult<Option<Self>> {
        let arrays = [indptr, indices, data];
        compute(py, threads, move || Ok(sparse_rows(&name, &device, shape, arrays)?.map(Matrix::from_rows)))
    }

    /// A file of any format that the program `lcca` reads.
    #[staticmethod]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        cols: Option<usize>,
        zero_based: bool,
        table: Table,
        threads: usize,
    ) -> PyResult<Self> {
        compute(py, threads, move || {
            let cols = cols.filter(|_| !lcca_io::says_its_width(&path));
            let options = ReadOptions::default().cols(cols).zero_based(zero_based).table(table.options()?);
            Matrix::from_file(lcca_io::read_matrix_with(&path, &options)?)
        })
    }

    /// Rows of one view of a model: the columns of a table are picked by name, and gaps are filled in by the
    /// model's means.
    #[staticmethod]
    fn read_for_model(
        py: Python<'_>,
        path: PathBuf,
        side: usize,
        width: usize,
        names: Option<Vec<String>>,
        means: Option<PyReadonlyArray1<'_, f64>>,
        table: Table,
        threads: usize,
    ) -> PyResult<Self> {
        let side = if side == 0 { Side::X } else { Side::Y };
        let means = means.map(|means| means.as_array().to_vec());
        compute(py, threads, move || {
            let columns = ModelColumns::new(side, width, names.map(Names::new), means);
            let options = ReadOptions::default().table(table.options()?);
            Matrix::from_file(lcca_io::read_for_model(&path, &columns, &options)?)
        })
    }

    /// Covariates: those of a fit or, if their means are given, of rows for a model, picked by name. A
    /// category that the model has not seen is an error.
    #[staticmethod]
    fn read_covariates(
        py: Python<'_>,
        path: PathBuf,
        names: Option<Vec<String>>,
        means: Option<PyReadonlyArray1<'_, f64>>,
        table: Table,
        threads: usize,
    ) -> PyResult<Self> {
        let means = means.map(|means| means.as_array().to_vec());
        compute(py, threads, move || {
            let of_model =
                |means: Vec<f64>| ModelColumns::covariates(means.len(), names.map(Names::new), Some(means));
            let options = ReadOptions::default().table(table.options()?);
            Matrix::from_file(lcca_io::read_covariates(&path, means.map(of_model).as_ref(), &options)?)
        })
    }

    /// The same rows with their covariates.
    fn with_covariates(&self, covariates: &Bound<'_, Matrix>) -> PyResult<Self> {
        let covariates = covariates.get().rows.clone();
        let (expected, found) = (self.rows.rows(), covariates.rows());
        if expected != found {
            return Err(Failure::from(lcca::Error::CovariateRows { expected, found }).into());
        }
        Ok(Matrix {
            rows: self.rows.clone(),
            names: self.names.clone(),
            notes: Vec::new(),
            loaded: None,
            covariates: Some(covariates),
        })
    }

    /// The given rows, in the given order, in memory.
    fn take(&self, py: Python<'_>, rows: PyReadonlyArray1<'_, i64>) -> PyResult<Self> {
        let all = self.rows.clone();
        let rows: Vec<usize> = rows.as_array().iter().map(|&row| row as usize).collect();
        if let Some(row) = rows.iter().find(|&&row| row >= all.rows()) {
            return Err(
                Failure::Usage(format!("there is no row {row}, expected less than {}", all.rows())).into()
            );
        }
        let names = self.names.clone();
        compute(py, 1, move || {
            Ok(Matrix {
                rows: take_rows(&all, &rows)?,
                names,
                notes: Vec::new(),
                loaded: None,
                covariates: None,
            })
        })
    }

    /// The same view with each row normalized, in values of its own.
    fn normalized(&self, py: Python<'_>, view: &str, how: &str, threads: usize) -> PyResult<Self> {
        let (side, how) = (if view == "X" { Side::X } else { Side::Y }, normalize(how)?);
        let (rows, names, notes, loaded) =
            (self.rows.clone(), self.names.clone(), self.notes.clone(), self.loaded.clone());
        let covariates = self.covariates.clone();
        compute(py, threads, move || {
            Ok(Matrix { rows: how.apply(side, &rows)?, names, notes, loaded, covariates })
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

    /// Whether it was read from a file, as a whole.
    #[getter]
    fn is_file(&self) -> bool {
        self.loaded.is_some()
    }

    /// The names of the rows, if the file had them.
    #[getter]
    fn row_names(&self) -> PyResult<Option<Vec<String>>> {
        let Some(loaded) = &self.loaded else { return Ok(None) };
        let names = loaded.row_names().map_err(Failure::from)?;
        Ok(names.map(|names| names.iter().map(String::from).collect()))
    }

    /// The same rows, named by one of the columns that may name them, which is then no data.
    fn named_by(&self, py: Python<'_>, id: usize) -> PyResult<Self> {
        let Some(loaded) = self.loaded.clone() else {
            return Err(Failure::Usage("expected a view that was read from a file".into()).into());
        };
        compute(py, 1, move || Matrix::from_file(loaded.named_by(id)?))
    }

    /// The number of each row in its file, from 0, if rows with missing values were left out.
    #[getter]
    fn rows_in_file(&self) -> Option<Vec<usize>> {
        let loaded = self.loaded.as_ref()?;
        (!loaded.dropped_rows().is_empty()).then(|| loaded.rows_in_file())
    }

    /// The number of rows that were left out because of missing values.
    #[getter]
    fn dropped(&self) -> usize {
        self.loaded.as_ref().map_or(0, |loaded| loaded.dropped_rows().len())
    }

    /// All numbers, zeros included, as a dense array.
    fn toarray<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray2<f64>> {
        let (rows, cols) = self.shape();
        let mut dense = Array2::zeros((rows, cols));
        for row in 0..rows {
            self.rows.for_each(row, |column, value| dense[[row, column]] = value);
        }
        dense.into_pyarray(py)
    }

    fn __repr__(&self) -> String {
        let (rows, cols) = self.shape();
        format!("<lcca.Matrix of {rows} rows and {cols} columns, {}>", self.kind())
    }
}

impl Matrix {
    /// The file that the view was read from, if any.
    pub fn file(&self) -> Option<&Loaded> {
        self.loaded.as_deref()
    }

    /// A view without names, from checked rows.
    pub fn from_rows(rows: lcca::matrix::Matrix) -> Self {
        Matrix { rows, names: None, notes: Vec::new(), loaded: None, covariates: None }
    }

    fn from_file(loaded: Loaded) -> Result<Self, Failure> {
        let names = loaded.names()?.map(|names| names.iter().map(String::from).collect());
        let (rows, notes) = (loaded.matrix.clone(), loaded.notes.clone());
        Ok(Matrix { rows, names, notes, loaded: Some(Arc::new(loaded)), covariates: None })
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
            Ok(Matrix {
                rows: loaded.matrix,
                names: None,
                notes: loaded.notes,
                loaded: None,
                covariates: None,
            })
        })
    }
}

/// Two views of the same rows, with optional row weights, and with the covariates of X.
pub fn pair_from_views(
    x: &Bound<'_, Matrix>,
    y: &Bound<'_, Matrix>,
    weights: Option<PyReadonlyArray1<'_, f64>>,
) -> Result<InMemory, Failure> {
    let mut pair = InMemory::new(x.get().rows.clone(), y.get().rows.clone())?;
    if let Some(covariates) = &x.get().covariates {
        pair = pair.with_covariates(covariates.clone())?;
    }
    match weights {
        None => Ok(pair),
        Some(weights) => Ok(pair.weighted(weights.as_array().to_vec().into())?),
    }
}

/// The groups of rows, from one label per row.
pub fn groups_of(labels: &PyReadonlyArray1<'_, i64>) -> Groups {
    Groups::new(labels.as_array().iter().copied())
}
