//! What is exported, and what happened to it.

use super::formulas::Formulas;
use crate::names::Names;
use lcca::matrix::Panel;
use std::path::PathBuf;

/// Rows to write: each has a name and some numbers.
pub struct NamedRows<'a> {
    /// The numbers.
    pub numbers: &'a Panel,
    /// The names of the rows. Without them, rows are named by their numbers from 0.
    pub names: Option<&'a Names>,
    /// How many rows are written, from the first on.
    pub rows: usize,
    /// How many numbers of each row are written, from the first on.
    pub components: usize,
    /// What happens to names that spreadsheets take for formulas, in `.csv` and `.tsv`.
    pub formulas: Formulas,
}

/// What happened to the names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// How many names had to be changed for the format.
    pub changed: usize,
    /// How many names became the same as an earlier one by that.
    pub repeated: usize,
    /// How many names were written that a spreadsheet takes for formulas.
    pub formulas: usize,
    /// The file with the names, if they are in a file of their own.
    pub names: Option<PathBuf>,
}

impl NamedRows<'_> {
    pub(super) fn name(&self, row: usize) -> String {
        self.names.map_or_else(|| row.to_string(), |names| names.get(row).to_string())
    }

    pub(super) fn numbers(&self, row: usize) -> &[f64] {
        &self.numbers.row(row)[..self.components]
    }

    /// The header of a table: the name, then the components from 1.
    pub(super) fn header(&self) -> impl Iterator<Item = String> {
        std::iter::once("name".into())
            .chain((1..=self.components).map(|number| format!("component_{number}")))
    }
}

/// A name as one field of a line: backslash, tab, line feed and carriage return are written `\\`, `\t`, `\n`
/// and `\r`.
pub fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}
