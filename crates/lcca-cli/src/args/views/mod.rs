//! The arguments and flags of `lcca views`, one kind of raw data per file.

mod choices;
mod columns;
mod command;
mod keep;
mod text;
mod words;

pub use choices::{FormatChoice, TieChoice, ValueChoice};
pub use columns::ColumnsArgs;
pub use command::{ViewsArgs, ViewsCommand};
pub use keep::KeepArgs;
pub use text::TextArgs;
pub use words::WordsArgs;
