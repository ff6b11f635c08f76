//! Finds which rows of two tables belong together. Only the labels of the rows decide, so that files and
//! tables in memory follow one rule. `rule` is that rule; `ids` finds columns that name rows without being
//! an index.
//!
//! docs/files.md has the rule as a table, and `tests/files/pairing_cases.json` has it as cases that every
//! route runs.

mod ids;
mod labels;
mod rule;

pub use ids::{IdColumn, choose_ids};
pub use labels::RowLabels;
pub use rule::{Align, Labeled, Matched, match_rows};
