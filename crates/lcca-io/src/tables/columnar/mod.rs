//! Parquet: columns in groups of rows, each column of a group in one piece.
//!
//! Columns of numbers and texts are read. Any other column, such as one of lists, is refused by name if it
//! is asked for. Columns in which pandas keeps the names of rows are not data.

mod broken;
mod column;
mod encryption;
mod file;
mod holds;
mod pages;
mod table;
mod texts;
mod thrift;

pub(crate) use file::ParquetFile;
pub(crate) use texts::{Texts, texts};
