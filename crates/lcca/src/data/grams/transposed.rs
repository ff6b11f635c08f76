//! A view by columns.
//!
//! Entries are sorted by columns in two steps, because every thread then writes memory of its own: first
//! each thread takes some rows and sorts their entries into ranges of columns, then each takes some of the
//! ranges and puts their entries in place. That is also kinder to the caches than placing every entry at
//! once.

use crate::data::facts::moments::count_columns;
use crate::error::Result;
use crate::matrix::{Matrix, Reader, SparseRows, Values};
use rayon::prelude::*;
use std::ops::Range;

/// Views with fewer entries than this are transposed by one thread.
const FEW: usize = 1 << 15;
/// The number of ranges of columns, which hold about equal numbers of entries.
const RANGES: usize = 64;
/// The number of entries that are sorted into ranges at a time, to bound the memory.
const BATCH: usize = 1 << 23;
/// The number of parts of the rows that are sorted into ranges by one thread each.
const PARTS: usize = 32;

/// The transpose of a view: each of its columns becomes a row, whose entries ascend.
pub fn by_columns(view: &Matrix) -> Result<SparseRows> {
    Transposed::new(view).into_rows(view.rows())
}

/// A view by columns: the rows of each column, ascending, and the values unless all are one.
pub(in crate::data) struct Transposed {
    starts: Vec<usize>,
    rows: Vec<u32>,
    values: Option<Vec<f64>>,
}

/// Entries of some rows that belong to one range of columns.
#[derive(Default)]
struct Bucket {
    places: Vec<(u32, u32)>,
    values: Vec<f64>,
}

/// One range of columns while its entries are put in place.
struct ColumnRange<'a> {
    first: usize,
    /// Where the range begins in the transpose.
    start: usize,
    next: &'a mut [usize],
    rows: &'a mut [u32],
    values: &'a mut [f64],
}

impl Transposed {
    /// The number of bytes that the transpose of a view takes.
    pub fn bytes(view: &Matrix) -> u64 {
        let entry = if view.is_all_ones() { 4 } else { 12 };
        entry * view.entries() + 16 * view.cols() as u64
    }

    /// Reads the view twice: once to count the entries of each column, once to place them.
    pub fn new(view: &Matrix) -> Transposed {
        let mut starts = Vec::with_capacity(view.cols() + 1);
        starts.push(0);
        let mut before = 0;
        starts.extend(count_columns(view).into_iter().map(|count| {
            before += count;
            before
        }));
        let entries = starts[view.cols()];
        let mut transposed = Transposed {
            starts,
            rows: vec![0u32; entries],
            values: (!view.is_all_ones()).then(|| vec![0.0; entries]),
        };
        let mut next = transposed.starts[..view.cols()].to_vec();
        if entries < FEW {
            transposed.place(view, &mut next);
        } else {
            transposed.place_in_parallel(view, &mut next);
        }
        transposed
    }

    /// Puts every entry where the next one of its column goes.
    fn place(&mut self, view: &Matrix, next: &mut [usize]) {
        let reader = Reader::new(view);
        for row in 0..view.rows() {
            reader.for_each(row, |column, value| {
                self.rows[next[column]] = row as u32;
                if let Some(values) = &mut self.values {
                    values[next[column]] = value;
                }
                next[column] += 1;
            });
        }
    }

