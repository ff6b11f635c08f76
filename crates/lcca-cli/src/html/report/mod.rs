//! The page about one fitted model.

mod certainty;
mod components;
mod given_rows;
mod numbers;
mod page;
mod search;
mod settings;
mod subject;
mod summary;
mod trace;

pub use certainty::Certainty;
pub use given_rows::GivenRows;
pub use page::html;
pub use subject::Subject;
