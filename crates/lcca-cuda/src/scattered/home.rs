//! The data that passes read on a device: a copy of the rows or Gram matrices on which a pair is built.

use super::rows::RowsOnDevice;
use super::sparse::SparseOnDevice;
use crate::error::CudaError;
use crate::runtime::device::Device;
use crate::runtime::room::Room;
use lcca::data::{InMemory, JointGram, Side};
use lcca::matrix::{Buffer, DenseValues, Matrix, Values};
use std::any::Any;
use std::sync::Arc;

/// The data that passes read, in the memory of a device.
pub(crate) enum Home {
    Grams(Box<GramsOnDevice>),
    Rows(Box<RowsOnDevice>),
}

/// All four blocks of [X Y]ᵀ[X Y].
pub(crate) struct GramsOnDevice {
    /// `blocks[target][source]`
    pub blocks: [[SparseOnDevice; 2]; 2],
    /// Column sums of each view.
    pub sums: [Room<f64>; 2],
    /// Keeps the entries of XᵀX, XᵀY and YᵀY alive, wherever they lie, so that no other matrix gets their
    /// address.
    source: [Matrix; 3],
}

impl GramsOnDevice {
    fn copy(device: &Arc<Device>, joint: &JointGram) -> Result<Self, CudaError> {
        let block = |target: Side, source: Side| SparseOnDevice::copy(device, joint.block(target, source));
        let blocks = [
            [block(Side::X, Side::X)?, block(Side::X, Side::Y)?],
            [block(Side::Y, Side::X)?, block(Side::Y, Side::Y)?],
        ];
        GramsOnDevice::new(device, joint, blocks)
    }

    /// Wraps blocks that already lie on the device. They are those of `joint`.
    fn new(
        device: &Arc<Device>,
        joint: &JointGram,
        blocks: [[SparseOnDevice; 2]; 2],
    ) -> Result<Self, CudaError> {
        Ok(GramsOnDevice {
            blocks,
            sums: [device.copy(&joint.moments(Side::X).sum)?, device.copy(&joint.moments(Side::Y).sum)?],
            source: entries(joint).map(Matrix::clone),
        })
    }
}

impl Home {
    /// Copies the rows or Gram matrices on which a pair is built. Returns `None` if `source` is neither.
    pub fn copy(device: &Arc<Device>, source: &(dyn Any + Send + Sync)) -> lcca::Result<Option<Self>> {
        Ok(if let Some(joint) = source.downcast_ref::<JointGram>() {
            Some(Home::Grams(Box::new(GramsOnDevice::copy(device, joint)?)))
        } else if let Some(rows) = source.downcast_ref::<InMemory>() {
            Some(Home::Rows(Box::new(RowsOnDevice::copy(device, rows)?)))
        } else {
            None
        })
    }

    /// Wraps Gram matrices whose blocks were formed on the device. `joint` are those that the host sees.
    pub fn formed(
        device: &Arc<Device>,
        joint: &JointGram,
        blocks: [[SparseOnDevice; 2]; 2],
    ) -> Result<Self, CudaError> {
        Ok(Home::Grams(Box::new(GramsOnDevice::new(device, joint, blocks)?)))
    }

    /// Whether this is the copy of `source`, on which a pair is built.
    pub fn is_of(&self, source: &(dyn Any + Send + Sync)) -> bool {
        match self {
            Home::Grams(grams) => {
                source.downcast_ref().is_some_and(|joint| are_same_grams(joint, &grams.source))
            }
            Home::Rows(rows) => source
                .downcast_ref()
                .is_some_and(|pair| are_same_rows(pair, &rows.source, rows.weights.as_ref())),
        }
    }
}

/// XᵀX, XᵀY and YᵀY.
fn entries(joint: &JointGram) -> [&Matrix; 3] {
    let [x, y] = Side::BOTH;
    [joint.block(x, x), joint.block(x, y), joint.block(y, y)]
}

/// Whether three blocks are those of a joint Gram matrix.
fn are_same_grams(joint: &JointGram, blocks: &[Matrix; 3]) -> bool {
    entries(joint).iter().zip(blocks).all(|(a, b)| is_same(a, b))
}

/// Whether the rows of a pair are those of two views, with the same weights.
pub(crate) fn are_same_rows(pair: &InMemory, views: &[Matrix; 2], weights: Option<&Buffer<f64>>) -> bool {
    let address = |weights: Option<&Buffer<f64>>| weights.map(address);
    Side::BOTH.iter().all(|&side| is_same(pair.view(side), &views[side as usize]))
        && address(pair.weights()) == address(weights)
}

