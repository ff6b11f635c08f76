//! Sums over rows that arrive in batches, or that were computed elsewhere.

use crate::failure::Failure;
use crate::grams::{JointArrays, block_from_numpy, joint_to_numpy};
use crate::matrix::{Matrix, pair_from_views};
use crate::panels::{Vector, triangle_from_numpy, triangle_to_numpy};
use crate::run::compute;
use crate::sums::{MomentArrays, MomentTuple, moments_to_numpy};
use lcca::data::{Accumulated, Formed, JointGram, Moments, Shape, Side};
use lcca::matrix::Lower;
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::Arc;

/// Sums over the rows of two views, which `fit_sums` fits.
#[pyclass(frozen, module = "lcca._lcca")]
pub struct Sums {
    pub sums: Arc<Accumulated>,
}

/// The moments of X and of Y.
type BothMoments<'py> = (MomentArrays<'py>, MomentArrays<'py>);
/// One number per column of X, and one per column of Y.
type Centers<'py> = (PyReadonlyArray1<'py, f64>, PyReadonlyArray1<'py, f64>);

#[pymethods]
impl Sums {
    /// From the lower triangle of the Gram matrix of both views about `center`, column after column.
    #[staticmethod]
    fn dense(
        rows: usize,
        moments: BothMoments<'_>,
        center: Centers<'_>,
        triangle: PyReadonlyArray1<'_, f64>,
    ) -> PyResult<Self> {
        let center = [center.0, center.1].map(|numbers| numbers.as_array().to_vec());
        let width = center[0].len() + center[1].len();
        check_length("numbers of a triangle", width * (width + 1) / 2, triangle.as_array().len())?;
        let gram = triangle_from_numpy(&triangle, width).to_mat();
        let moments = both_moments(moments, [center[0].len(), center[1].len()])?;
        let sums = Box::new(lcca::data::Sums { rows, moments, center, gram });
        Ok(Sums { sums: Arc::new(Accumulated::Dense(sums)) })
    }

    /// From XᵀX, XᵀY and YᵀY as sparse rows, columns ascending. Every diagonal entry is stored.
    #[staticmethod]
    fn sparse(
        rows: usize,
        moments: BothMoments<'_>,
        blocks: JointArrays<'_>,
        one_hot: (bool, bool),
    ) -> PyResult<Self> {
        let [xx, xy, yy] = &blocks;
        let [x_cols, y_cols] = [xx, yy].map(|(offsets, ..)| offsets_len(offsets));
        let moments = both_moments(moments, [x_cols, y_cols])?;
        let blocks =
            [block_from_numpy(xx, x_cols)?, block_from_numpy(xy, y_cols)?, block_from_numpy(yy, y_cols)?];
        let shape = Shape { rows, x_cols, y_cols };
        let joint = JointGram::from_blocks(shape, moments, blocks).map_err(Failure::from)?;
        let formed = Formed::new(joint, [one_hot.0, one_hot.1]);
        Ok(Sums { sums: Arc::new(Accumulated::Sparse(Box::new(formed))) })
    }

    /// The sums of a batch of rows, added to those before it if there are any.
    #[staticmethod]
    #[pyo3(signature = (before, x, y, weights, memory, threads))]
    fn add(
        py: Python<'_>,
        before: Option<&Bound<'_, Sums>>,
        x: &Bound<'_, Matrix>,
        y: &Bound<'_, Matrix>,
        weights: Option<PyReadonlyArray1<'_, f64>>,
        memory: u64,
        threads: usize,
    ) -> PyResult<Self> {
        let batch = pair_from_views(x, y, weights)?;
        let before = before.map(|before| before.get().sums.clone());
        let sums = compute(py, threads, move || match before {
            None => Ok(Accumulated::first(&batch, memory)?),
            Some(before) => Ok((*before).clone().plus(&batch, memory)?),
        })?;
        Ok(Sums { sums: Arc::new(sums) })
    }

    /// Rows, columns of X, columns of Y.
    #[getter]
    fn shape(&self) -> (usize, usize, usize) {
        let Shape { rows, x_cols, y_cols } = self.sums.shape();
        (rows, x_cols, y_cols)
    }

    /// Whether the Gram matrix is kept as sparse blocks.
    #[getter]
    fn is_sparse(&self) -> bool {
        matches!(*self.sums, Accumulated::Sparse(_))
    }

    /// The bytes that the Gram matrix takes.
    #[getter]
    fn nbytes(&self) -> u64 {
        self.sums.bytes()
    }

    /// The function and the arguments that make the same sums: for pickle.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let class = py.get_type::<Sums>();
        let (rows, ..) = self.shape();
        let pair = self.sums.pair();
        let moments = |side| -> PyResult<MomentTuple<'py>> {
            Ok(moments_to_numpy(py, pair.moments(side).map_err(Failure::from)?.clone()))
        };
        let moments = (moments(Side::X)?, moments(Side::Y)?);
        match &*self.sums {
            Accumulated::Dense(sums) => {
                let [x, y] = sums.center.each_ref().map(|numbers| PyArray1::from_slice(py, numbers));
                let arguments =
                    (rows, moments, (x, y), triangle_to_numpy(py, &Lower::of(sums.gram.as_ref())));
                (class.getattr("dense")?, arguments).into_pyobject(py)
            }
            Accumulated::Sparse(formed) => {
                let [x, y] = formed.one_hot();
                let blocks = joint_to_numpy(py, formed.joint())?;
                (class.getattr("sparse")?, (rows, moments, blocks, (x, y))).into_pyobject(py)
            }
        }
    }
}

fn offsets_len(offsets: &Vector<'_, u64>) -> usize {
    use numpy::PyArrayMethods;
    offsets.readonly().as_array().len().saturating_sub(1)
}

fn both_moments((x, y): BothMoments<'_>, widths: [usize; 2]) -> Result<[Moments; 2], Failure> {
    let moments = [Moments::from(x), Moments::from(y)];
    for (moments, width) in moments.iter().zip(widths) {
        for found in [moments.sum.len(), moments.square.len(), moments.count.len(), moments.nonzero.len()] {
            check_length("moments of a view", width, found)?;
        }
    }
    Ok(moments)
}

fn check_length(what: &'static str, expected: usize, found: usize) -> Result<(), Failure> {
    if expected == found { Ok(()) } else { Err(lcca::Error::Length { what, expected, found }.into()) }
}
