//! `lcca views …`, one kind of raw data per file.

mod columns;
mod job;
mod text;
mod ties;
mod words;

pub use columns::ColumnViewsJob;
pub use job::ViewsJob;
pub use text::TextViewsJob;
pub use words::WordViewsJob;
