//! The options for reading tables, as Python passes them.

use crate::failure::Failure;
use lcca_io::{Categorical, Index, Missing, TableOptions};
use pyo3::prelude::*;

/// A dictionary of options. An option that is None is guessed, or takes the reader's default.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Table {
    header: Option<bool>,
    /// The column of row names; an empty text says that there is none.
    index: Option<String>,
    na: Option<Vec<String>>,
    columns: Option<Vec<String>>,
    missing: String,
    categorical: String,
    /// The columns to read as categories, even if they hold numbers.
    categories: Option<Vec<String>>,
    delimiter: Option<char>,
    decimal: Option<char>,
}

impl Table {
    pub fn options(&self) -> Result<TableOptions, Failure> {
        let index = match self.index.as_deref() {
            None => Index::Guess,
            Some("") => Index::None,
            Some(column) => Index::Column(column.into()),
        };
        let missing = match &self.missing[..] {
            "error" => Missing::Error,
            "drop" => Missing::Drop,
            "mean" => Missing::Mean,
            other => return Err(unknown("missing", other, "\"error\", \"drop\" or \"mean\"")),
        };
        let categorical = match (&self.categorical[..], &self.categories) {
            (_, Some(columns)) => Categorical::Columns(columns.clone()),
            ("auto", None) => Categorical::Auto,
            ("error", None) => Categorical::Error,
            (other, None) => return Err(unknown("categorical", other, "\"auto\" or \"error\"")),
        };
        Ok(TableOptions::default()
            .header(self.header)
            .index(index)
            .na(self.na.clone())
            .columns(self.columns.clone())
            .missing(missing)
            .categorical(categorical)
            .delimiter(self.delimiter)
            .decimal(self.decimal))
    }
}

fn unknown(name: &str, value: &str, expected: &str) -> Failure {
    Failure::Usage(format!("{name} == {value:?}, expected {expected}"))
}