    fn place_in_parallel(&mut self, view: &Matrix, next: &mut [usize]) {
        let ranges = cut_columns(&self.starts);
        let mut range_of = vec![0u8; view.cols()];
        for (number, range) in ranges.iter().enumerate() {
            range_of[range.clone()].fill(number as u8);
        }
        let mut targets =
            column_ranges(&ranges, &self.starts, next, &mut self.rows, self.values.as_deref_mut());
        let batches = self.starts[view.cols()].div_ceil(BATCH);
        for batch in 0..batches {
            let span = view.rows() * batch / batches..view.rows() * (batch + 1) / batches;
            let part = |part: usize| {
                let row = |part: usize| span.start + span.len() * part / PARTS;
                sort_into_ranges(view, row(part)..row(part + 1), &range_of, ranges.len())
            };
            let parts: Vec<Vec<Bucket>> = (0..PARTS).into_par_iter().with_max_len(1).map(part).collect();
            targets.par_iter_mut().with_max_len(1).enumerate().for_each(|(number, target)| {
                parts.iter().for_each(|buckets| target.take(&buckets[number]));
            });
        }
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of entries of the columns before `column`.
    pub fn entries_before(&self, column: usize) -> usize {
        self.starts[column]
    }

    /// The transpose as a matrix of its own; `rows` is the number of rows of the view.
    pub fn into_rows(self, rows: usize) -> Result<SparseRows> {
        let offsets: Vec<u64> = self.starts.iter().map(|&start| start as u64).collect();
        let is_exact = |values: &Vec<f64>| values.par_iter().all(|&v| f64::from(v as f32) == v);
        let values = match self.values {
            None => Values::Ones,
            Some(values) if is_exact(&values) => {
                Values::F32(values.par_iter().map(|&value| value as f32).collect::<Vec<_>>().into())
            }
            Some(values) => Values::F64(values.into()),
        };
        SparseRows::new(rows, offsets.into(), self.rows.into(), values)
    }

    /// Calls `visit(row, value)` for every entry of column j.
    #[inline(always)]
    pub fn for_each(&self, j: usize, visit: impl FnMut(usize, f64)) {
        self.for_each_in(self.starts[j]..self.starts[j + 1], visit);
    }

    /// The rows of the entries of all columns, column after column.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Calls `visit(row, value)` for the entries `span` of all entries, column after column.
    #[inline(always)]
    pub fn for_each_in(&self, span: Range<usize>, mut visit: impl FnMut(usize, f64)) {
        let rows = self.rows[span.clone()].iter().map(|&row| row as usize);
        match &self.values {
            None => rows.for_each(|row| visit(row, 1.0)),
            Some(values) => rows.zip(&values[span]).for_each(|(row, &value)| visit(row, value)),
        }
    }
}

/// Cuts the columns into ranges of about equal numbers of entries, none of them empty of columns.
fn cut_columns(starts: &[usize]) -> Vec<Range<usize>> {
    let (columns, entries) = (starts.len() - 1, starts[starts.len() - 1]);
    let mut ranges = Vec::with_capacity(RANGES);
    let mut first = 0;
    for number in 1..=RANGES {
        let goal = entries * number / RANGES;
        let end = if number == RANGES { columns } else { starts.partition_point(|&start| start < goal) };
        let end = end.min(columns);
        if end > first {
            ranges.push(first..end);
            first = end;
        }
    }
    ranges
}

/// The memory of each range of columns.
fn column_ranges<'a>(
    ranges: &[Range<usize>],
    starts: &[usize],
    mut next: &'a mut [usize],
    mut rows: &'a mut [u32],
    values: Option<&'a mut [f64]>,
) -> Vec<ColumnRange<'a>> {
    let mut values = values.unwrap_or_default();
    let has_values = !values.is_empty();
    let mut result = Vec::with_capacity(ranges.len());
    for range in ranges {
        let entries = starts[range.end] - starts[range.start];
        let (own_next, next_after) = next.split_at_mut(range.len());
        let (own_rows, rows_after) = rows.split_at_mut(entries);
        let (own_values, values_after) = values.split_at_mut(if has_values { entries } else { 0 });
        result.push(ColumnRange {
            first: range.start,
            start: starts[range.start],
            next: own_next,
            rows: own_rows,
            values: own_values,
        });
        (next, rows, values) = (next_after, rows_after, values_after);
    }
    result
}

fn sort_into_ranges(view: &Matrix, rows: Range<usize>, range_of: &[u8], ranges: usize) -> Vec<Bucket> {
    let (reader, has_values) = (Reader::new(view), !view.is_all_ones());
    let mut buckets: Vec<Bucket> = Vec::new();
    buckets.resize_with(ranges, Bucket::default);
    for row in rows {
        reader.for_each(row, |column, value| {
            let bucket = &mut buckets[range_of[column] as usize];
            bucket.places.push((column as u32, row as u32));
            if has_values {
                bucket.values.push(value);
            }
        });
    }
    buckets
}

impl ColumnRange<'_> {
    /// Puts the entries of a bucket in place, in their order.
    fn take(&mut self, bucket: &Bucket) {
        for (index, &(column, row)) in bucket.places.iter().enumerate() {
            let next = &mut self.next[column as usize - self.first];
            self.rows[*next - self.start] = row;
            if let Some(&value) = bucket.values.get(index) {
                self.values[*next - self.start] = value;
            }
            *next += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_panel, zipf_rows};

    #[test]
    fn many_entries_are_placed_as_few_are() {
        let ones = zipf_rows(20_000, 3_000, 9, 1);
        let Matrix::Sparse(m) = &ones else { unreachable!() };
        let numbers = random_panel(m.entries() as usize, 1, 2);
        let values: Vec<f64> = (0..numbers.rows()).map(|i| numbers.row(i)[0]).collect();
        let values = Values::F64(values.into());
        let weighted =
            SparseRows::new(m.cols(), m.offsets().clone(), m.columns().clone(), values).unwrap().into();
        for view in [ones.clone(), weighted] {
            let parallel = Transposed::new(&view);
            let mut serial = Transposed {
                starts: parallel.starts.clone(),
                rows: vec![0; parallel.rows.len()],
                values: parallel.values.as_ref().map(|values| vec![0.0; values.len()]),
            };
            serial.place(&view, &mut parallel.starts[..view.cols()].to_vec());
            assert!(parallel.rows.len() > FEW && parallel.rows == serial.rows);
            assert_eq!(parallel.values, serial.values);
        }
    }
}
