//! Tables: text, Parquet and Arrow, with names, categories and missing cells.
//!
//! | file | holds |
//! |---|---|
//! | `arrow` | Arrow files, also called Feather |
//! | `arrow_fields` | The contents of the columns of Arrow and Parquet files, in Arrow's terms |
//! | `columnar` | Parquet |
//! | `delimited` | Tables of fields between commas, tabs or semicolons |
//! | `matching` | Finds which rows of two tables belong together |
//! | `table` | Tables as people have them, in any kind of file |

#[cfg(feature = "arrow")]
pub(crate) mod arrow;
#[cfg(any(feature = "arrow", feature = "parquet"))]
pub(crate) mod arrow_fields;
#[cfg(feature = "parquet")]
pub(crate) mod columnar;
pub(crate) mod delimited;
pub(crate) mod matching;
pub(crate) mod table;
