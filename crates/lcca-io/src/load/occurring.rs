//! Drops columns that do not occur from views with far more columns than occur in them, such as hashed
//! features, so that the cost of a fit follows the columns that occur and not the largest column number.
//!
//! Kept columns keep their names. Columns without names are named by their numbers from 0, so that rows for
//! a model with such names can be picked by number.

use super::loaded::Loaded;
use crate::error::{Outcome, Result};
use crate::matrix::pick::pick;
use crate::parts::names::Names;
use crate::words::numbers::grouped;
use lcca::matrix::{Matrix, OneHotRows, SparseRows};
use std::path::Path;

/// The least number of columns of a view that may lose some. Narrower views keep all, because a model of
/// this many costs little, and the same width in every file is simpler.
const WIDE: usize = 1_000_000;
/// Views keep all columns if at least one in this many occurs.
const RARE: usize = 16;

impl Loaded {
    /// Drops empty columns if there are at least a million columns and at most one in 16 occurs, and says
    /// so in a note. A ridge is then relative to the columns that occur.
    pub fn without_empty_columns(self, path: &Path) -> Result<Loaded> {
        let Some(columns) = few_columns(&self.matrix) else { return Ok(self) };
        let names = match self.names()? {
            Some(names) => Names::new(columns.iter().map(|&column| names.get(column))),
            None => Names::new(columns.iter().map(usize::to_string)),
        };
        let (kept, cols) = (grouped(columns.len() as u64), grouped(self.matrix.cols() as u64));
        let matrix = pick(&self.matrix, &columns).map_err(|fault| fault.at(path))?;
        let mut loaded = self;
        loaded.notes.push(format!(
            "{kept} of {cols} columns occur; the others are left out, and columns without names are named by \
             their numbers from 0"
        ));
        loaded.with_columns(matrix, names)
    }
}

/// Parses names as column numbers, if every name is one, counted from 0, and the numbers ascend.
pub(crate) fn column_numbers(names: &Names) -> Option<Vec<usize>> {
    let numbers: Option<Vec<usize>> = names
        .iter()
        .map(|name| name.parse().ok().filter(|number: &usize| number.to_string() == name))
        .collect();
    numbers.filter(|numbers| numbers.windows(2).all(|pair| pair[0] < pair[1]))
}

/// Picks the columns of these numbers. Numbers beyond the matrix give empty columns, because these do not
/// occur in it.
pub(crate) fn columns_by_number(matrix: &Matrix, numbers: &[usize], path: &Path) -> Result<Matrix> {
    let present = numbers.partition_point(|&number| number < matrix.cols());
    let picked = pick(matrix, &numbers[..present]).and_then(|picked| widened(picked, numbers.len()));
    picked.map_err(|fault| fault.at(path))
}

/// Adds empty columns at the end.
fn widened(matrix: Matrix, cols: usize) -> Outcome<Matrix> {
    Ok(match matrix {
        Matrix::Sparse(rows) => {
            SparseRows::new(cols, rows.offsets().clone(), rows.columns().clone(), rows.values().clone())?
                .into()
        }
        Matrix::OneHot(rows) => OneHotRows::new(cols, rows.columns().clone())?.into(),
        dense => dense,
    })
}

/// The columns that occur, if the matrix is wide and they are few.
fn few_columns(matrix: &Matrix) -> Option<Vec<usize>> {
    if matrix.cols() < WIDE {
        return None;
    }
    let most = matrix.cols() / RARE;
    let columns = match matrix {
        Matrix::Sparse(rows) => distinct(rows.columns().iter(), most),
        Matrix::OneHot(rows) => {
            distinct(rows.columns().iter().filter(|&column| column != OneHotRows::EMPTY), most)
        }
        Matrix::Dense(_) => None,
    };
    let columns = columns.filter(|columns| !columns.is_empty())?;
    Some(columns.into_iter().map(|column| column as usize).collect())
}

/// The distinct columns, ascending, if they are at most `most`. They are sorted a batch at a time, so that
/// memory follows the columns that occur and not their numbers.
fn distinct(columns: impl Iterator<Item = u32>, most: usize) -> Option<Vec<u32>> {
    const BATCH: usize = 1 << 20;
    let (mut kept, mut limit) = (Vec::new(), BATCH);
    for column in columns {
        kept.push(column);
        if kept.len() >= limit {
            kept.sort_unstable();
            kept.dedup();
            if kept.len() > most {
                return None;
            }
            limit = 2 * kept.len() + BATCH;
        }
    }
    kept.sort_unstable();
    kept.dedup();
    (kept.len() <= most).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::loaded::NameSource;
    use lcca::matrix::Values;

    fn loaded(cols: usize, columns: Vec<u32>, names: Option<Names>) -> Loaded {
        let ends = (0..=columns.len() as u64).collect::<Vec<_>>();
        let values = Values::F64((0..columns.len()).map(|i| i as f64 + 2.0).collect::<Vec<_>>().into());
        let rows = SparseRows::new(cols, ends.into(), columns.into(), values).unwrap();
        let names = NameSource::Read { columns: names, rows: None };
        Loaded::new(Path::new("f"), "svmlight", Matrix::from(rows).into(), names)
    }

    #[test]
    fn only_columns_that_occur_are_kept_of_a_wide_view() {
        let wide = loaded(2_000_000_000, vec![1_999_999_999, 7, 7], None);
        let kept = wide.without_empty_columns(Path::new("f")).unwrap();
        assert_eq!((kept.matrix.rows(), kept.matrix.cols(), kept.matrix.entries()), (3, 2, 3));
        assert_eq!(kept.names().unwrap(), Some(Names::new(["7", "1999999999"])));
        assert!(kept.notes[0].starts_with("2 of 2,000,000,000 columns occur"), "{:?}", kept.notes);
        let mut first = Vec::new();
        kept.matrix.for_each(0, |column, value| first.push((column, value)));
        assert_eq!(first, [(1, 2.0)]);
    }

    #[test]
    fn narrow_views_and_full_ones_keep_their_columns() {
        for (cols, columns) in [(WIDE - 1, vec![3]), (WIDE, (0..WIDE as u32 / 8).collect())] {
            let kept = loaded(cols, columns, None).without_empty_columns(Path::new("f")).unwrap();
            assert_eq!((kept.matrix.cols(), kept.notes.len()), (cols, 0));
        }
    }

    #[test]
    fn columns_are_found_again_by_their_numbers() {
        let numbers = column_numbers(&Names::new(["7", "90", "1999999999"])).unwrap();
        let narrow = loaded(100, vec![90, 8, 7], None).matrix;
        let picked = columns_by_number(&narrow, &numbers, Path::new("f")).unwrap();
        let mut rows = Vec::new();
        (0..3).for_each(|row| picked.for_each(row, |column, value| rows.push((row, column, value))));
        assert_eq!((picked.cols(), rows), (3, vec![(0, 1, 2.0), (2, 0, 4.0)]));
        for names in [["7", "6"], ["a", "7"], ["07", "8"]] {
            assert_eq!(column_numbers(&Names::new(names)), None, "{names:?}");
        }
    }
}
