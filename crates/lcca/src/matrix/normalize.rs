//! Rows normalized one by one: by their length, by their sum, or as logarithms of shares.
//!
//! Rows are normalized once, before a fit: sparse rows keep their offsets and columns where they are and
//! get values of their own, 4 bytes per entry, or 8 if they had doubles. It is not done in every pass,
//! because that would cost a logarithm per entry and pass, every loop over entries would need a variant,
//! and a view of ones has no values that a factor could go with.

use super::{Buffer, DenseRows, DenseValues, Matrix, SparseRows, Values};
use crate::error::{Error, Result};
use crate::side::Side;
use rayon::prelude::*;

/// The sum that the entries of a row are scaled to before logarithms are taken.
const TARGET: f64 = 1e4;
/// The number of rows that one thread takes at a time.
const CHUNK: usize = 1024;

/// How rows are normalized before a fit. Rows of zeros stay as they are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Normalize {
    /// Rows as they are.
    #[default]
    No,
    /// Divided by their Euclidean length.
    Length,
    /// Divided by their sum: shares. No entry may be negative.
    Sum,
    /// log(1 + 10,000·x/sum), as is usual for counts of single cells. No entry may be negative.
    Log1p,
}

impl Normalize {
    /// Every choice, by the name that it has in files and on the command line.
    pub const ALL: [(&'static str, Normalize); 4] = [
        ("no", Normalize::No),
        ("length", Normalize::Length),
        ("sum", Normalize::Sum),
        ("log1p", Normalize::Log1p),
    ];

    /// The choice of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, normalize)| *normalize)
    }

