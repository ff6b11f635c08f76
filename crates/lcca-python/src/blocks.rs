//! Sparse Gram matrices, to NumPy and back.

use crate::failure::Failure;
use crate::held::share;
use crate::panels::{mat_from_numpy, mat_to_numpy};
use crate::run::quietly;
use lcca::data::{GramMatrix, JointGram, Side, SparseGram, StoredGram, add_blocks};
use lcca::matrix::{Buffer, Matrix, SparseRows, Values};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// Offsets, columns and values of sparse rows.
pub type Block<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u32>>, Bound<'py, PyArray1<f64>>);
/// XᵀX, XᵀY and YᵀY.
pub type Blocks<'py> = [Block<'py>; 3];

/// Starts, rows and values of a lower triangle.
type Triangle<'py> = (Bound<'py, PyArray1<usize>>, Bound<'py, PyArray1<usize>>, Bound<'py, PyArray1<f64>>);

/// The Gram matrix of one view: starts, rows and values of its lower triangle by columns, or all of it.
#[derive(FromPyObject, IntoPyObject)]
pub enum Gram<'py> {
    Sparse(Triangle<'py>),
    Dense(Bound<'py, PyArray2<f64>>),
}

/// The blocks that say all.
pub fn blocks_to_numpy<'py>(py: Python<'py>, joint: &JointGram) -> PyResult<Blocks<'py>> {
    let block = |target, source| block_to_numpy(py, joint.block(target, source));
    Ok([block(Side::X, Side::X)?, block(Side::X, Side::Y)?, block(Side::Y, Side::Y)?])
}

fn block_to_numpy<'py>(py: Python<'py>, block: &Matrix) -> PyResult<Block<'py>> {
    let Matrix::Sparse(rows) = block else {
        return Err(Failure::Machine("a block of a Gram matrix that is not sparse".into()).into());
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

/// Sparse rows that share the arrays' numbers.
pub fn block_from_numpy((offsets, columns, values): &Block<'_>, cols: usize) -> Result<Matrix, Failure> {
    let values = Values::F64(buffer(values.as_untyped())?);
    Ok(SparseRows::new(cols, buffer(offsets.as_untyped())?, buffer(columns.as_untyped())?, values)?.into())
}

fn buffer<T: bytemuck::Pod>(array: &Bound<'_, PyUntypedArray>) -> Result<Buffer<T>, Failure> {
    let len = array.len();
    Ok(Buffer::shared(share(array)?.owner, 0, len)?)
}

/// The sum of the blocks of two sets of rows.
#[pyfunction]
pub fn add_joint_grams<'py>(
    py: Python<'py>,
    a: Blocks<'py>,
    b: Blocks<'py>,
    threads: usize,
) -> PyResult<Vec<Block<'py>>> {
    let widths = [&a[0], &a[2], &a[2]].map(|block| block.0.len() - 1);
    let matrices = |blocks: &Blocks<'py>| -> Result<Vec<Matrix>, Failure> {
        blocks.iter().zip(widths).map(|(block, cols)| block_from_numpy(block, cols)).collect()
    };
    let (a, b) = (matrices(&a)?, matrices(&b)?);
    let sums = quietly(py, threads, move || {
        a.iter().zip(&b).map(|(a, b)| Ok(add_blocks(a, b)?)).collect::<Result<Vec<_>, Failure>>()
    })?;
    sums.iter().map(|sum| block_to_numpy(py, sum)).collect()
}

/// The sum of the Gram matrices of two sets of rows.
#[pyfunction]
pub fn add_grams<'py>(py: Python<'py>, a: Gram<'py>, b: Gram<'py>) -> PyResult<Gram<'py>> {
    gram_to_numpy(py, gram_from_numpy(a).plus(gram_from_numpy(b)))
}

pub fn gram_to_numpy(py: Python<'_>, gram: GramMatrix) -> PyResult<Gram<'_>> {
    Ok(match gram.stored {
        StoredGram::Dense(dense) => Gram::Dense(mat_to_numpy(py, dense.as_ref())?),
        StoredGram::Sparse(SparseGram { starts, rows, values }) => Gram::Sparse((
            PyArray1::from_vec(py, starts),
            PyArray1::from_vec(py, rows),
            PyArray1::from_vec(py, values),
        )),
    })
}

pub fn gram_from_numpy(gram: Gram<'_>) -> GramMatrix {
    let stored = match gram {
        Gram::Dense(dense) => StoredGram::Dense(mat_from_numpy(&dense.readonly())),
        Gram::Sparse((starts, rows, values)) => StoredGram::Sparse(SparseGram {
            starts: starts.readonly().as_array().to_vec(),
            rows: rows.readonly().as_array().to_vec(),
            values: values.readonly().as_array().to_vec(),
        }),
    };
    GramMatrix { stored, shift: None }
}
