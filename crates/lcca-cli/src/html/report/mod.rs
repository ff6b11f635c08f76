//! The page about one fitted model.

mod advice;
mod components;
mod page;
mod pictures;
mod scatter;
mod search;
mod settings;
mod subject;
mod summary;
mod trace;

pub use page::html;
pub use subject::Subject;
