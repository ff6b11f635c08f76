//! Canonical correlation analysis on huge sparse data.

pub mod data;
pub mod error;
pub mod fit;
pub mod matrix;
pub mod method;

pub use error::{Error, Result};
