//! The rows to export, and the result of the export.

use super::formulas::Formulas;
use crate::parts::names::Names;
use lcca::matrix::Panel;
use std::path::PathBuf;

/// Rows to write: each has a name and some numbers.
pub struct NamedRows<'a> {
    /// The numbers.
    pub numbers: &'a Panel,
    /// The names of the rows. Without them, rows are named by their numbers from 0.
    pub names: Option<&'a Names>,
    /// The number of rows that are written, from the first on.
    pub rows: usize,
    /// The number of components of each row that are written, from the first on.
    pub components: usize,
    /// How to write names that spreadsheets take for formulas, in `.csv` and `.tsv`.
    pub formulas: Formulas,
}

/// How the names were changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exported {
    /// The number of names that had to be changed for the format.
    pub changed: usize,
    /// The number of names that this change made equal to an earlier one.
    pub repeated: usize,
    /// The number of written names that a spreadsheet takes for formulas.
    pub formulas: usize,
    /// The file of the names, if they are in a file of their own.
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

/// Escapes a name so that it is one field of a line: backslash, tab, line feed and carriage return are
/// written `\\`, `\t`, `\n` and `\r`.
pub fn escaped(name: &str) -> String {
    name.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n").replace('\r', "\\r")
}
