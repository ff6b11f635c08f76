//! Parts of a fit that benchmarks and tests run by themselves: XᵀX·B of one sparse view with panels of f32
//! numbers, the joint Gram matrix, and the Cholesky factor of a dense matrix.

use crate::dense::factor::{Factor, NARROW};
use crate::dense::panel::stride_of;
use crate::error::CudaError;
use crate::inverse;
use crate::runtime::room::Room;
use crate::scattered::rows::{Chunk, ViewOnDevice};
use crate::scattered::sparse::Output;
use crate::space::Cuda;
use faer::MatRef;
use lcca::data::{InMemory, JointGram, Moments};
use lcca::matrix::{Matrix, OneHotRows};
use lcca::space::ChosenBlock;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
    /// Copies a sparse view and a panel with `cols` numbers in a row, a multiple of 4.
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

/// Forms the joint Gram matrix of sparse rows on a GPU, however few they are. Returns `None` if a view is
/// not sparse or the GPU has too little memory.
pub fn joint_gram(cuda: &Cuda, rows: &InMemory, limit: u64) -> Result<Option<JointGram>, lcca::Error> {
    Ok(cuda.joint_gram_here(rows, limit, false, &|_| Ok(()))?.map(|formed| formed.joint))
}

/// Counts the moments of sparse rows of whole numbers on a GPU, however few they are. The rows stay there
/// for their Gram matrix. Returns `None` if a view is not of that kind or the GPU has too little memory.
pub fn counted_moments(cuda: &Cuda, rows: &InMemory) -> Result<Option<[Moments; 2]>, lcca::Error> {
    cuda.count_here(rows)
}

/// Whether the rows that were counted last have no values beside their columns, for each view. Values of
/// more than 1 may have been repeated instead.
pub fn counted_as_ones(cuda: &Cuda) -> Option<[bool; 2]> {
    cuda.counted_as_ones()
}

/// Forms the joint Gram matrix as [`joint_gram`] does, but begins each step only when the one before is
/// done. After each step, `after` is called with its name.
pub fn joint_gram_in_steps(
    cuda: &Cuda,
    rows: &InMemory,
    after: &dyn Fn(&'static str),
) -> Result<Option<JointGram>, lcca::Error> {
    let finish = |step: &'static str| {
        cuda.device.finish()?;
        after(step);
        Ok(())
    };
    Ok(cuda.joint_gram_here(rows, u64::MAX, false, &finish)?.map(|formed| formed.joint))
}

/// A dense matrix on a GPU, and its Cholesky factor once it is known.
pub struct DenseBlock<'a> {
    cuda: &'a Cuda,
    rows: usize,
    /// The matrix, padded with an identity after its rows and columns, as in fits.
    matrix: Room<f64>,
    factor: Option<Factor>,
}

/// A solution, row-major, and the time that it took.
pub struct Solution {
    /// The numbers of the solution.
    pub numbers: Vec<f64>,
    /// The time from the start of the first kernel to the end of the last.
    pub took: Duration,
}

impl<'a> DenseBlock<'a> {
    /// Copies the lower triangle of a row-major matrix.
    pub fn new(cuda: &'a Cuda, rows: usize, matrix: &[f64]) -> Result<Self, CudaError> {
        assert_eq!(matrix.len(), rows * rows, "numbers of a square matrix");
        let size = rows.next_multiple_of(NARROW);
        let mut padded = vec![0.0; size * size];
        for i in 0..size {
            if i < rows {
                padded[i * size..][..=i].copy_from_slice(&matrix[i * rows..][..=i]);
            } else {
                padded[i * size + i] = 1.0;
            }
        }
        Ok(DenseBlock { cuda, rows, matrix: cuda.device.copy(&padded)?, factor: None })
    }

    /// Forms I + V·Vᵀ on the GPU.
    pub fn lifted(cuda: &'a Cuda, lifting: MatRef<'_, f64>) -> Result<Self, CudaError> {
        let rows = lifting.nrows();
        let (size, scale) = (rows.next_multiple_of(NARROW), vec![1.0; rows]);
        let (device, columns) = (&cuda.device, (0..rows as u32).collect::<Vec<u32>>());
        let (matrix, scales) = (device.zeros(size * size)?, device.copy(&scale)?);
        let (columns, identities) = ([&columns[..], &[]], [false, false]);
        let block = ChosenBlock { columns, scale: &scale, identities, sigma: 1.0, lifting, epsilon: 0.0 };
        inverse::finish(device, &matrix, size, None, &scales, &block)?;
        Ok(DenseBlock { cuda, rows, matrix, factor: None })
    }

    /// Finds the factor, and returns the time that this took; `None` if a pivot is not positive.
    pub fn factorize(&mut self) -> Result<Option<Duration>, CudaError> {
        self.factor = None;
        let device = &self.cuda.device;
        let mut copy = device.room(self.matrix.len())?;
        copy.copy_from(&self.matrix)?;
        device.finish()?;
        let start = Instant::now();
        let factor = Factor::new(device, copy, self.rows.next_multiple_of(NARROW))?;
        device.finish()?;
        let took = start.elapsed();
        self.factor = Some(factor).filter(|factor| factor.failed().is_empty());
        Ok(self.factor.is_some().then_some(took))
    }

    /// Returns L⁻¹R and L⁻ᵀL⁻¹R for a row-major panel R; `None` if there is no factor.
    pub fn solve(&self, panel: &[f64], cols: usize) -> Result<Option<[Solution; 2]>, CudaError> {
        let Some(factor) = &self.factor else { return Ok(None) };
        let (device, stride, size) = (&self.cuda.device, stride_of(cols), factor.size());
        let mut padded = vec![0.0; size * stride];
        for (to, from) in padded.chunks_exact_mut(stride).zip(panel.chunks_exact(cols)) {
            to[..cols].copy_from_slice(from);
        }
        let (r, half) = (device.copy(&padded)?, device.room(size * stride)?);
        let timed = |solve: &dyn Fn() -> Result<(), CudaError>, out: &Room<f64>| {
            device.finish()?;
            let start = Instant::now();
            solve()?;
            device.finish()?;
            let (took, padded) = (start.elapsed(), out.to_vec()?);
            let rows = padded.chunks_exact(stride).take(self.rows);
            let numbers = rows.flat_map(|row| &row[..cols]).copied().collect();
            Ok::<_, CudaError>(Solution { numbers, took })
        };
        let forward = timed(&|| factor.forward(&r, &half, stride), &half)?;
        let backward = timed(&|| factor.backward(&half, &r, stride), &r)?;
        Ok(Some([forward, backward]))
    }
}
