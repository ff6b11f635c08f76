//! Parquet: columns in groups of rows, each column of a group in one piece.
//!
//! Only flat columns are read. Lists and structures are left out, and so are columns called `__index_level_0__` and so
//! on, in which pandas keeps the names of rows.

mod file;
mod numbers;
mod texts;

pub(crate) use file::ParquetFile;
pub(crate) use texts::{Texts, texts};
