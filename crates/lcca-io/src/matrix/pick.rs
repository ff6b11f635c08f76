//! Some columns of a matrix, in ascending order. Explicit zeros are left out.

use super::assemble::smallest;
use super::values::Growing;
use crate::error::Outcome;
use lcca::matrix::{DenseRows, DenseValues, Matrix, SparseRows};

/// Picks the columns of these numbers, which ascend.
pub(crate) fn pick(matrix: &Matrix, columns: &[usize]) -> Outcome<Matrix> {
    match matrix {
        Matrix::Dense(dense) => pick_dense(dense, columns),
        _ => pick_sparse(matrix, columns),
    }
}

fn pick_dense(dense: &DenseRows, columns: &[usize]) -> Outcome<Matrix> {
    let cells = (0..dense.rows()).flat_map(|row| columns.iter().map(move |&column| dense.get(row, column)));
    let values = match dense.values() {
        DenseValues::F32(_) => DenseValues::F32(cells.map(|value| value as f32).collect::<Vec<_>>().into()),
        DenseValues::F64(_) => DenseValues::F64(cells.collect::<Vec<_>>().into()),
    };
    Ok(DenseRows::new(dense.rows(), columns.len(), values)?.into())
}

fn pick_sparse(matrix: &Matrix, columns: &[usize]) -> Outcome<Matrix> {
    let new_number = NewNumber::new(columns, matrix.cols());
    let (mut ends, mut ids, mut values) = (vec![0u64], Vec::new(), Growing::new());
    for row in 0..matrix.rows() {
        matrix.for_each(row, |column, value| {
            if let Some(id) = new_number.get(column).filter(|_| value != 0.0) {
                ids.push(id);
                values.push(value);
            }
        });
        ends.push(ids.len() as u64);
    }
    smallest(SparseRows::new(columns.len(), ends.into(), ids.into(), values.into_values())?)
}

/// The new numbers of the old columns.
enum NewNumber<'a> {
    /// A list with one number per old column.
    Listed(Vec<u32>),
    /// A list to search by bisection, because the old columns are too many to list.
    Searched(&'a [usize]),
}

impl<'a> NewNumber<'a> {
    const DROPPED: u32 = u32::MAX;
    /// The longest list. A list is quicker, but takes four bytes for every column, whether it is picked or
    /// not.
    const LONGEST_LIST: usize = 1 << 22;

    fn new(columns: &'a [usize], cols: usize) -> Self {
        if cols > Self::LONGEST_LIST && cols / 16 > columns.len() {
            return NewNumber::Searched(columns);
        }
        let mut list = vec![Self::DROPPED; cols];
        columns.iter().zip(0..).for_each(|(&column, number)| list[column] = number);
        NewNumber::Listed(list)
    }

    fn get(&self, column: usize) -> Option<u32> {
        match self {
            NewNumber::Listed(list) => Some(list[column]).filter(|&number| number != Self::DROPPED),
            NewNumber::Searched(columns) => columns.binary_search(&column).ok().map(|index| index as u32),
        }
    }
}
