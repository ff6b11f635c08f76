//! Columns that name rows without being an index: different whole numbers under a name such as
//! `patient_id`.
//!
//! One table alone does not tell such a column from data, but two tables do. The column names the rows if
//! both tables have one and these hold the same numbers, or if it holds the names that the rows of the
//! other table have. A table that is attached to the rows of a view, such as covariates, may have more rows
//! than the view.

use super::labels::RowLabels;
use super::rule::{Align, Labeled, some};
use crate::error::{Error, Fault, Remedy, Result};
use crate::parts::names::Names;
use crate::words::numbers::{count, grouped};
use hashbrown::HashSet;

/// A column of different whole numbers whose name is like that of a column of row names.
#[derive(Clone, Debug)]
pub struct IdColumn {
    /// The name of the column.
    pub name: String,
    /// The numbers of the column, one per row of the table.
    pub numbers: Names,
}

/// For each of two tables the index of the column that names its rows, if one does.
pub fn choose_ids(
    tables: [Labeled<'_>; 2],
    ids: [&[IdColumn]; 2],
    align: Align,
) -> Result<[Option<usize>; 2]> {
    if ids.iter().all(|ids| ids.is_empty()) {
        return Ok([None, None]);
    }
    let is_named = tables
        .map(|table| matches!(table.labels, RowLabels::Named(_)) && table.labels.count_from().is_none());
    match is_named {
        [true, true] => Ok([None, None]),
        [true, false] => Ok([None, named_alike(tables[0], tables[1], ids[1], align)?]),
        [false, true] => {
            let id = named_alike(tables[1], tables[0], ids[0], align)?;
            match (id, tables[1].labels.names(tables[1].rows)) {
                (Some(id), Some(names)) if tables[1].may_have_more => {
                    unpaired(tables, &ids[0][id], &names, align)
                }
                _ => Ok([id, None]),
            }
        }
        [false, false] => shared(tables, ids, align),
    }
}

/// The column of a table that holds the names of the rows of another one. A column that holds only some of
/// them could be row names too, or data.
fn named_alike(
    other: Labeled<'_>,
    table: Labeled<'_>,
    ids: &[IdColumn],
    align: Align,
) -> Result<Option<usize>> {
    let Some(names) = other.labels.names(other.rows) else { return Ok(None) };
    if let Some(id) = ids.iter().position(|id| is_named_by(&names, id, table.may_have_more)) {
        return Ok(Some(id));
    }
    let shares = |id: &IdColumn| {
        let known: HashSet<&str> = names.iter().collect();
        id.numbers.iter().any(|name| known.contains(name))
    };
    match ids.iter().position(shares) {
        Some(id) if align == Align::Common && !table.may_have_more => Ok(Some(id)),
        Some(id) if align != Align::None => Err(partly_named(other, &names, table, &ids[id])),
        _ => Ok(None),
    }
}

/// Whether a column holds the names of all rows of another table and, unless its own table may have more
/// rows, no others.
fn is_named_by(names: &Names, id: &IdColumn, may_have_more: bool) -> bool {
    let has_enough = names.len() == id.numbers.len() || may_have_more && names.len() < id.numbers.len();
    has_enough && {
        let known: HashSet<&str> = id.numbers.iter().collect();
        names.iter().all(|name| known.contains(name))
    }
}

/// The columns of two tables that hold the same numbers. Columns of one name are preferred. Two columns
/// that only count the rows are taken only if they have one name, because counting says nothing about the
/// rows.
fn shared(tables: [Labeled<'_>; 2], ids: [&[IdColumn]; 2], align: Align) -> Result<[Option<usize>; 2]> {
    let pairs = || (0..ids[0].len()).flat_map(|x| (0..ids[1].len()).map(move |y| (x, y)));
    let only_counts = |id: &IdColumn| RowLabels::Named(id.numbers.clone()).count_from().is_some();
    let says_something = |&(x, y): &(usize, usize)| !(only_counts(&ids[0][x]) && only_counts(&ids[1][y]));
    let is_called_alike = |&(x, y): &(usize, usize)| ids[0][x].name.eq_ignore_ascii_case(&ids[1][y].name);
    let is_same = |&(x, y): &(usize, usize)| {
        is_named_by(&ids[0][x].numbers, &ids[1][y], tables[1].may_have_more)
            || tables[0].may_have_more && is_named_by(&ids[1][y].numbers, &ids[0][x], true)
    };
    let alike = || pairs().filter(is_called_alike);
    let found = alike()
        .filter(says_something)
        .find(is_same)
        .or_else(|| pairs().filter(says_something).find(is_same))
        .or_else(|| alike().find(is_same));
    if let Some((x, y)) = found {
        return if tables[1].may_have_more {
            unpaired(tables, &ids[0][x], &ids[1][y].numbers, align)
        } else {
            Ok([Some(x), Some(y)])
        };
    }
    let Some((x, y)) = alike().find(says_something).or_else(|| alike().next()) else {
        return Ok([None, None]);
    };
    match align {
        Align::Common if !tables[1].may_have_more => Ok([Some(x), Some(y)]),
        Align::None => Ok([None, None]),
        _ => Err(either(
            tables,
            &format!(
                "column {:?} holds a different whole number in each row, here and in {}, but not the same \
                 numbers",
                ids[0][x].name,
                tables[1].path.display(),
            ),
        )),
    }
}

/// Refuses an attached table whose names are those in a column of the view, because the view is paired with
/// the other view without this column. The same order is accepted.
fn unpaired(
    tables: [Labeled<'_>; 2],
    id: &IdColumn,
    names: &Names,
    align: Align,
) -> Result<[Option<usize>; 2]> {
    // If the order is the same, pairing by name or by place gives the same rows.
    if align == Align::None || id.numbers == *names {
        return Ok([None, None]);
    }
    let other = tables[1].path.display();
    let what = format!("column {:?} holds numbers that name the rows of {other}, in another order", id.name);
    Err(either(tables, &what))
}

fn either(tables: [Labeled<'_>; 2], what: &str) -> Error {
    let message = format!("{what}, so it names the rows or is data: say which");
    Fault::new(message).remedied_by(Remedy::SayIndex).at(tables[0].path)
}

/// Refuses a column that holds the names of some rows of another table.
fn partly_named(other: Labeled<'_>, names: &Names, table: Labeled<'_>, id: &IdColumn) -> Error {
    let known: HashSet<&str> = id.numbers.iter().collect();
    let lacking: Vec<&str> = names.iter().filter(|name| !known.contains(name)).collect();
    let what = if lacking.is_empty() {
        let more = count(id.numbers.len().saturating_sub(names.len()) as u64, "other number");
        format!("holds all names of the rows of {} and {more}", other.path.display())
    } else {
        let (lack, all) = (grouped(lacking.len() as u64), grouped(names.len() as u64));
        format!(
            "holds the names of some rows of {}, and {lack} of the {all} are not in it ({})",
            other.path.display(),
            some(&lacking)
        )
    };
    let message = format!("column {:?} {what}, so it names the rows or is data: say which", id.name);
    Fault::new(message).remedied_by(Remedy::SayIndex).at(table.path)
}
