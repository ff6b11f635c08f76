//! Rows of numbers with names, such as the weights of a model or word vectors, for other programs.
//!
//! The extension chooses the format, and each format has a file here. Every number can be read back to the
//! bit. Memory holds little beyond the numbers, because they are written as they lie.

mod cell;
mod cells;
mod formulas;
mod named_rows;
#[cfg(feature = "parquet")]
mod parquet;
mod scores;
mod table;
mod word2vec;
mod write;

pub use cell::{Cell, CellKind};
pub use cells::{TableWriter, check_table};
pub use formulas::Formulas;
pub use named_rows::{Exported, NamedRows, escaped};
pub use scores::{RowWriter, check_rows};
pub use write::{check_export, export_rows, names_beside};
