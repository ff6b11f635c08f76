//! Texts of numbers: lines that are parsed in parallel, and the words in them.

mod reader;
mod token;

pub(crate) use reader::{Lines, Text};
pub(crate) use token::{index, quoted, real, tokens};
