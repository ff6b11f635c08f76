//! Canonical correlation analysis on huge sparse data.

pub mod data;
pub mod error;
pub mod fit;
mod kernel;
pub mod matrix;
pub mod method;
pub mod panels;
mod random;
#[cfg(test)]
mod testing;

pub use error::{Error, Result};
