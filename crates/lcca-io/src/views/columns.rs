//! Cuts one matrix into two views by columns, which keep their order. Takes two passes over the entries.

use super::keep::{Keep, Ties};
use super::selection::Selection;
use crate::error::{Fault, Outcome, Remedy, Result};
use crate::matrix::pick::pick;
use crate::parts::names::Names;
use crate::safe::memory;
use lcca::matrix::Matrix;
use std::path::Path;

/// The choice of the columns and rows of a matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSettings {
    /// The columns of x and of y.
    pub selections: [Selection; 2],
    /// The number of rows that are taken, from the first on; `None` takes all.
    pub rows: Option<usize>,
    /// Whether only columns whose values are all 0 or 1 are taken.
    pub boolean_only: bool,
    /// The least number of entries of a column.
    pub min_count: u64,
    /// The number of columns with the most entries that are left out, of x and of y.
    pub skips: [usize; 2],
    /// The number of columns with the most entries that are taken of the others; `None` takes all.
    pub top: Option<usize>,
}

/// One view cut from a matrix.
#[non_exhaustive]
pub struct ColumnView {
    /// The rows.
    pub matrix: Matrix,
    /// The names of the columns; columns without names are named by their numbers from 0.
    pub names: Names,
    /// The number of rows that have an entry in each column.
    pub counts: Vec<u64>,
    /// The number of columns that were selected before any was dropped.
    pub selected: usize,
    /// The number of columns that were dropped because of values other than 0 and 1.
    pub not_boolean: usize,
}

/// Both views.
#[non_exhaustive]
pub struct ColumnViews {
    /// x and y.
    pub views: [ColumnView; 2],
    /// The number of columns that are in both views.
    pub shared: usize,
}

/// The facts by which columns are chosen, one per column.
struct Facts {
    counts: Vec<u64>,
    boolean: Vec<bool>,
}

/// Cuts the matrix that was read from `path` into two views.
pub fn column_views(
    path: &Path,
    matrix: &Matrix,
    names: Option<&Names>,
    settings: &ColumnSettings,
) -> Result<ColumnViews> {
    let rows = settings.rows.map_or(matrix.rows(), |rows| rows.min(matrix.rows()));
    let matrix = matrix.slice(0..rows);
    if rows == 0 {
        return Err(Fault::new("0 rows are requested, expected one or more").at(path));
    }
    cut(&matrix, names, settings).map_err(|fault| fault.at(path))
}

fn cut(matrix: &Matrix, names: Option<&Names>, settings: &ColumnSettings) -> Outcome<ColumnViews> {
    // Every column has facts, even if it does not occur.
    memory::check(24 * matrix.cols() as u64, "a choice among all columns")?;
    let facts = facts(matrix);
    let [x, y] = [0, 1].map(|side| {
        let selected = settings.selections[side].select(matrix.cols(), names);
        let chosen = selected.and_then(|selected| choose(&selected, &facts, settings, settings.skips[side]));
        chosen.map_err(|fault| fault.within(["x", "y"][side]))
    });
    let (x, y) = (x?, y?);
    let shared = x.columns.iter().filter(|column| y.columns.binary_search(column).is_ok()).count();
    let views = [view(matrix, names, &facts, x)?, view(matrix, names, &facts, y)?];
    Ok(ColumnViews { views, shared })
}

fn facts(matrix: &Matrix) -> Facts {
    let mut facts = Facts { counts: vec![0; matrix.cols()], boolean: vec![true; matrix.cols()] };
    for row in 0..matrix.rows() {
        matrix.for_each(row, |column, value| {
            facts.counts[column] += u64::from(value != 0.0);
            facts.boolean[column] &= value == 0.0 || value == 1.0;
        });
    }
    facts
}

struct Chosen {
    /// The numbers of the chosen columns, ascending.
    columns: Vec<usize>,
    selected: usize,
    not_boolean: usize,
}

/// Chooses the columns. Columns without entries are among them only if no setting concerns the number of
/// entries.
fn choose(selected: &[bool], facts: &Facts, settings: &ColumnSettings, skip: usize) -> Outcome<Chosen> {
    let all: Vec<usize> = (0..selected.len()).filter(|&column| selected[column]).collect();
    let mut columns = all.clone();
    if settings.boolean_only {
        columns.retain(|&column| facts.boolean[column]);
    }
    let not_boolean = all.len() - columns.len();
    if settings.min_count > 0 || skip > 0 || settings.top.is_some() {
        let keep = Keep {
            min_count: settings.min_count,
            max_share: None,
            skip,
            top: settings.top,
            ties: Ties::First,
        };
        let counts: Vec<u64> = columns.iter().map(|&column| facts.counts[column]).collect();
        let kept = keep.choose(&counts, 0, |_| "");
        columns = kept.into_iter().map(|index| columns[index as usize]).collect();
        columns.sort_unstable();
    }
    if columns.is_empty() {
        let selected = all.len();
        let message =
            format!("no column is left of {selected} ({not_boolean} are not Boolean): keep more of them");
        return Err(Fault::new(message).remedied_by(Remedy::KeepMoreColumns));
    }
    Ok(Chosen { columns, selected: all.len(), not_boolean })
}

fn view(matrix: &Matrix, names: Option<&Names>, facts: &Facts, chosen: Chosen) -> Outcome<ColumnView> {
    let Chosen { columns, selected, not_boolean } = chosen;
    let part = pick(matrix, &columns)?;
    let named = match names {
        Some(names) => Names::new(columns.iter().map(|&column| names.get(column))),
        None => Names::new(columns.iter().map(usize::to_string)),
    };
    let counts = columns.iter().map(|&column| facts.counts[column]).collect();
    Ok(ColumnView { matrix: part, names: named, counts, selected, not_boolean })
}
