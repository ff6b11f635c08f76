//! Fitting, and using what was fitted.

mod model;

pub use model::{Model, View};