/// Whether two matrices are the same rows of the same numbers. Equal addresses are the same numbers,
/// because both matrices are alive. A range of rows shares the entries of all rows, but not their offsets.
fn is_same(a: &Matrix, b: &Matrix) -> bool {
    let parts = |matrix: &Matrix| match matrix {
        Matrix::Sparse(rows) => {
            let values = match rows.values() {
                Values::Ones => 0,
                Values::F32(values) => address(values),
                Values::F64(values) => address(values),
            };
            [address(rows.offsets()), address(rows.columns()), values]
        }
        Matrix::OneHot(rows) => [address(rows.columns()), 0, 0],
        Matrix::Dense(rows) => match rows.values() {
            DenseValues::F32(values) => [address(values), 0, 0],
            DenseValues::F64(values) => [address(values), 0, 0],
        },
    };
    let shape = |matrix: &Matrix| (matrix.rows(), matrix.cols(), matrix.entries());
    std::mem::discriminant(a) == std::mem::discriminant(b) && shape(a) == shape(b) && parts(a) == parts(b)
}

fn address<T: bytemuck::Pod>(buffer: &Buffer<T>) -> u64 {
    buffer.address()
}

#[cfg(test)]
mod tests {
    use super::*;
    use lcca::data::Pair;
    use lcca::matrix::{DenseRows, OneHotRows, SparseRows};

    fn sparse(values: Values) -> Matrix {
        // Two entries in every row, so that equally many rows have equally many entries.
        let offsets: Vec<u64> = (0..=40).map(|row| 2 * row).collect();
        let columns: Vec<u32> = (0..40).flat_map(|row| [row % 5, 5 + row % 3]).collect();
        SparseRows::new(8, offsets.into(), columns.into(), values).unwrap().into()
    }

    fn numbers(count: usize) -> Buffer<f64> {
        (0..count).map(|i| i as f64 + 0.1).collect::<Vec<f64>>().into()
    }

    #[test]
    fn other_rows_of_the_same_matrix_are_not_the_same() {
        let one_hot = OneHotRows::new(5, (0..40).map(|row| row % 5).collect::<Vec<u32>>().into()).unwrap();
        let dense = DenseRows::new(40, 2, DenseValues::F64(numbers(80))).unwrap();
        for whole in [sparse(Values::Ones), sparse(Values::F64(numbers(80))), one_hot.into(), dense.into()] {
            assert!(is_same(&whole, &whole.clone()));
            let (first, second) = (whole.slice(0..20), whole.slice(20..40));
            assert!(is_same(&first, &whole.slice(0..20)));
            assert!(!is_same(&first, &second) && !is_same(&first, &whole));
        }
    }

    #[test]
    fn other_values_and_other_weights_are_not_the_same() {
        let (ones, weighted) = (sparse(Values::Ones), sparse(Values::F64(numbers(80))));
        let Matrix::Sparse(rows) = &ones else { unreachable!() };
        let columns = || (rows.offsets().clone(), rows.columns().clone());
        let with =
            |values: Values| Matrix::from(SparseRows::new(8, columns().0, columns().1, values).unwrap());
        assert!(is_same(&ones, &with(Values::Ones)));
        assert!(!is_same(&ones, &with(Values::F64(numbers(80)))) && !is_same(&ones, &weighted));
        let pair = InMemory::new(ones.clone(), ones.clone()).unwrap();
        let views = [ones.clone(), ones];
        assert!(are_same_rows(&pair, &views, None) && !are_same_rows(&pair, &views, Some(&numbers(40))));
    }

    #[test]
    fn gram_matrices_that_are_formed_again_are_not_the_same() {
        let joint = |x: Matrix, y: Matrix| {
            InMemory::new(x, y).unwrap().capabilities().joint_grams.unwrap().joint_gram(u64::MAX).unwrap()
        };
        let first = joint(sparse(Values::Ones), sparse(Values::Ones));
        let blocks = entries(&first).map(Matrix::clone);
        assert!(are_same_grams(&first, &blocks) && are_same_grams(&first.clone(), &blocks));
        assert!(!are_same_grams(&joint(sparse(Values::Ones), sparse(Values::Ones)), &blocks));
    }
}
