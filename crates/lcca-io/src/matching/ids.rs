//! Columns that name rows without being an index: different whole numbers under a name such as `patient_id`.
//!
//! One table alone does not tell such a column from data. Two tables do: if both have it and hold the same numbers, or if
//! it holds the names that the rows of the other table have, it names the rows.

use super::labels::RowLabels;
use super::rule::{Align, Labeled};
use crate::error::{Fault, Remedy, Result};
use crate::names::Names;
use hashbrown::HashSet;

/// A column of different whole numbers that is called like one that names the rows.
#[derive(Clone, Debug)]
pub struct IdColumn {
    /// The column.
    pub name: String,
    /// Its numbers, one per row of the table.
    pub numbers: Names,
}

/// Which of its columns names the rows of each table, if one does.
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
        [true, false] => Ok([None, named_alike(tables[0], ids[1])]),
        [false, true] => Ok([named_alike(tables[1], ids[0]), None]),
        [false, false] => shared(tables, ids, align),
    }
}

/// The column that holds the names of the rows of another table.
fn named_alike(other: Labeled<'_>, ids: &[IdColumn]) -> Option<usize> {
    let names = other.labels.names(other.rows)?;
    ids.iter().position(|id| is_same_set(&id.numbers, &names))
}

/// The first column that both tables have, if its numbers are the same in both. One that only counts the rows of both says nothing, so
/// it is the last choice.
fn shared(tables: [Labeled<'_>; 2], ids: [&[IdColumn]; 2], align: Align) -> Result<[Option<usize>; 2]> {
    let of_y = |name: &str| ids[1].iter().position(|id| id.name.eq_ignore_ascii_case(name));
    let both = || ids[0].iter().enumerate().filter_map(|(x, id)| Some((x, of_y(&id.name)?)));
    let only_counts = |id: &IdColumn| RowLabels::Named(id.numbers.clone()).count_from().is_some();
    let says_something = |&(x, y): &(usize, usize)| !(only_counts(&ids[0][x]) && only_counts(&ids[1][y]));
    let Some((x, y)) = both().find(says_something).or_else(|| both().next()) else {
        return Ok([None, None]);
    };
    let (x_numbers, y_numbers) = (&ids[0][x].numbers, &ids[1][y].numbers);
    if is_same_set(x_numbers, y_numbers) || align == Align::Common {
        return Ok([Some(x), Some(y)]);
    }
    if align == Align::None {
        return Ok([None, None]);
    }
    let message = format!(
        "column {:?} holds a different whole number in each row, here and in {}, but not the same numbers, so it names \
         the rows or is data: say which",
        ids[0][x].name,
        tables[1].path.display(),
    );
    Err(Fault::new(message).remedied_by(Remedy::SayIndex).at(tables[0].path))
}

fn is_same_set(a: &Names, b: &Names) -> bool {
    a.len() == b.len() && {
        let known: HashSet<&str> = a.iter().collect();
        b.iter().all(|name| known.contains(name))
    }
}