    /// The name of the choice.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, normalize)| *normalize == self).map_or("no", |(name, _)| name)
    }

    /// Whether rows stay as they are.
    pub fn is_no(&self) -> bool {
        *self == Normalize::No
    }

    /// The normalized rows of a view. Single precision stays single precision, and rows of ones become
    /// single precision.
    pub fn apply(self, side: Side, rows: &Matrix) -> Result<Matrix> {
        match rows {
            _ if self.is_no() => Ok(rows.clone()),
            Matrix::Sparse(sparse) => self.sparse(side, rows, sparse).map(Matrix::from),
            // Nothing changes, because a row whose one entry is 1 has length and sum 1.
            Matrix::OneHot(_) if self != Normalize::Log1p => Ok(rows.clone()),
            Matrix::OneHot(one_hot) => {
                let columns = (0..rows.rows()).filter_map(|row| one_hot.column(row)).map(|c| c as u32);
                let columns: Vec<u32> = columns.collect();
                let mut offsets = vec![0u64; rows.rows() + 1];
                (0..rows.rows()).for_each(|row| offsets[row + 1] = offsets[row] + rows.row_entries(row));
                let values = vec![TARGET.ln_1p() as f32; columns.len()];
                let values = Values::F32(values.into());
                SparseRows::new(rows.cols(), offsets.into(), columns.into(), values).map(Matrix::from)
            }
            Matrix::Dense(dense) => {
                let values = match dense.values() {
                    DenseValues::F32(_) => DenseValues::F32(self.dense(side, rows, |v| v as f32)?),
                    DenseValues::F64(_) => DenseValues::F64(self.dense(side, rows, |v| v)?),
                };
                DenseRows::new(rows.rows(), rows.cols(), values).map(Matrix::from)
            }
        }
    }

    fn sparse(self, side: Side, rows: &Matrix, sparse: &SparseRows) -> Result<SparseRows> {
        let offsets = sparse.offsets().as_slice();
        let (first, last) = (offsets[0].get() as usize, offsets[offsets.len() - 1].get() as usize);
        let entries = |row: usize| rows.row_entries(row) as usize;
        let values = match sparse.values() {
            Values::F64(_) => Values::F64(self.values(side, rows, last - first, entries, |v| v)?),
            _ => Values::F32(self.values(side, rows, last - first, entries, |v| v as f32)?),
        };
        // Rows that were cut out of others still point into the entries of all rows.
        let whole = first == 0 && last == sparse.columns().len();
        if whole {
            return sparse.with_values(values);
        }
        let offsets: Vec<u64> = offsets.iter().map(|offset| offset.get() - first as u64).collect();
        SparseRows::new(rows.cols(), offsets.into(), sparse.columns().slice(first..last), values)
    }

    fn dense<T: bytemuck::Pod + Send + Sync>(
        self,
        side: Side,
        rows: &Matrix,
        stored: impl Fn(f64) -> T + Sync,
    ) -> Result<Buffer<T>> {
        self.values(side, rows, rows.rows() * rows.cols(), |_| rows.cols(), stored)
    }

    /// The normalized entries of all rows, `count` in total, row after row.
    fn values<T: bytemuck::Pod + Send + Sync>(
        self,
        side: Side,
        rows: &Matrix,
        count: usize,
        entries: impl Fn(usize) -> usize,
        stored: impl Fn(f64) -> T + Sync,
    ) -> Result<Buffer<T>> {
        let mut values = vec![T::zeroed(); count];
        let mut rest = &mut values[..];
        let mut chunks = Vec::with_capacity(rows.rows().div_ceil(CHUNK));
        for start in (0..rows.rows()).step_by(CHUNK) {
            let end = (start + CHUNK).min(rows.rows());
            let (own, others) = rest.split_at_mut((start..end).map(&entries).sum());
            chunks.push((start..end, own));
            rest = others;
        }
        chunks.into_par_iter().try_for_each(|(span, out)| {
            let mut next = 0;
            for row in span {
                let total = self.total(side, rows, row)?;
                rows.for_each(row, |_, value| {
                    out[next] = stored(self.entry(value, total));
                    next += 1;
                });
            }
            Ok::<(), Error>(())
        })?;
        Ok(values.into())
    }

    /// The length or the sum of a row.
    fn total(self, side: Side, rows: &Matrix, row: usize) -> Result<f64> {
        let (mut sum, mut negative) = (0.0, None);
        rows.for_each(row, |column, value| match self {
            Normalize::Length => sum += value * value,
            _ if value < 0.0 => negative = negative.or(Some((column, value))),
            _ => sum += value,
        });
        match negative {
            Some((column, value)) => Err(Error::Negative { side, row, column, value }),
            None => Ok(if self == Normalize::Length { sum.sqrt() } else { sum }),
        }
    }

    fn entry(self, value: f64, total: f64) -> f64 {
        match self {
            _ if total == 0.0 => 0.0,
            Normalize::Log1p => (TARGET / total * value).ln_1p(),
            _ => value / total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{any_matrix, to_dense};
    use proptest::prelude::*;

    /// One entry of a normalized row, by its definition.
    fn twin(normalize: Normalize, row: &[f64], value: f64) -> f64 {
        let (sum, length) = (row.iter().sum::<f64>(), row.iter().map(|v| v * v).sum::<f64>().sqrt());
        match normalize {
            _ if row.iter().all(|v| *v == 0.0) => 0.0,
            Normalize::No => value,
            Normalize::Length => value / length,
            Normalize::Sum => value / sum,
            Normalize::Log1p => (1.0 + 1e4 * value / sum).ln(),
        }
    }

    proptest! {
        #[test]
        fn normalized_rows_are_those_of_the_definition_in_any_storage(rows in any_matrix(2..30, 1..9)) {
            // The slice's entries begin in the middle of all entries.
            let rows = rows.slice(1..rows.rows());
            let dense = to_dense(&rows);
            let row = |i: usize| -> Vec<f64> { (0..rows.cols()).map(|j| dense[(i, j)]).collect() };
            let is_negative = (0..rows.rows()).any(|i| row(i).iter().any(|v| *v < 0.0));
            for (_, normalize) in Normalize::ALL {
                match normalize.apply(Side::X, &rows) {
                    Ok(found) => {
                        let found = to_dense(&found);
                        for (i, j) in (0..rows.rows()).flat_map(|i| (0..rows.cols()).map(move |j| (i, j))) {
                            let truth = twin(normalize, &row(i), dense[(i, j)]);
                            prop_assert!((found[(i, j)] - truth).abs() <= 1e-6 * truth.abs());
                        }
                    }
                    Err(error) => {
                        let by_sums = matches!(normalize, Normalize::Sum | Normalize::Log1p);
                        prop_assert!(is_negative && by_sums, "{error}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_negative_entry_is_named_if_sums_need_none() {
        let values = Values::F64(vec![1.0, -2.5].into());
        let rows = SparseRows::new(3, vec![0, 1, 2].into(), vec![0, 2].into(), values).unwrap().into();
        for (normalize, refuses) in
            [(Normalize::Length, false), (Normalize::Sum, true), (Normalize::Log1p, true)]
        {
            let result = normalize.apply(Side::Y, &rows);
            let message = result.err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(message.contains("Y: row 1, column 2: the value is -2.5"), refuses, "{message}");
        }
    }

    #[test]
    fn every_choice_has_its_name() {
        for (name, normalize) in Normalize::ALL {
            assert_eq!((Normalize::named(name), normalize.name()), (Some(normalize), name));
        }
        assert_eq!(Normalize::named("other"), None);
    }
}
