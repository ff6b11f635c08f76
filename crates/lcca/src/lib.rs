//! Canonical correlation analysis on huge sparse data.

pub mod data;
pub mod error;
pub mod fit;
mod kernel;
pub mod matrix;
pub mod method;
pub mod metric;
pub mod panels;
mod random;
pub mod solve;
pub mod svd;
#[cfg(test)]
mod testing;

pub mod whiten;

pub use error::{Error, Result};
