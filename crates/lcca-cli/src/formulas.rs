//! Warns of names that a spreadsheet would run as formulas.

use crate::output::remark;
use crate::text::count;

/// Prints how many names of a written file begin like a formula.
pub fn warn(file: &str, names: usize, quiet: bool) {
    if names > 0 && !quiet {
        let begin = if names == 1 {
            "1 name begins".into()
        } else {
            format!("{} begin", count(names as u64, "name"))
        };
        remark!("{file}: {begin} like a formula; --safe-csv puts ' before them");
    }
}
