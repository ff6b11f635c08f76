//! Builds sparse rows entry by entry. Several builders fill consecutive parts in parallel and are joined at
//! the end.

use super::{SparseRows, Values};
use crate::error::Result;
use rayon::prelude::*;

/// Consecutive rows under construction.
#[derive(Default)]
pub(crate) struct RowsBuilder {
    ends: Vec<usize>,
    columns: Vec<u32>,
    values: Vec<f64>,
}

impl RowsBuilder {
    /// Adds an entry to the current row. Columns must ascend within a row.
    #[inline(always)]
    pub fn push(&mut self, column: u32, value: f64) {
        self.columns.push(column);
        self.values.push(value);
    }

    /// Makes room for `entries` more entries.
    pub fn reserve(&mut self, entries: usize) {
        self.columns.reserve(entries);
        self.values.reserve(entries);
    }

    /// Completes the current row.
    pub fn end_row(&mut self) {
        self.ends.push(self.columns.len());
    }

    /// The number of entries so far.
    pub fn entries(&self) -> usize {
        self.columns.len()
    }

    /// Concatenates the rows of all parts. If the values are known to be `all_ones`, they are not stored.
    /// Otherwise they are stored in single precision if that holds all of them exactly, for example small
    /// counts.
    pub fn join(parts: Vec<RowsBuilder>, cols: usize, all_ones: bool) -> Result<SparseRows> {
        let offsets = join_offsets(&parts);
        let columns = concatenate(&parts, |part| &part.columns, |&column| column);
        let is_exact = |part: &RowsBuilder| part.values.iter().all(|&v| f64::from(v as f32) == v);
        let values = if all_ones {
            Values::Ones
        } else if parts.par_iter().all(is_exact) {
            Values::F32(concatenate(&parts, |part| &part.values, |&value| value as f32).into())
        } else {
            Values::F64(concatenate(&parts, |part| &part.values, |&value| value).into())
        };
        drop(parts);
        SparseRows::new(cols, offsets.into(), columns.into(), values)
    }
}

fn join_offsets(parts: &[RowsBuilder]) -> Vec<u64> {
    let mut offsets = Vec::with_capacity(1 + parts.iter().map(|part| part.ends.len()).sum::<usize>());
    offsets.push(0u64);
    let mut before = 0;
    for part in parts {
        offsets.extend(part.ends.iter().map(|end| (before + end) as u64));
        before += part.entries();
    }
    offsets
}

/// The numbers of all parts, one after another, copied by all threads.
fn concatenate<T: Sync, U: Copy + Default + Send>(
    parts: &[RowsBuilder],
    numbers: impl Fn(&RowsBuilder) -> &Vec<T> + Sync,
    convert: impl Fn(&T) -> U + Sync,
) -> Vec<U> {
    // The thread that writes a page also places it, because zeros come from the system untouched.
    let mut joined = vec![U::default(); parts.iter().map(|part| numbers(part).len()).sum()];
    let mut rest = &mut joined[..];
    let mut slices = Vec::with_capacity(parts.len());
    for part in parts {
        let (own, after) = rest.split_at_mut(numbers(part).len());
        slices.push((part, own));
        rest = after;
    }
    slices.into_par_iter().for_each(|(part, own)| {
        own.iter_mut().zip(numbers(part)).for_each(|(out, number)| *out = convert(number));
    });
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_joined_in_order_and_values_keep_every_digit() {
        for (value, single) in [(3.0, true), (0.1, false)] {
            let mut parts: Vec<RowsBuilder> = (0..3).map(|_| RowsBuilder::default()).collect();
            for (part, builder) in parts.iter_mut().enumerate() {
                builder.push(part as u32, value);
                builder.push(5, 2.0);
                builder.end_row();
                builder.end_row();
            }
            let rows = RowsBuilder::join(parts, 6, false).unwrap();
            assert_eq!((rows.rows(), rows.entries()), (6, 6));
            assert_eq!(matches!(rows.values(), Values::F32(_)), single);
            let mut entries = Vec::new();
            rows.for_each(4, |column, value| entries.push((column, value)));
            assert_eq!(entries, [(2, value), (5, 2.0)]);
        }
    }
}
