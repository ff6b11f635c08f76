//! Labels of the rows of a table.

use crate::parts::names::Names;
use std::borrow::Cow;

/// The labels of the rows of a table, in the order of the table.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum RowLabels {
    /// No labels: a row has only its place.
    Absent,
    /// 0, 1, 2 and so on, which no file stores: the index that pandas makes by itself.
    Counting,
    /// Names, which may be numbers and may count as well.
    Named(Names),
}

impl RowLabels {
    /// Where the labels start to count if they only count the rows in their order, from 0 or from 1. Such
    /// labels say nothing about the rows.
    pub(super) fn count_from(&self) -> Option<usize> {
        match self {
            RowLabels::Absent => None,
            RowLabels::Counting => Some(0),
            RowLabels::Named(names) => (0..2).find(|&start| counts(names, start)),
        }
    }

    /// The labels as names of this many rows; `None` if there are none.
    pub(super) fn names(&self, rows: usize) -> Option<Cow<'_, Names>> {
        match self {
            RowLabels::Absent => None,
            RowLabels::Counting => Some(Cow::Owned(Names::new((0..rows).map(|row| row.to_string())))),
            RowLabels::Named(names) => Some(Cow::Borrowed(names)),
        }
    }
}

fn counts(names: &Names, start: usize) -> bool {
    names.iter().zip(start..).all(|(name, number)| is_number(name, number))
}

/// Whether a name is this number written out.
fn is_number(name: &str, number: usize) -> bool {
    name.len() < 20 && name.parse() == Ok(number) && (name == "0" || !name.starts_with(['0', '+']))
}
