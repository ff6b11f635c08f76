//! The demo's built-in data: two generated sets that stand in for the two of the paper.
//!
//! The numbers that the demo prints are in the documentation, so nothing here depends on the machine:
//! weights are integers, chances are whole thousandths, and the ChaCha stream is fixed by its
//! specification.

mod boolean;
mod corpus;
mod frequency;
pub mod wheel;

pub use boolean::boolean;
pub use corpus::corpus;

#[cfg(test)]
mod laws {
    use super::frequency::counts;
    use lcca::matrix::Matrix;

    /// The columns of one row.
    pub fn columns(matrix: &Matrix, row: usize) -> Vec<usize> {
        let mut columns = Vec::new();
        matrix.for_each(row, |column, value| {
            assert_eq!(value, 1.0, "row {row}, column {column}");
            columns.push(column);
        });
        columns
    }

    /// The number of ones in each column.
    pub fn column_counts(matrix: &Matrix) -> Vec<usize> {
        counts((0..matrix.rows()).flat_map(|row| columns(matrix, row)), matrix.cols())
    }

    /// A checksum of the shape and of the columns of every row (FNV-1a).
    pub fn checksum(matrix: &Matrix) -> u64 {
        let shape = [matrix.rows(), matrix.cols()];
        let rows = (0..matrix.rows()).flat_map(|row| [usize::MAX].into_iter().chain(columns(matrix, row)));
        let bytes = shape.into_iter().chain(rows).flat_map(|number| (number as u64).to_le_bytes());
        bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
    }
}
