//! Tables whose columns have names and types, such as Parquet and Arrow: which column names the rows, and
//! how the others are read.

use super::finish::Finished;
use super::index::{Columns, check_distinct, find_index};
use super::kind::Kind;
use super::layout::{Layout, refuse};
use super::sample::Evidence;
use super::target::Target;
use crate::error::Outcome;
use crate::matrix::assemble::check_shape;
use crate::matrix::options::{Categorical, Index, TableOptions};
use crate::parts::names::Names;
use crate::words::remark::Remark;

/// The type of a column, by the schema of its file.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum ColumnType {
    Numbers,
    Texts,
    /// Any other type, in words for a message.
    Other(&'static str),
}

/// The columns of a file, and pandas's record of the names of rows.
pub(crate) struct TypedTable<'a> {
    pub(crate) names: &'a [String],
    pub(crate) pandas_index: &'a PandasIndex,
}

/// Where pandas keeps the names of rows.
#[derive(Default)]
pub(crate) struct PandasIndex {
    /// The columns that hold the names, one per level.
    pub(crate) columns: Vec<String>,
    /// The range of numbers that the names are, if pandas stores no column for them.
    range: Option<Range>,
}

/// Numbers from a start to an end, in steps.
struct Range {
    start: i64,
    stop: i64,
    step: i64,
}

impl PandasIndex {
    /// An index whose levels are stored as columns.
    pub(crate) fn stored(columns: Vec<String>) -> Self {
        PandasIndex { columns, range: None }
    }

    /// Reads pandas's own description of a table.
    pub(crate) fn described(description: &str) -> Self {
        let parsed: serde_json::Value = serde_json::from_str(description).unwrap_or_default();
        let levels = parsed["index_columns"].as_array().map(Vec::as_slice).unwrap_or_default();
        let columns = levels.iter().filter_map(|level| level.as_str().map(String::from)).collect();
        // A range is described by an object and not stored.
        let range = levels.iter().find_map(|level| {
            let number = |key: &str| level[key].as_i64();
            Some(Range { start: number("start")?, stop: number("stop")?, step: number("step")? })
        });
        PandasIndex { columns, range }
    }

    /// Names rows that no column names. A range that starts at 0 only counts them. A range of another
    /// length than the table counts them too, as in pandas, because some programs keep the description of a
    /// table that they cut.
    fn name_rows(&self, finished: &mut Finished) {
        let Some(Range { start, stop, step }) = self.range else { return };
        let rows = finished.assembled.matrix.rows() + finished.assembled.gaps.dropped.len();
        let len = i128::from(stop) - i128::from(start);
        let step = i128::from(step);
        if finished.row_names.is_some() {
            return;
        }
        if (start, step) == (0, 1) || len != step * rows as i128 {
            finished.counted = true;
        } else {
            let names = (0..rows as i128).map(|row| (i128::from(start) + step * row).to_string());
            finished.row_names = Some(Names::new(names));
        }
    }
}

impl TypedTable<'_> {
    /// The columns that name the rows: the one that the caller names, those of pandas, or the first one if
    /// its texts are all different.
    pub(crate) fn index(
        &self,
        options: &TableOptions,
        evidence: impl Fn(usize) -> Outcome<(Evidence, usize)>,
    ) -> Outcome<Vec<usize>> {
        let columns = Columns { names: Some(self.names), count: self.names.len() };
        if options.index == Index::Guess && !self.pandas_index.columns.is_empty() {
            let level = |level: &String| self.names.iter().position(|name| name == level);
            return Ok(self.pandas_index.columns.iter().filter_map(level).collect());
        }
        let first = if options.index == Index::Guess && !self.names.is_empty() {
            evidence(0)?
        } else {
            (Evidence::default(), 0)
        };
        let found = find_index(columns, &options.index, options.columns.as_deref(), |_| first)?;
        Ok(found.into_iter().map(|(column, _)| column).collect())
    }

    /// The layout of the table, given the type of each column.
    pub(crate) fn layout(
        &self,
        index: Vec<usize>,
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

    /// Adds the columns that hold data to the options if the caller asks for none, because the columns in
    /// which pandas keeps row names do not.
    fn options(&self, options: &TableOptions) -> TableOptions {
        let is_index =
            |name: &String| self.pandas_index.columns.contains(name) || name.starts_with("__index_level_");
        if options.columns.is_some() || !self.names.iter().any(is_index) {
            return options.clone();
        }
        let data = self.names.iter().filter(|name| !is_index(name)).cloned().collect();
        options.clone().columns(Some(data))
    }

    /// Adds facts about the rows that are not in the cells: the guesses, and an index that is not stored. A
    /// column that was taken as row names because its first texts differ is refused if not all of them do.
    pub(crate) fn complete(
        &self,
        mut finished: Finished,
        layout: &Layout,
        options: &TableOptions,
    ) -> Outcome<Finished> {
        let is_guess = options.index == Index::Guess && self.pandas_index.columns.is_empty();
        if let (true, [index], Some(names)) = (is_guess, &layout.index[..], &finished.row_names)
            && !layout.took_spare_index()
        {
            check_distinct(names.iter(), &self.names[*index])?;
        }
        if options.index == Index::Guess {
            self.pandas_index.name_rows(&mut finished);
            let levels: Vec<&str> = layout.index.iter().map(|&level| self.names[level].as_str()).collect();
            let index = (!levels.is_empty()).then(|| levels.join(", "));
            let guessed = index.map(|index| Remark::Guessed { header: None, index: Some(index) });
            finished.remarks.splice(0..0, guessed);
        }
        Ok(finished)
    }
}
