//! One matrix cut into two by columns, in the order they have. Two passes over its entries.

use super::keep::{Keep, Ties};
use super::selection::Selection;
use crate::Names;
use crate::assemble::smallest;
use crate::error::{Fault, Outcome};
use crate::values::Growing;
use crate::{Error, Result};
use lcca::matrix::{DenseRows, DenseValues, Matrix, SparseRows};
use std::path::Path;

/// What to take from a matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct ColumnSettings {
    /// Columns of x and of y.
    pub selections: [Selection; 2],
    /// Only the first so many rows.
    pub rows: Option<usize>,
    /// Only columns whose values are all 0 or 1.
    pub boolean_only: bool,
    /// Only columns with at least so many entries.
    pub min_count: u64,
    /// Without so many columns with most entries, of x and of y.
    pub skips: [usize; 2],
    /// Only so many columns with most entries of those that are left.
    pub top: Option<usize>,
}

/// A part of a matrix.
pub struct ColumnView {
    /// The rows.
    pub matrix: Matrix,
    /// The columns' names; where they had none, their numbers from 0.
    pub names: Names,
    /// How many rows have an entry in each column.
    pub counts: Vec<u64>,
    /// Columns meant before any was dropped.
    pub selected: usize,
    /// Columns dropped because of values other than 0 and 1.
    pub not_boolean: usize,
}

/// Both parts.
pub struct ColumnViews {
    /// x and y.
    pub views: [ColumnView; 2],
    /// Columns that are in both.
    pub shared: usize,
}

/// What is known about each column.
struct Facts {
    counts: Vec<u64>,
    boolean: Vec<bool>,
}

/// Cuts the matrix that was read from `path`.
pub fn column_views(
    path: &Path,
    matrix: &Matrix,
    names: Option<&Names>,
    settings: &ColumnSettings,
) -> Result<ColumnViews> {
    let rows = settings.rows.map_or(matrix.rows(), |rows| rows.min(matrix.rows()));
    let matrix = matrix.slice(0..rows);
    let failed = |fault: Fault| -> Error { fault.at(path) };
    if rows == 0 {
        return Err(failed(Fault::new("0 rows are asked for, expected one or more")));
    }
    let facts = facts(&matrix);
    let [x, y] = [0, 1].map(|side| {
        let what = ["x", "y"][side];
        let selected = settings.selections[side].of(matrix.cols(), names);
        selected
            .and_then(|selected| choose(&selected, &facts, settings, settings.skips[side]))
            .map_err(|fault| fault.within(what))
            .map_err(failed)
    });
    let (x, y) = (x?, y?);
    let shared = x.columns.iter().filter(|column| y.columns.binary_search(column).is_ok()).count();
    let view = |chosen: Chosen| view(&matrix, names, &facts, chosen).map_err(failed);
    Ok(ColumnViews { views: [view(x)?, view(y)?], shared })
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
    /// Ascending.
    columns: Vec<usize>,
    selected: usize,
    not_boolean: usize,
}

/// Columns without entries stay only where nothing is asked about how frequent columns are.
fn choose(selected: &[bool], facts: &Facts, settings: &ColumnSettings, skip: usize) -> Outcome<Chosen> {
    let meant: Vec<usize> = (0..selected.len()).filter(|&column| selected[column]).collect();
    let mut columns = meant.clone();
    if settings.boolean_only {
        columns.retain(|&column| facts.boolean[column]);
    }
    let not_boolean = meant.len() - columns.len();
    if settings.min_count > 0 || skip > 0 || settings.top.is_some() {
        let keep = Keep {
            min_count: settings.min_count,
            max_share: None,
            skip,
            top: settings.top,
            ties: Ties::First,
        };
        let counts: Vec<u64> = columns.iter().map(|&column| facts.counts[column]).collect();
        let mut chosen: Vec<usize> =
            keep.choose(&counts, 0, |_| "").into_iter().map(|at| columns[at as usize]).collect();
        chosen.sort_unstable();
        columns = chosen;
    }
    match columns.is_empty() {
        false => Ok(Chosen { columns, selected: meant.len(), not_boolean }),
        true => Err(Fault::new(format!(
            "no column is left of {} ({not_boolean} are not Boolean): keep more (--boolean-only, --min-count, --skip, --top)",
            meant.len()
        ))),
    }
}

fn view(matrix: &Matrix, names: Option<&Names>, facts: &Facts, chosen: Chosen) -> Outcome<ColumnView> {
    let Chosen { columns, selected, not_boolean } = chosen;
    let part = match matrix {
        Matrix::Dense(dense) => dense_part(dense, &columns)?,
        _ => sparse_part(matrix, &columns)?,
    };
    let named = match names {
        Some(names) => Names::new(columns.iter().map(|&column| names.get(column))),
        None => Names::new(columns.iter().map(usize::to_string)),
    };
    let counts = columns.iter().map(|&column| facts.counts[column]).collect();
    Ok(ColumnView { matrix: part, names: named, counts, selected, not_boolean })
}

fn dense_part(dense: &DenseRows, columns: &[usize]) -> Outcome<Matrix> {
    let cells = (0..dense.rows()).flat_map(|row| columns.iter().map(move |&column| dense.get(row, column)));
    let values = match dense.values() {
        DenseValues::F32(_) => DenseValues::F32(cells.map(|value| value as f32).collect::<Vec<_>>().into()),
        DenseValues::F64(_) => DenseValues::F64(cells.collect::<Vec<_>>().into()),
    };
    Ok(DenseRows::new(dense.rows(), columns.len(), values)?.into())
}

fn sparse_part(matrix: &Matrix, columns: &[usize]) -> Outcome<Matrix> {
    const DROPPED: u32 = u32::MAX;
    let mut to = vec![DROPPED; matrix.cols()];
    columns.iter().zip(0..).for_each(|(&column, at)| to[column] = at);
    let (mut ends, mut ids, mut values) = (vec![0u64], Vec::new(), Growing::new());
    for row in 0..matrix.rows() {
        matrix.for_each(row, |column, value| {
            if to[column] != DROPPED && value != 0.0 {
                ids.push(to[column]);
                values.push(value);
            }
        });
        ends.push(ids.len() as u64);
    }
    smallest(SparseRows::new(columns.len(), ends.into(), ids.into(), values.into_values())?)
}
