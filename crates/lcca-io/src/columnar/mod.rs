//! Parquet: columns in groups of rows, each column of a group in one piece.
//!
//! Only flat columns are read. Lists and structures are left out, and so are columns in which pandas keeps the names of
//! rows, unless there is exactly one.

mod broken;
mod column;
mod file;
mod pages;
mod table;
mod texts;

pub(crate) use file::ParquetFile;
pub(crate) use texts::{Texts, texts};
