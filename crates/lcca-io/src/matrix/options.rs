//! Options for reading a file: facts that the file itself may not say, and how tables are to be understood.

use serde::{Deserialize, Serialize};

/// Facts that the caller knows about a file. Built from [`ReadOptions::default`], because it will grow. A
/// model remembers it as JSON.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The number of columns. svmlight files do not say; in any other file it must agree.
    pub cols: Option<usize>,
    /// Whether the indices of an svmlight file count from 0; `None` and `Some(false)` mean that they count
    /// from 1.
    pub zero_based: Option<bool>,
    /// How tables are understood. Missing values are settled the same way in every format.
    pub table: TableOptions,
}

/// How a table is understood: CSV, TSV, Parquet and Arrow. Options that the caller leaves open are guessed,
/// and every guess is a remark.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct TableOptions {
    /// Whether the first line of a CSV or TSV file names the columns; `None` guesses.
    pub header: Option<bool>,
    /// The column that names the rows.
    pub index: Index,
    /// The texts that stand for a missing value, in columns of any kind. `None` takes
    /// [`TableOptions::DEFAULT_NA`] in columns of numbers and nothing in columns of texts, where `None` and
    /// `NA` may be categories. An empty cell is always missing.
    pub na: Option<Vec<String>>,
    /// The columns to read: names, patterns in which `*` stands for anything and `?` for one character, or
    /// numbers from 1. `None` reads all.
    pub columns: Option<Vec<String>>,
    /// How missing values are settled, in every format.
    pub missing: Missing,
    /// How columns of texts are read.
    pub categorical: Categorical,
    /// The character between the fields of a text, such as `;`; a space stands for any number of spaces.
    /// `None` takes the one that the file's extension says, unless the first lines show another. A text of
    /// any extension is a table if this is set.
    pub delimiter: Option<char>,
    /// Whether the delimiter is taken from the files that a model was fitted to, and the caller has not
    /// given it for this file.
    #[serde(skip)]
    pub delimiter_of_fit: bool,
    /// The character before the decimals of numbers in a text, `.` or `,`; `None` guesses.
    pub decimal: Option<char>,
    /// Whether, in rows for a model, a column is skipped if the model does not have it and its name is like
    /// that of row names. It does not name the rows then, because those of the fit were not named by it
    /// either.
    pub skips_ids: bool,
}

/// Which column names the rows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Index {
    /// The first column, if it has no name or holds nothing but different texts.
    #[default]
    Guess,
    /// No column.
    None,
    /// The column of this name or, if no column has it, of this number from 1.
    Column(String),
    /// The column that [`Index::Column`] would take, if there is one, and otherwise a guess, because rows
    /// that come later need not have names.
    IfPresent(String),
}

/// How missing values are settled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Missing {
    /// Missing values are refused.
    #[default]
    Error,
    /// Rows with missing values are left out, of both views.
    Drop,
    /// Missing values become the mean of the values that their column has; in rows for a model, the model's
    /// mean.
    Mean,
}

/// How columns of texts are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Categorical {
    /// A column with few different texts becomes one indicator column per text, called `color=red`.
    #[default]
    Auto,
    /// Columns of texts are refused.
    Error,
    /// Columns are read as by `Auto`, and these columns (names or patterns) are categories even if they
    /// hold numbers.
    Columns(Vec<String>),
}

impl ReadOptions {
    /// Sets the number of columns.
    pub fn cols(mut self, cols: impl Into<Option<usize>>) -> Self {
        self.cols = cols.into();
        self
    }

    /// Sets whether the indices of an svmlight file count from 0.
    pub fn zero_based(mut self, zero_based: bool) -> Self {
        self.zero_based = Some(zero_based);
        self
    }

    /// Sets how tables are understood.
    pub fn table(mut self, table: TableOptions) -> Self {
        self.table = table;
        self
    }
}

impl TableOptions {
    /// The texts that stand for a missing value in columns of numbers, unless the caller lists others.
    pub const DEFAULT_NA: [&str; 14] =
        ["", ".", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NAN", "-nan", "NULL", "null", "None"];

    /// Sets whether the first line names the columns; `None` guesses.
    pub fn header(mut self, header: impl Into<Option<bool>>) -> Self {
        self.header = header.into();
        self
    }

    /// Sets the column that names the rows.
    pub fn index(mut self, index: Index) -> Self {
        self.index = index;
        self
    }

    /// Sets the texts that stand for a missing value; `None` takes [`TableOptions::DEFAULT_NA`].
    pub fn na(mut self, na: impl Into<Option<Vec<String>>>) -> Self {
        self.na = na.into();
        self
    }

    /// Sets the columns to read; `None` reads all.
    pub fn columns(mut self, columns: impl Into<Option<Vec<String>>>) -> Self {
        self.columns = columns.into();
        self
    }

    /// Sets how missing values are settled.
    pub fn missing(mut self, missing: Missing) -> Self {
        self.missing = missing;
        self
    }

    /// Sets how columns of texts are read.
    pub fn categorical(mut self, categorical: Categorical) -> Self {
        self.categorical = categorical;
        self
    }

    /// Sets the character between the fields of a text; `None` looks for it.
    pub fn delimiter(mut self, delimiter: impl Into<Option<char>>) -> Self {
        (self.delimiter, self.delimiter_of_fit) = (delimiter.into(), false);
        self
    }

    /// Sets the character before the decimals of numbers in a text, `.` or `,`; `None` guesses.
    pub fn decimal(mut self, decimal: impl Into<Option<char>>) -> Self {
        self.decimal = decimal.into();
        self
    }
}
