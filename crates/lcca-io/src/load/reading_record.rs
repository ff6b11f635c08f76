//! A record of how the files of a fit were read, so that later rows are read in the same way and the caller
//! is not asked twice.
//!
//! JSON in the model's metadata, under `reading` of its provenance, unless all options are the defaults.
//! Every option is written, also those that later versions add, and an option that a file does not mention
//! has its default.

use super::loaded::Loaded;
use crate::matrix::options::{Categorical, Index, Missing, ReadOptions};
use crate::tables::matching::Align;
use lcca::data::Side;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The key of the record in a model's provenance.
const KEY: &str = "reading";

/// How the files of both views were read and their rows paired.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ReadingRecord {
    /// How X was read.
    pub x: ReadOptions,
    /// How Y was read.
    pub y: ReadOptions,
    /// How rows were matched.
    pub align: Align,
    /// How the tables attached to the rows were read: covariates and row weights.
    pub covariates: ReadOptions,
}

impl ReadingRecord {
    /// Makes the record of a reading.
    pub fn new([x, y]: [ReadOptions; 2], align: Align) -> Self {
        ReadingRecord { x, y, align, covariates: ReadOptions::default() }
    }

    /// Adds how covariates and row weights were read.
    pub fn with_covariates(mut self, covariates: ReadOptions) -> Self {
        self.covariates = covariates;
        self
    }

    /// How one view was read.
    pub fn view(&self, side: Side) -> &ReadOptions {
        if side == Side::X { &self.x } else { &self.y }
    }

    /// The record in a model's provenance; the defaults if it has none, or none that can be read.
    pub fn from_provenance(provenance: &Map<String, Value>) -> Self {
        provenance.get(KEY).and_then(|json| ReadingRecord::deserialize(json).ok()).unwrap_or_default()
    }

    /// Adds the record to a model's provenance, unless all options are the defaults.
    pub fn insert_into(&self, provenance: &mut Map<String, Value>) {
        if *self != ReadingRecord::default() {
            // Plain data with text keys always becomes JSON.
            provenance.insert(KEY.into(), serde_json::to_value(self).unwrap_or(Value::Null));
        }
    }
}

impl ReadOptions {
    /// If the column that names the rows was given by its number, gives it by the name that it has in the
    /// file that was read, because a number may mean another column in the next file.
    pub fn with_index_of(mut self, loaded: &Loaded) -> Self {
        let name = loaded.index_name().filter(|name| !name.trim().is_empty());
        match (&mut self.table.index, name) {
            (Index::Column(typed) | Index::IfPresent(typed), Some(name))
                if typed.parse::<usize>().is_ok() =>
            {
                *typed = name.to_string();
            }
            _ => {}
        }
        self
    }

    /// Turns the options of a view into those for tables that are attached to its rows. Such a table need
    /// not have a column that names the rows. It has other columns than the view, so columns that were
    /// asked for, and categories that were given by number, are dropped.
    pub fn for_covariates(mut self) -> Self {
        self.cols = None;
        self.table.columns = None;
        if let Index::Column(column) = self.table.index {
            self.table.index = Index::IfPresent(column);
        }
        if let Categorical::Columns(typed) = &mut self.table.categorical {
            typed.retain(|typed| typed.parse::<usize>().is_err());
        }
        self
    }

    /// Turns the options of a fit into those for later rows, for a model whose columns may have names or
    /// means.
    ///
    /// Columns are picked by the names that a model has. Rows need not have names again. Missing values
    /// cannot become means that a model does not have.
    pub(crate) fn for_later_rows(mut self, has_names: bool, has_means: bool) -> Self {
        self.cols = None;
        self.table.delimiter_of_fit = self.table.delimiter.is_some();
        // If only some columns were read, the rows were paired without the others, so later rows are paired
        // without them too.
        self.table.skips_ids |= self.table.columns.is_some();
        // Numbers are kept, because a number tells two columns of one name apart.
        let by_number = |typed: &String| typed.parse::<usize>().is_ok();
        if has_names && !self.table.columns.iter().flatten().any(by_number) {
            self.table.columns = None;
        }
        if let Index::Column(column) = self.table.index {
            self.table.index = Index::IfPresent(column);
        }
        if self.table.missing == Missing::Mean && !has_means {
            self.table.missing = Missing::Error;
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::options::TableOptions;
    use serde_json::json;

    fn provenance(json: Value) -> Map<String, Value> {
        json.as_object().cloned().unwrap_or_default()
    }

    #[test]
    fn a_record_comes_back_as_it_was() {
        let table = TableOptions::default()
            .header(true)
            .index(Index::Column("id".into()))
            .na(vec!["-9".to_string()])
            .columns(vec!["gene_*".to_string()])
            .missing(Missing::Mean)
            .categorical(Categorical::Columns(vec!["group".into()]));
        let x = ReadOptions::default().zero_based(true).cols(7).table(table);
        let record = ReadingRecord::new([x, ReadOptions::default()], Align::Common);
        let mut origin = provenance(json!({ "x": "x.csv" }));
        record.insert_into(&mut origin);
        let text = serde_json::to_string(&origin).unwrap_or_default();
        let origin = serde_json::from_str(&text).unwrap_or_default();
        assert_eq!(ReadingRecord::from_provenance(&origin), record, "{text}");
    }

    #[test]
    fn models_that_remember_nothing_or_something_else_read_as_usual() {
        for origin in [
            json!({}),
            json!({ "reading": 3 }),
            json!({ "reading": { "x": { "table": { "index": { "planet": 9 } } } } }),
            json!({ "flags": ["--na", "-9"] }),
        ] {
            assert_eq!(ReadingRecord::from_provenance(&provenance(origin)), ReadingRecord::default());
        }
        let mut origin = Map::new();
        ReadingRecord::default().insert_into(&mut origin);
        assert!(origin.is_empty());
        let later =
            json!({ "reading": { "x": { "table": { "missing": "drop", "dialect": 3 }, "color": 2 } } });
        let record = ReadingRecord::from_provenance(&provenance(later));
        assert_eq!(record.x.table.missing, Missing::Drop);
    }

    #[test]
    fn rows_that_come_later_need_no_names_and_no_means() {
        let table = TableOptions::default()
            .index(Index::Column("id".into()))
            .columns(vec!["a*".to_string()])
            .missing(Missing::Mean);
        let options = ReadOptions::default().table(table).cols(3);
        let named = options.clone().for_later_rows(true, true);
        assert_eq!((named.cols, named.table.columns, named.table.missing), (None, None, Missing::Mean));
        assert_eq!(named.table.index, Index::IfPresent("id".into()));
        let bare = options.for_later_rows(false, false);
        assert_eq!((bare.table.columns, bare.table.missing), (Some(vec!["a*".into()]), Missing::Error));
    }
}
