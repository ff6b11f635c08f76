//! Tables of fields between commas, tabs or semicolons: one record per row, usually on one line.
//!
//! The types of the columns are guessed from the first line and up to a hundred rows after it;
//! docs/files.md has the rules. Fields may be quoted, and quoted ones may hold line ends. A table that is
//! mostly zeros becomes sparse.

mod decimal;
mod records;
mod separator;
mod split;
mod table;

pub(crate) use table::Table;
