//! The lower triangle of a square matrix.

use bytemuck::Pod;
use faer::{Mat, MatMut, MatRef};
use rayon::prelude::*;
use std::ops::{Index, IndexMut};

/// The lower triangle of a square matrix, column after column: half of a symmetric matrix, or a triangular
/// factor.
///
/// There is room for the upper triangle as well, because dense algebra works on whole matrices, but nothing
/// is ever written there. About half of the memory is never taken, and no thread has to clear all of it
/// first, because the system grants memory only when a thread touches it.
#[derive(Clone, Debug, PartialEq)]
pub struct Lower<T = f64> {
    size: usize,
    numbers: Vec<T>,
}

impl<T: Pod + Send + Sync> Lower<T> {
    /// A triangle of zeros.
    pub fn zeros(size: usize) -> Self {
        Lower { size, numbers: bytemuck::zeroed_vec(size * size) }
    }

    /// The number of rows, which is that of columns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// The storage as a matrix. Its upper triangle means nothing.
    pub fn as_mat(&self) -> MatRef<'_, T> {
        MatRef::from_column_major_slice(&self.numbers, self.size, self.size)
    }

    /// The storage as a matrix whose lower triangle can be written.
    pub fn as_mat_mut(&mut self) -> MatMut<'_, T> {
        MatMut::from_column_major_slice_mut(&mut self.numbers, self.size, self.size)
    }

    /// The columns, each from its diagonal down, in parallel.
    pub fn par_columns_mut(&mut self) -> impl IndexedParallelIterator<Item = &mut [T]> {
        let columns = self.numbers.par_chunks_mut(self.size.max(1)).enumerate();
        columns.map(|(j, column)| &mut column[j..])
    }

    /// Column j from its diagonal down.
    pub fn column(&self, j: usize) -> &[T] {
        &self.numbers[j * self.size + j..(j + 1) * self.size]
    }
}

impl Lower {
    /// A copy of the lower triangle of a square matrix.
    pub fn of(mat: MatRef<'_, f64>) -> Self {
        let mut lower = Lower::zeros(mat.ncols());
        lower.par_columns_mut().enumerate().for_each(|(j, column)| {
            (j..).zip(column).for_each(|(i, entry)| *entry = mat[(i, j)]);
        });
        lower
    }

    /// A copy as a matrix with zeros above the diagonal.
    pub fn to_mat(&self) -> Mat<f64> {
        Mat::from_fn(self.size, self.size, |i, j| if i >= j { self[(i, j)] } else { 0.0 })
    }

    /// The sum of two triangles.
    ///
    /// # Panics
    /// If their sizes differ.
    pub fn plus(mut self, other: &Lower) -> Self {
        assert_eq!(self.size, other.size, "triangles of one size");
        self.par_columns_mut().enumerate().for_each(|(j, column)| {
            column.iter_mut().zip(other.column(j)).for_each(|(sum, term)| *sum += term);
        });
        self
    }
}

impl<T> Index<(usize, usize)> for Lower<T> {
    type Output = T;

    fn index(&self, (i, j): (usize, usize)) -> &T {
        debug_assert!(i >= j, "an entry of the lower triangle");
        &self.numbers[j * self.size + i]
    }
}

impl<T> IndexMut<(usize, usize)> for Lower<T> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        debug_assert!(i >= j, "an entry of the lower triangle");
        &mut self.numbers[j * self.size + i]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_holds_what_is_below_the_diagonal() {
        let mat = Mat::from_fn(4, 4, |i, j| (10 * i + j) as f64);
        let lower = Lower::of(mat.as_ref());
        assert_eq!((lower.size(), lower.column(1)), (4, &[11.0, 21.0, 31.0][..]));
        assert_eq!(lower.to_mat()[(0, 3)], 0.0);
        assert_eq!(lower.clone().plus(&lower)[(3, 2)], 64.0);
        assert_eq!(Lower::zeros(0).to_mat().nrows(), 0);
    }
}
