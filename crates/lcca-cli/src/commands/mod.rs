//! One command a file.

pub mod compare;
pub mod completions;
pub mod convert;
pub mod demo;
pub mod export;
pub mod fit;
pub mod info;
mod model;
pub mod neighbors;
pub mod report;
pub mod ridge_path;
mod same_names;
pub mod score;
pub mod transform;
pub mod views;

/// "1 row", "2 rows".
fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", crate::report::grouped(number), if number == 1 { "" } else { "s" })
}
