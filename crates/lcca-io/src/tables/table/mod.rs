//! Tables as people have them, in any kind of file: the columns that are read, the cells of these, and the
//! matrix that they make. docs/files.md lists the guesses.

mod cell;
mod cells;
mod finish;
mod header;
mod index;
mod kind;
mod labels;
mod layout;
mod sample;
mod target;
mod typed;

pub(crate) use cell::{Cell, MissingTexts, is_decimal};
pub(crate) use cells::{Cells, Where};
pub(crate) use finish::{Finished, finish};
pub(crate) use header::first_line_names;
pub use index::is_called_like_id;
pub(crate) use index::{Columns, check_distinct, find_index};
pub(crate) use kind::Kind;
pub(crate) use layout::{Layout, not_a_number, refuse, sampled_kind};
pub(crate) use sample::{Evidence, SAMPLED_ROWS, Sample};
pub(crate) use target::Target;
pub(crate) use typed::{ColumnType, PandasIndex, TypedTable};
