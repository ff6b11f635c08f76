//! Everything a report is made from.

use super::certainty::Certainty;
use super::given_rows::GivenRows;
use super::numbers::shortened;
use lcca::data::Side;
use lcca::fit::Model;
use lcca_io::{ModelNames, Names};
use serde_json::{Map, Value};

/// Characters of a column's name that are shown.
const LONGEST_NAME: usize = 60;

pub struct Subject<'s> {
    /// The name of the model.
    pub name: &'s str,
    pub model: &'s Model,
    pub names: &'s ModelNames,
    pub provenance: &'s Map<String, Value>,
    /// Rows that were given beside the model.
    pub given: Option<&'s GivenRows>,
    /// Intervals, stability and p-values that other commands printed.
    pub certainty: &'s Certainty,
}

impl Subject<'_> {
    pub fn column_names(&self, side: Side) -> Option<&Names> {
        match side {
            Side::X => self.names.x.as_ref(),
            Side::Y => self.names.y.as_ref(),
        }
    }

    /// The name of a column, or its number.
    pub fn column(&self, side: Side, column: usize) -> String {
        match self.column_names(side) {
            Some(names) => shortened(names.get(column), LONGEST_NAME),
            None => format!("column {column}"),
        }
    }
}
