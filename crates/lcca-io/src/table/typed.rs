//! Tables whose columns have names and types, such as Parquet and Arrow: which column names the rows, and
//! what the others are read as.

use super::finish::Finished;
use super::index::{Columns, check_distinct, find_index};
use super::kind::Kind;
use super::layout::{Layout, refuse};
use super::sample::Evidence;
use super::target::Target;
use crate::assemble::check_shape;
use crate::error::Outcome;
use crate::names::Names;
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

/// The columns of a file, and what pandas says about the names of rows.
pub(crate) struct TypedTable<'a> {
    pub(crate) names: &'a [String],
    pub(crate) pandas_index: &'a PandasIndex,
}

/// Where pandas keeps the names of rows.
#[derive(Default)]
pub(crate) struct PandasIndex {
    /// In these columns, one per level.
    pub(crate) columns: Vec<String>,
    /// Nowhere: they are a range of numbers.
    range: Option<Range>,
}

/// Numbers from a start to an end, in steps.
struct Range {
    start: i64,
    stop: i64,
    step: i64,
}

impl PandasIndex {
    /// The levels of an index that are stored as columns.
    pub(crate) fn stored(columns: Vec<String>) -> Self {
        PandasIndex { columns, range: None }
    }

    /// What pandas's own description of a table says.
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

    /// Names rows that no column names: a range that starts at 0 only counts them. So does a range of another
    /// length, as pandas has it: some programs keep the description of a table that they cut.
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
    /// The columns that name the rows: the one that the caller says, those of pandas, or a first one of
    /// different texts.
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

    /// What is read, given what each column holds.
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

    /// The options, with the columns that hold data if none are asked for: those in which pandas keeps names
    /// do not.
    fn options(&self, options: &TableOptions) -> TableOptions {
        let is_index =
            |name: &String| self.pandas_index.columns.contains(name) || name.starts_with("__index_level_");
        if options.columns.is_some() || !self.names.iter().any(is_index) {
            return options.clone();
        }
        let data = self.names.iter().filter(|name| !is_index(name)).cloned().collect();
        options.clone().columns(Some(data))
    }

    /// Adds what the table says about its rows besides its cells: what was guessed, and an index that is not
    /// stored. Texts that were taken as row names because the first of them differ must all differ.
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
