//! One command a file.

pub mod compare;
pub mod completions;
pub mod convert;
pub mod demo;
pub mod fit;
pub mod info;
pub mod score;
pub mod transform;
pub mod views;

/// "1 row", "2 rows".
fn count(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", crate::report::grouped(number), if number == 1 { "" } else { "s" })
}
