//! Turns raw data into two views: bags of tokens from texts, words beside their contexts, one matrix cut by
//! columns.

mod bag;
mod columns;
mod corpus;
mod finish;
mod hold_out;
mod input;
mod interner;
mod keep;
mod murmur;
mod rows;
mod selection;
mod spool;
mod text;
mod tokens;
mod window;
mod words;

pub use bag::{Amounts, Bagging, Columns};
pub use columns::{ColumnSettings, ColumnView, ColumnViews, column_views};
pub use corpus::Corpus;
pub use finish::MadeView;
pub use hold_out::{hold_out, hold_out_lines, take_rows};
pub use input::{TableFormat, TextInput};
pub use keep::{Keep, Ties};
pub use selection::Selection;
pub use text::{TextSettings, TextViews, text_views};
pub use tokens::Tokens;
pub use window::Window;
pub use words::{WordSettings, WordView, WordViews, word_views};
