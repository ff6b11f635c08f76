//! One cell of a table of texts and numbers.

/// The type of the cells of a column.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum CellKind {
    /// Texts, which are quoted if they need to be.
    Text,
    /// Integers.
    Integer,
    /// Doubles, written so that they can be read back to the bit.
    Number,
}

/// One cell.
#[derive(Clone, Copy)]
pub enum Cell<'a> {
    /// A text.
    Text(&'a str),
    /// An integer.
    Integer(i64),
    /// A double.
    Number(f64),
}
