//! The data that a report is made from.

use crate::figures::{Certainty, ColumnNames, GivenRows};
use lcca::data::Side;
use lcca::fit::Model;
use lcca_io::{ModelNames, Names};
use serde_json::{Map, Value};

pub struct Subject<'s> {
    /// The name of the model, and its path on the command line.
    pub name: &'s str,
    pub path: &'s str,
    pub model: &'s Model,
    pub names: &'s ModelNames,
    pub provenance: &'s Map<String, Value>,
    /// The rows that the user gave with the model.
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

    pub fn columns(&self) -> ColumnNames<'_> {
        ColumnNames { model: self.model, names: self.names }
    }

    /// The name of a column, or its number.
    pub fn column(&self, side: Side, column: usize) -> String {
        self.columns().name(side, column)
    }
}
