//! The types of the columns of a table.

/// The type that a column is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Category,
}
