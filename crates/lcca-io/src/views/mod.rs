//! From raw data to two views: bags of tokens from texts, words beside their contexts, one matrix cut by columns.

mod bag;
mod finish;
mod input;
mod interner;
mod keep;
mod murmur;
mod parallel;
mod text;
mod tokens;

pub use bag::{Amounts, Bagging, Columns};
pub use finish::MadeView;
pub use input::{TableFormat, TextInput};
pub use keep::{Keep, Ties};
pub use text::{TextSettings, TextViews, text_views};
pub use tokens::Tokens;
