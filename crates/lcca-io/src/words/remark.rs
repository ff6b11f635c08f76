//! Remarks for a person about how files were read and their rows paired: guesses, categories, missing
//! values. They are plain data; `wording` makes the sentences.

use lcca::data::Side;
use serde::Serialize;

/// A remark about a file, or about two files that were read together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "remark", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Remark {
    /// The roles of a table's first line and first column were guessed.
    Guessed {
        /// Whether the first line was taken as names; `None` if the caller or the format decided.
        header: Option<bool>,
        /// The column that was taken as row names: its name or, if it has none, an empty text.
        index: Option<String>,
    },
    /// The fields are not separated as the file's extension says.
    Separated {
        /// The character between fields.
        by: char,
    },
    /// Numbers have commas before their decimals.
    DecimalCommas,
    /// A column of texts became indicator columns.
    Categories {
        /// The column.
        column: String,
        /// The number of different texts in the column.
        categories: usize,
        /// The texts that stand for a missing value in columns of numbers, such as `NA`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        words: Vec<String>,
    },
    /// A column of numbers has a name like that of row names, and is data.
    NumericId {
        /// The column.
        column: String,
    },
    /// A column with a name like that of row names was not asked for, so rows are paired without it.
    IdNotRead {
        /// The column.
        column: String,
    },
    /// A column names the rows, because the other view has the same numbers in such a column or as names.
    NamedByColumn {
        /// The owner of the rows: X, Y, or a table attached to them.
        of: String,
        /// The column.
        column: String,
    },
    /// Rows with missing values were left out.
    RowsWithMissing {
        /// The number of missing values.
        cells: u64,
        /// The number of rows that they are in.
        rows: u64,
    },
    /// Missing values became means.
    Filled {
        /// The number of missing values.
        cells: u64,
        /// The number of rows that they are in.
        rows: u64,
        /// Whether the means are those of a model.
        by_model: bool,
    },
    /// Columns that a model does not have were left out.
    NotInModel {
        /// The number of columns.
        columns: usize,
        /// The names of the first few columns.
        first: Vec<String>,
    },
    /// Categories that a model does not have: their rows are in none of its categories.
    NewCategories {
        /// The column.
        column: String,
        /// The number of cells that hold such a category.
        cells: u64,
        /// The first such category.
        first: String,
    },
    /// Rows were brought into the order of X by their names.
    Aligned {
        /// The owner of the rows: Y, or a table attached to the rows of X.
        of: String,
        /// The number of rows that moved.
        moved: usize,
        /// The number of all rows.
        rows: usize,
    },
    /// Covariates or weights of rows that X does not have were left out.
    NotInX {
        /// The name of the table that is attached to the rows of X.
        of: String,
        /// The number of rows that were left out.
        rows: usize,
    },
    /// Rows that only one view has were left out.
    NotInBoth {
        /// The number of rows that only X has.
        x: usize,
        /// The number of rows that only Y has.
        y: usize,
        /// The number of rows that both have.
        rows: usize,
    },
    /// Only one view has row names, so rows were paired by position.
    NamedOnOneSide {
        /// The view with names.
        side: Side,
    },
    /// The rows of both views are only numbered, so they were paired by position.
    NumberedFromDifferentStarts,
    /// Rows with missing values were left out of both views.
    IncompletePairs {
        /// The number of rows that were left out.
        dropped: usize,
        /// The number of rows that are left.
        rows: usize,
    },
}
