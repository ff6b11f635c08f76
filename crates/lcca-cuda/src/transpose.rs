//! The columns of sparse rows, on the host.
//!
//! Rows are cut into parts. Each part counts its entries of every column; the counts say where the entries of a part begin in each
//! column, and the parts write theirs at the same time. Within a column rows ascend, whatever the number of threads.

use lcca::matrix::Matrix;
use rayon::prelude::*;

/// A part has at least so many entries, and no more than this many times the columns count.
const ENTRIES_PER_PART: u64 = 1 << 20;
const MOST_PARTS: usize = 64;

/// Entries by columns.
pub(crate) struct Columns {
    /// The first entry of every column, and the end.
    pub offsets: Vec<u64>,
    /// The row of every entry.
    pub rows: Vec<u32>,
    /// The value of every entry, unless all are 1.
    pub values: Option<Vec<f64>>,
}

/// Numbers that several threads write, each its own.
struct Shared<T>(*mut T);
// SAFETY: the parts write different places.
unsafe impl<T: Send> Sync for Shared<T> {}

impl<T> Shared<T> {
    /// # Safety
    /// The place is in range and nobody else writes it.
    unsafe fn write(&self, place: usize, value: T) {
        // SAFETY: the caller says so.
        unsafe { self.0.add(place).write(value) }
    }
}

impl Columns {
    /// The columns of a sparse or one-hot view.
    pub fn of(matrix: &Matrix, has_values: bool) -> Self {
        let (rows, cols) = (matrix.rows(), matrix.cols());
        let parts = ((matrix.entries() / ENTRIES_PER_PART) as usize).clamp(1, MOST_PARTS);
        let cut = |part: usize| part * rows / parts;
        let mut counts: Vec<Vec<u32>> = (0..parts)
            .into_par_iter()
            .map(|part| {
                let mut counts = vec![0; cols];
                (cut(part)..cut(part + 1))
                    .for_each(|row| matrix.for_each(row, |column, _| counts[column] += 1));
                counts
            })
            .collect();
        // Each count becomes the number of entries of its column in the parts before.
        let totals: Vec<u64> = {
            let mut totals = vec![0u64; cols];
            for counts in &mut counts {
                totals.par_iter_mut().zip(counts.par_iter_mut()).with_min_len(1 << 14).for_each(
                    |(total, count)| {
                        let own = *count;
                        *count = *total as u32;
                        *total += u64::from(own);
                    },
                );
            }
            totals
        };
        let mut offsets = Vec::with_capacity(cols + 1);
        offsets.push(0);
        for total in totals {
            offsets.push(offsets[offsets.len() - 1] + total);
        }
        let entries = offsets[cols] as usize;
        let mut numbers = vec![0u32; entries];
        let mut values = vec![0.0; if has_values { entries } else { 0 }];
        let (to_numbers, to_values) = (Shared(numbers.as_mut_ptr()), Shared(values.as_mut_ptr()));
        counts.into_par_iter().enumerate().for_each(|(part, mut before)| {
            let (to_numbers, to_values) = (&to_numbers, &to_values);
            for row in cut(part)..cut(part + 1) {
                matrix.for_each(row, |column, value| {
                    let place = offsets[column] as usize + before[column] as usize;
                    before[column] += 1;
                    // SAFETY: the counts of all parts add up to the entries, and each place belongs to one part.
                    unsafe {
                        to_numbers.write(place, row as u32);
                        if has_values {
                            to_values.write(place, value);
                        }
                    }
                });
            }
        });
        Columns { offsets, rows: numbers, values: has_values.then_some(values) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lcca::matrix::{SparseRows, Values};

    #[test]
    fn columns_hold_every_entry_with_rows_ascending() {
        let offsets: Vec<u64> = vec![0, 2, 2, 5, 6];
        let (columns, values) = (vec![0u32, 2, 0, 1, 2, 2], vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let rows = SparseRows::new(4, offsets.into(), columns.into(), Values::F64(values.into()))
            .expect("rows are valid");
        let columns = Columns::of(&rows.into(), true);
        assert_eq!(columns.offsets, [0, 2, 3, 6, 6]);
        assert_eq!(columns.rows, [0, 2, 2, 0, 2, 3]);
        assert_eq!(columns.values, Some(vec![1.0, 3.0, 4.0, 2.0, 5.0, 6.0]));
    }
}
