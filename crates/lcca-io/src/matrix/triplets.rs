//! Sorts entries in any order into rows, by a counting sort that takes one counter per row besides the
//! result.

use crate::error::{Fault, Outcome};
use crate::words::numbers::grouped;
use lcca::matrix::{Buffer, Packed, Values};

/// The row, column and value of each entry. All row numbers must be below the row count given to
/// [`Triplets::into_rows`].
pub(crate) struct Triplets {
    pub(crate) rows: Buffer<u32>,
    pub(crate) columns: Columns,
    pub(crate) values: Values,
}

/// The column of each entry.
pub(crate) enum Columns {
    /// One column per entry.
    Listed(Buffer<u32>),
    /// The offsets of the columns, if entries come column after column.
    Grouped(Buffer<u64>),
}

type Rows = (Buffer<u64>, Buffer<u32>, Values);

impl Triplets {
    /// Returns the offsets, columns and values of sparse rows. Entries keep their order within a row.
    pub(crate) fn into_rows(self, rows: usize) -> Outcome<Rows> {
        check_claim(rows, self.rows.len())?;
        let offsets = self.offsets(rows);
        if let (true, Columns::Listed(columns)) = (self.is_in_row_order(), &self.columns) {
            return Ok((offsets.into(), columns.clone(), self.values));
        }
        let (columns, values) = match &self.values {
            Values::Ones => (self.placed(&offsets, |_| ()).0, Values::Ones),
            Values::F32(from) => {
                let (columns, values) = self.placed(&offsets, |entry| from.as_slice()[entry].get());
                (columns, Values::F32(values.into()))
            }
            Values::F64(from) => {
                let (columns, values) = self.placed(&offsets, |entry| from.as_slice()[entry].get());
                (columns, Values::F64(values.into()))
            }
        };
        Ok((offsets.into(), columns.into(), values))
    }

    fn offsets(&self, rows: usize) -> Vec<u64> {
        let mut offsets = vec![0u64; rows + 1];
        self.rows.iter().for_each(|row| offsets[row as usize + 1] += 1);
        let mut sum = 0;
        offsets.iter_mut().for_each(|count| {
            sum += *count;
            *count = sum;
        });
        offsets
    }

    fn is_in_row_order(&self) -> bool {
        self.rows.as_slice().windows(2).all(|pair| pair[0].get() <= pair[1].get())
    }

    fn placed<T: Copy + Default>(&self, offsets: &[u64], value: impl Fn(usize) -> T) -> (Vec<u32>, Vec<T>) {
        let mut next = offsets.to_vec();
        let mut columns = vec![0u32; self.rows.len()];
        let mut values = vec![T::default(); self.rows.len()];
        self.for_each(|row, column, entry| {
            let slot = &mut next[row as usize];
            columns[*slot as usize] = column;
            values[*slot as usize] = value(entry);
            *slot += 1;
        });
        (columns, values)
    }

    fn for_each(&self, mut visit: impl FnMut(u32, u32, usize)) {
        let rows = self.rows.as_slice();
        match &self.columns {
            Columns::Listed(columns) => {
                let pairs = rows.iter().zip(columns.as_slice());
                pairs.enumerate().for_each(|(entry, (row, column))| visit(row.get(), column.get(), entry));
            }
            Columns::Grouped(offsets) => offsets.as_slice().windows(2).zip(0..).for_each(|(pair, column)| {
                span(pair).for_each(|entry| visit(rows[entry].get(), column, entry));
            }),
        }
    }
}

fn span(pair: &[Packed<u64>]) -> std::ops::Range<usize> {
    pair[0].get() as usize..pair[1].get() as usize
}

/// Refuses a row count far beyond the number of entries, because empty rows cost memory too, and such a
/// header is broken.
fn check_claim(rows: usize, entries: usize) -> Outcome<()> {
    const SMALL: usize = 1 << 24;
    const EMPTY_PER_ENTRY: usize = 64;
    if rows > SMALL && rows / EMPTY_PER_ENTRY > entries {
        let (rows, entries) = (grouped(rows as u64), grouped(entries as u64));
        return Err(Fault::new(format!(
            "{rows} rows are claimed for {entries} entries, expected at most {EMPTY_PER_ENTRY} rows per entry"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn triplets(rows: Vec<u32>, columns: Columns) -> Triplets {
        let values = Values::F64((0..rows.len()).map(|entry| entry as f64).collect::<Vec<_>>().into());
        Triplets { rows: rows.into(), columns, values }
    }

    #[test]
    fn listed_and_grouped_columns_make_the_same_rows() {
        let listed = Columns::Listed(vec![0, 0, 2, 2].into());
        let grouped = Columns::Grouped(vec![0, 2, 2, 4].into());
        for columns in [listed, grouped] {
            let (offsets, columns, values) = triplets(vec![2, 0, 1, 2], columns).into_rows(4).ok().unwrap();
            assert_eq!(offsets.iter().collect::<Vec<_>>(), [0, 1, 2, 4, 4]);
            assert_eq!(columns.iter().collect::<Vec<_>>(), [0, 2, 0, 2]);
            assert_eq!((0..4).map(|entry| values.get(entry)).collect::<Vec<_>>(), [1.0, 2.0, 0.0, 3.0]);
        }
    }

    #[test]
    fn a_claim_of_endless_empty_rows_allocates_nothing() {
        let one = triplets(vec![0], Columns::Listed(vec![0].into()));
        assert!(one.into_rows(1 << 60).is_err());
    }
}
