//! Merges the answers of two sets of rows into the answer of both together, by the engine's own rules.

use crate::failure::Failure;
use crate::grams::{
    BlockArrays, GramArrays, JointArrays, block_from_numpy, block_to_numpy, gram_from_numpy, gram_to_numpy,
};
use crate::panels::{Table, mat_from_numpy, mat_to_numpy};
use crate::pool::Pool;
use crate::run::compute_on;
use crate::sums::{MomentArrays, MomentTuple, SampleArrays, SampleTuple, moments_to_numpy, sample_to_numpy};
use lcca::data::{GramSample, Moments, Triangle, add_blocks};
use lcca::matrix::Matrix;
use numpy::{PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;

/// The moments of both sets of rows.
#[pyfunction]
pub fn add_moments<'py>(
    py: Python<'py>,
    a: MomentArrays<'py>,
    b: MomentArrays<'py>,
) -> PyResult<MomentTuple<'py>> {
    let (mut sum, b) = (Moments::from(a), Moments::from(b));
    if sum.sum.len() != b.sum.len() {
        let message = format!("moments of {} columns and of {}", sum.sum.len(), b.sum.len());
        return Err(Failure::Usage(message).into());
    }
    sum.add(&b);
    Ok(moments_to_numpy(py, sum))
}

/// The sample of both sets of rows.
#[pyfunction]
pub fn add_gram_samples<'py>(
    py: Python<'py>,
    a: SampleArrays<'py>,
    b: SampleArrays<'py>,
) -> SampleTuple<'py> {
    sample_to_numpy(py, GramSample::from(a).plus(b.into()))
}

/// The Gram matrix of one view over both sets of rows.
#[pyfunction]
pub fn add_grams<'py>(py: Python<'py>, a: GramArrays<'py>, b: GramArrays<'py>) -> PyResult<GramArrays<'py>> {
    gram_to_numpy(py, gram_from_numpy(a).plus(gram_from_numpy(b)))
}

/// The blocks of the joint Gram matrix over both sets of rows.
#[pyfunction]
pub fn add_joint_grams<'py>(
    py: Python<'py>,
    a: JointArrays<'py>,
    b: JointArrays<'py>,
    pool: &Bound<'py, Pool>,
) -> PyResult<Vec<BlockArrays<'py>>> {
    // XᵀX is as wide as X, XᵀY and YᵀY are as wide as Y; a square block is as wide as it is high.
    let widths = [&a[0], &a[2], &a[2]].map(|block| block.0.len() - 1);
    let matrices = |blocks: &JointArrays<'py>| -> Result<Vec<Matrix>, Failure> {
        blocks.iter().zip(widths).map(|(block, cols)| block_from_numpy(block, cols)).collect()
    };
    let (a, b) = (matrices(&a)?, matrices(&b)?);
    let sums = compute_on(py, &pool.get().threads, move || {
        a.iter().zip(&b).map(|(a, b)| Ok(add_blocks(a, b)?)).collect::<Result<Vec<_>, Failure>>()
    })?;
    sums.iter().map(|sum| block_to_numpy(py, sum)).collect()
}

/// The triangular factor of [1 X Y] over both sets of rows.
#[pyfunction]
pub fn stack_triangles<'py>(
    py: Python<'py>,
    a: PyReadonlyArray2<'py, f64>,
    b: PyReadonlyArray2<'py, f64>,
    pool: &Bound<'py, Pool>,
) -> PyResult<Table<'py>> {
    if a.shape()[1] != b.shape()[1] {
        let message = format!("triangles of {} columns and of {}", a.shape()[1], b.shape()[1]);
        return Err(Failure::Usage(message).into());
    }
    // Stacking does not depend on which columns belong to X, so any number will do.
    let [a, b] = [a, b].map(|factor| Triangle::new(mat_from_numpy(&factor), 0));
    let stacked = compute_on(py, &pool.get().threads, move || Ok(a.stacked(&b)))?;
    mat_to_numpy(py, stacked.factor())
}
