//! Line charts like the paper's figures, as SVG and as PNG.
//!
//! Both come from the same drawing. Text in the PNG is set in DejaVu Sans, which is part of the program, so
//! a machine without fonts draws the same picture; the SVG names the viewer's own sans-serif.

mod chart;
mod draw;
mod figure;
mod layout;
mod looks;
mod png;
mod scale;

pub use chart::{Chart, Curve};
pub use figure::Figure;
pub use looks::looks;
pub use scale::Scale;
