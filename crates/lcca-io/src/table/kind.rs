//! What a column of a table is read as.

/// What a column is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Category,
}
