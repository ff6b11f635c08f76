//! Rows of texts from files. Batches are read one after another, and the thread that works on a batch cuts
//! it into rows.
//!
//! Each format has a file here. A row's three texts are those of x, of y, and the label; a text without a
//! column is empty.

mod csv;
mod fields;
mod json;
mod open;
mod paired;
#[cfg(feature = "parquet")]
mod parquet;
mod row;
mod tsv;

pub(crate) use open::open;
pub use open::{TableFormat, TextInput};
pub(crate) use row::{Batch, Row, broken_text};
