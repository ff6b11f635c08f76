//! Singular vectors of small matrices on a device, by Jacobi rotations.
//!
//! Rotations of a few hundred columns are enough work for a dozen multiprocessors. Smaller matrices, larger
//! ones, and those that do not converge are left to the host. The host also finds eigenvectors, because
//! they need a record of the rotations, and keeping that would take longer than the host does.

use crate::error::CudaError;
use crate::error::unless_full;
use crate::kernels::File;
use crate::runtime::device::Device;
use crate::runtime::launch::Launch;
use crate::runtime::room::Room;
use crate::space::Cuda;
use faer::Mat;
use lcca::decompose::{Decompose, Leading, OnHost, Singular, are_even, partners};
use std::sync::Arc;

/// The least number of rows and columns. The host decomposes smaller matrices in less time.
const SMALLEST: usize = 120;
/// The most rows and columns. Larger matrices do not fit the registers.
const LARGEST: usize = 768;
/// The columns of a group.
const GROUP: usize = 8;
/// The columns of a thread block, which has two groups.
const OWN: usize = 2 * GROUP;
/// The counters that thread blocks share: the number of blocks that have arrived at a barrier, and for each
/// sweep whether it was the last.
const COUNTERS: usize = 1 + 40;

impl Decompose for Cuda {
    fn leading_singular(&self, matrices: &[Leading]) -> lcca::Result<Vec<Singular>> {
        if let [leading] = matrices
            && is_worth_it(&leading.matrix)
            && let Some(singular) = unless_full(leading_here(&self.device, leading))?.flatten()
        {
            return Ok(vec![singular]);
        }
        // With several matrices, each has a thread of the host.
        OnHost.leading_singular(matrices)
    }
}

/// Returns the leading singular vectors of one matrix. A wide matrix is transposed, because more columns
/// than rows would never become orthogonal.
fn leading_here(device: &Arc<Device>, leading: &Leading) -> Result<Option<Singular>, CudaError> {
    if leading.matrix.ncols() <= leading.matrix.nrows() {
        let columns = Orthogonal::new(device, &leading.matrix)?;
        return Ok(columns.and_then(|columns| columns.leading(leading)));
    }
    let turned = Leading { matrix: leading.matrix.transpose().to_owned(), count: leading.count };
    let columns = Orthogonal::new(device, &turned.matrix)?;
    let singular = columns.and_then(|columns| columns.leading(&turned));
    Ok(singular.map(|Singular { u, values, v }| Singular { u: v, values, v: u }))
}

fn is_worth_it(matrix: &Mat<f64>) -> bool {
    let edges = [matrix.nrows(), matrix.ncols()];
    edges.into_iter().all(|edge| (SMALLEST..=LARGEST).contains(&edge))
}

/// A·V, where V makes the columns orthogonal.
struct Orthogonal {
    /// Columns of `pitch` numbers, of which those after the last row are zero.
    numbers: Vec<f64>,
    pitch: usize,
    /// The length of each column.
    lengths: Vec<f64>,
    /// The power of two by which all numbers were multiplied.
    scale: f64,
}

impl Orthogonal {
    /// Rotates the columns of a matrix until they are orthogonal. Returns `None` if that does not converge,
    /// if the numbers cannot be scaled, or if the device cannot work on all columns at the same time.
    fn new(device: &Arc<Device>, matrix: &Mat<f64>) -> Result<Option<Self>, CudaError> {
        let (pitch, name) = if matrix.nrows() <= 256 { (256, "jacobi_256") } else { (LARGEST, "jacobi_768") };
        let columns = matrix.ncols().next_multiple_of(OWN);
        let blocks = columns / OWN;
        let scale = scale_of(matrix);
        if blocks > device.runs_together() || !scale.is_normal() {
            return Ok(None);
        }
        let on_device = device.copy(&longest_first(matrix, scale, columns, pitch))?;
        let counters: Room<u32> = device.zeros(COUNTERS)?;
        let values: Room<f64> = device.room(columns + 1)?;
        device.launch_together(
            name,
            File::Jacobi,
            Launch::blocks(blocks as u64, 128),
            &[&((columns / GROUP) as u32), &on_device.address(), &counters.address(), &values.address()],
        )?;
        let mut lengths = values.to_vec()?;
        let converged = lengths.pop() == Some(1.0);
        if !converged {
            return Ok(None);
        }
        Ok(Some(Orthogonal { numbers: on_device.to_vec()?, pitch, lengths, scale }))
    }

    /// Returns leading singular vectors. The left ones are the columns divided by their lengths, and the
    /// right ones follow from them. This loses no digits if all wanted values are of about the same size;
    /// if they are not, it returns `None`.
    fn leading(&self, Leading { matrix, count }: &Leading) -> Option<Singular> {
        let count = (*count).min(matrix.nrows()).min(matrix.ncols());
        let mut order: Vec<usize> = (0..self.lengths.len()).collect();
        order.sort_by(|&a, &b| self.lengths[b].total_cmp(&self.lengths[a]).then(a.cmp(&b)));
        order.truncate(count);
        let scaled: Vec<f64> = order.iter().map(|&j| self.lengths[j]).collect();
        let values: Vec<f64> = scaled.iter().map(|length| length / self.scale).collect();
        if !are_even(&values) {
            return None;
        }
        let mut u = Mat::zeros(matrix.nrows(), count);
        for ((vector, &j), value) in u.col_iter_mut().zip(&order).zip(&scaled) {
            let column = &self.numbers[j * self.pitch..];
            vector.iter_mut().zip(column).for_each(|(to, from)| *to = from / value);
        }
        let v = partners(matrix.transpose(), &u, &values);
        Some(Singular { u, values, v })
    }
}

/// A power of two that makes the largest number about 1, so that squares of products neither vanish nor
/// overflow.
fn scale_of(matrix: &Mat<f64>) -> f64 {
    matrix.norm_max().recip().log2().floor().exp2()
}

/// Returns the columns of a matrix times `scale`, padded with zeros. The longest come first, because this
/// takes fewer sweeps.
fn longest_first(matrix: &Mat<f64>, scale: f64, columns: usize, pitch: usize) -> Vec<f64> {
    let lengths: Vec<f64> = matrix.col_iter().map(|column| column.norm_l2()).collect();
    let mut order: Vec<usize> = (0..lengths.len()).collect();
    order.sort_by(|&a, &b| lengths[b].total_cmp(&lengths[a]).then(a.cmp(&b)));
    let mut numbers = vec![0.0; columns * pitch];
    for (out, j) in numbers.chunks_exact_mut(pitch).zip(order) {
        out.iter_mut().zip(matrix.col(j).iter()).for_each(|(to, from)| *to = scale * *from);
    }
    numbers
}
