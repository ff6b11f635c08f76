//! Small data sets to try things on: one real table, and generated texts, which are equal on every machine.

mod lexicon;
mod paths;
mod sentences;

pub use paths::paths;
pub use sentences::{corpus, sentence_pairs};

/// Savings and the ages of the population in 50 countries from 1960 to 1970 (Belsley, Kuh and Welsch 1980),
/// known from R as LifeCycleSavings.
pub const COUNTRIES: &str = include_str!("countries.csv");
