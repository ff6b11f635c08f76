//! Converts Gram matrices to NumPy and back.

use crate::failure::Failure;
use crate::panels::{Vector, mat_from_numpy, mat_to_numpy};
use crate::pinned::pin;
use lcca::data::{GramMatrix, JointGram, Side, SparseGram, StoredGram};
use lcca::matrix::{Buffer, Matrix, SparseRows, Values};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// Offsets, columns and values of sparse rows.
pub type BlockArrays<'py> = (Vector<'py, u64>, Vector<'py, u32>, Vector<'py, f64>);
/// The blocks XᵀX, XᵀY and YᵀY of a joint Gram matrix, as arrays.
pub type JointArrays<'py> = [BlockArrays<'py>; 3];

/// Starts, rows and values of a lower triangle, column by column.
type LowerTriangle<'py> = (Vector<'py, usize>, Vector<'py, usize>, Vector<'py, f64>);

/// The Gram matrix of one view, as arrays.
#[derive(FromPyObject, IntoPyObject)]
pub enum GramArrays<'py> {
    Sparse(LowerTriangle<'py>),
    Dense(Bound<'py, PyArray2<f64>>),
}

/// The three blocks that determine a joint Gram matrix; YᵀX is the transpose of XᵀY.
pub fn joint_to_numpy<'py>(py: Python<'py>, joint: &JointGram) -> PyResult<JointArrays<'py>> {
    let block = |target, source| block_to_numpy(py, joint.block(target, source));
    Ok([block(Side::X, Side::X)?, block(Side::X, Side::Y)?, block(Side::Y, Side::Y)?])
}

/// The arrays of one block, which must be sparse.
pub fn block_to_numpy<'py>(py: Python<'py>, block: &Matrix) -> PyResult<BlockArrays<'py>> {
    let Matrix::Sparse(rows) = block else {
        return Err(Failure::Machine("a block of a Gram matrix is not sparse".into()).into());
    };
    let values: Vec<f64> = match rows.values() {
        Values::Ones => vec![1.0; rows.columns().len()],
        Values::F32(values) => values.iter().map(f64::from).collect(),
        Values::F64(values) => values.iter().collect(),
    };
    let offsets = PyArray1::from_vec(py, rows.offsets().iter().collect());
    let columns = PyArray1::from_vec(py, rows.columns().iter().collect());
    Ok((offsets, columns, PyArray1::from_vec(py, values)))
}

/// A sparse block that shares the arrays' numbers.
pub fn block_from_numpy(
    (offsets, columns, values): &BlockArrays<'_>,
    cols: usize,
) -> Result<Matrix, Failure> {
    let values = Values::F64(buffer(values.as_untyped())?);
    Ok(SparseRows::new(cols, buffer(offsets.as_untyped())?, buffer(columns.as_untyped())?, values)?.into())
}

fn buffer<T: bytemuck::Pod>(array: &Bound<'_, PyUntypedArray>) -> Result<Buffer<T>, Failure> {
    let len = array.len();
    Ok(Buffer::shared(pin(array)?.owner, 0, len)?)
}

/// The arrays of the Gram matrix of one view.
pub fn gram_to_numpy(py: Python<'_>, gram: GramMatrix) -> PyResult<GramArrays<'_>> {
    Ok(match gram.stored {
        StoredGram::Dense(dense) => GramArrays::Dense(mat_to_numpy(py, dense.as_ref())?),
        StoredGram::Sparse(SparseGram { starts, rows, values }) => GramArrays::Sparse((
            PyArray1::from_vec(py, starts),
            PyArray1::from_vec(py, rows),
            PyArray1::from_vec(py, values),
        )),
    })
}

/// The Gram matrix of one view, copied from its arrays.
pub fn gram_from_numpy(gram: GramArrays<'_>) -> GramMatrix {
    let stored = match gram {
        GramArrays::Dense(dense) => StoredGram::Dense(mat_from_numpy(&dense.readonly())),
        GramArrays::Sparse((starts, rows, values)) => StoredGram::Sparse(SparseGram {
            starts: starts.readonly().as_array().to_vec(),
            rows: rows.readonly().as_array().to_vec(),
            values: values.readonly().as_array().to_vec(),
        }),
    };
    GramMatrix { stored, shift: None }
}
