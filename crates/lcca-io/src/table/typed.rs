//! Tables whose columns have names and types, such as Parquet and Arrow: which column names the rows, and what the others
//! are read as.

use super::index::{Columns, find_index};
use super::kind::Kind;
use super::layout::{Layout, refuse};
use super::sample::Evidence;
use super::target::Target;
use crate::assemble::check_shape;
use crate::error::Outcome;
use crate::options::{Categorical, Index, TableOptions};
use crate::remark::Remark;

/// What a column holds, by the schema of its file.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum ColumnType {
    Numbers,
    Texts,
    /// Something that is neither, in words.
    Other(&'static str),
}

/// The columns of a file, and those in which pandas keeps the names of rows.
pub(crate) struct TypedTable<'a> {
    pub(crate) names: &'a [String],
    pub(crate) pandas_index: &'a [String],
}

impl TypedTable<'_> {
    /// The column that names the rows: the one that the caller says, that of pandas, or a first one of different texts.
    pub(crate) fn index(
        &self,
        options: &TableOptions,
        evidence: impl Fn(usize) -> Outcome<(Evidence, usize)>,
    ) -> Outcome<Option<usize>> {
        let columns = Columns { names: Some(self.names), count: self.names.len() };
        if options.index == Index::Guess {
            match self.pandas_index {
                [] => {}
                [one] => return Ok(self.names.iter().position(|name| name == one)),
                _ => return Ok(None),
            }
        }
        let first = if options.index == Index::Guess && !self.names.is_empty() {
            evidence(0)?
        } else {
            (Evidence::default(), 0)
        };
        let found = find_index(columns, &options.index, options.columns.as_deref(), |_| first)?;
        Ok(found.map(|(column, _)| column))
    }

    /// What is read, given what each column holds.
    pub(crate) fn layout(
        &self,
        index: Option<usize>,
        options: &TableOptions,
        target: Option<&Target>,
        holds: impl Fn(usize) -> ColumnType,
    ) -> Outcome<Layout> {
        let kind = |column: usize, label: &str| match holds(column) {
            ColumnType::Numbers => Ok(Kind::Number),
            ColumnType::Texts if options.categorical == Categorical::Error => {
                Err(refuse(label, "holds texts, expected numbers"))
            }
            ColumnType::Texts => Ok(Kind::Category),
            ColumnType::Other(what) => {
                Err(refuse(label, &format!("holds {what}, expected numbers or categories")))
            }
        };
        let columns = Columns { names: Some(self.names), count: self.names.len() };
        let layout = Layout::new(columns, index, &self.options(options), target, kind)?;
        check_shape(1, layout.columns.len())?;
        Ok(layout)
    }

    /// The options, with the columns that hold data if none are asked for: those in which pandas keeps names do not.
    fn options(&self, options: &TableOptions) -> TableOptions {
        let is_index = |name: &String| self.pandas_index.contains(name) || name.starts_with("__index_level_");
        if options.columns.is_some() || !self.names.iter().any(is_index) {
            return options.clone();
        }
        let data = self.names.iter().filter(|name| !is_index(name)).cloned().collect();
        options.clone().columns(Some(data))
    }

    /// What was guessed, if anything was.
    pub(crate) fn remark(&self, index: Option<usize>, options: &TableOptions) -> Option<Remark> {
        let index = index.filter(|_| options.index == Index::Guess)?;
        Some(Remark::Guessed { header: None, index: Some(self.names[index].clone()) })
    }
}

/// The columns that pandas's own description of a table calls its index.
pub(crate) fn pandas_index(description: &str) -> Vec<String> {
    let parsed: serde_json::Value = serde_json::from_str(description).unwrap_or_default();
    let columns = parsed["index_columns"].as_array().map(Vec::as_slice).unwrap_or_default();
    // A range of numbers is described by an object and not stored.
    columns.iter().filter_map(|column| column.as_str().map(String::from)).collect()
}
