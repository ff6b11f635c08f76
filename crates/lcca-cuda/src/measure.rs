//! What benchmarks and tests ask for by itself: XᵀX·B of one sparse view, with panels of f32 numbers, and the joint Gram matrix.

use crate::error::CudaError;
use crate::room::Room;
use crate::rows::{Chunk, ViewOnDevice};
use crate::space::Cuda;
use crate::sparse::Output;
use crate::sparse_gram::Plan;
use lcca::data::{InMemory, JointGram};
use lcca::matrix::{Matrix, OneHotRows};
use std::sync::Arc;

/// One view and its panels on a GPU.
pub struct SinglePass<'a> {
    cuda: &'a Cuda,
    view: Arc<ViewOnDevice>,
    cols: usize,
    b: Room<f32>,
    z: Room<f32>,
    product: Room<f32>,
}

impl<'a> SinglePass<'a> {
    /// Copies a sparse view and a panel with so many numbers in a row, a multiple of 4.
    pub fn new(cuda: &'a Cuda, view: &Matrix, panel: &[f32], cols: usize) -> Result<Self, lcca::Error> {
        let rows = view.rows();
        let other = OneHotRows::new(1, vec![0; rows].into())?;
        let chunk = Chunk::copy(&cuda.device, &InMemory::new(view.clone(), other.into())?, 0..rows)?;
        let [view, _] = chunk.views;
        let (z, product) = (cuda.device.room(rows * cols)?, cuda.device.room(panel.len())?);
        Ok(SinglePass { cuda, view, cols, b: cuda.device.copy(panel)?, z, product })
    }

    /// z ← X·B, then product ← Xᵀz. Returns when the GPU is done.
    pub fn run(&self) -> Result<(), CudaError> {
        if let ViewOnDevice::Sparse { rows, columns } = &*self.view {
            let to = |address: u64| Output { address, offset: 0, weights: 0, adds: false };
            rows.gather_f32(self.b.address(), self.cols, &to(self.z.address()))?;
            columns.gather_f32(self.z.address(), self.cols, &to(self.product.address()))?;
        }
        self.cuda.device.finish()
    }

    /// The product.
    pub fn product(&self) -> Result<Vec<f32>, CudaError> {
        self.product.to_vec()
    }
}

/// The joint Gram matrix of sparse rows, formed on a GPU however few they are; `None` if a view is not sparse or the GPU has too little
/// memory.
pub fn joint_gram(cuda: &Cuda, rows: &InMemory, limit: u64) -> Result<Option<JointGram>, lcca::Error> {
    match Plan::new(rows) {
        Some(plan) => cuda.joint_gram_here(rows, &plan, limit, &|_| Ok(())),
        None => Ok(None),
    }
}

/// The same, step by step: nothing is begun before what was begun is done, and `after` is called with the name of what is done.
pub fn joint_gram_in_steps(
    cuda: &Cuda,
    rows: &InMemory,
    after: &dyn Fn(&'static str),
) -> Result<Option<JointGram>, lcca::Error> {
    let Some(plan) = Plan::new(rows) else { return Ok(None) };
    after("count pairs");
    let finish = |step: &'static str| {
        cuda.device.finish()?;
        after(step);
        Ok(())
    };
    cuda.joint_gram_here(rows, &plan, u64::MAX, &finish)
}
