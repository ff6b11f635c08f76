//! What a person should know about how files were read and their rows paired: guesses, categories, missing
//! values. Plain data; `wording` makes the sentences.

use lcca::data::Side;
use serde::Serialize;

/// One thing to know about a file or about two files read together.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "remark", rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Remark {
    /// What was guessed about a table's first line and first column.
    Guessed {
        /// Whether the first line was taken as names; `None` if the caller or the format said.
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
        /// How many different texts it has.
        categories: usize,
        /// Those that stand for a missing value in columns of numbers, such as `NA`.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        words: Vec<String>,
    },
    /// A column of numbers is called like one that names the rows, and is data.
    NumericId {
        /// The column.
        column: String,
    },
    /// A column that is called like one that names the rows was not asked for, so rows are paired without it.
    IdNotRead {
        /// The column.
        column: String,
    },
    /// A column names the rows, because the other view has the same numbers in such a column or as names.
    NamedByColumn {
        /// Whose rows: X, Y, or what belongs to them.
        of: String,
        /// The column.
        column: String,
    },
    /// Rows with missing values were left out.
    RowsWithMissing {
        /// How many values are missing.
        cells: u64,
        /// In how many rows.
        rows: u64,
    },
    /// Missing values became means.
    Filled {
        /// How many values are missing.
        cells: u64,
        /// In how many rows.
        rows: u64,
        /// Whether the means are those of a model.
        by_model: bool,
    },
    /// Columns that a model does not have were left out.
    NotInModel {
        /// How many.
        columns: usize,
        /// The first few.
        first: Vec<String>,
    },
    /// Categories that a model does not have: their rows are in none of its categories.
    NewCategories {
        /// The column.
        column: String,
        /// How many cells hold such a category.
        cells: u64,
        /// The first one.
        first: String,
    },
    /// Rows were brought into the order of X by their names.
    Aligned {
        /// Whose rows: Y, or what belongs to those of X.
        of: String,
        /// How many rows moved.
        moved: usize,
        /// How many rows there are.
        rows: usize,
    },
    /// Covariates or weights of rows that X does not have were left out.
    NotInX {
        /// Whose rows: what belongs to those of X.
        of: String,
        /// How many.
        rows: usize,
    },
    /// Rows that only one view has were left out.
    NotInBoth {
        /// How many rows only X has.
        x: usize,
        /// How many rows only Y has.
        y: usize,
        /// How many rows both have.
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
        /// How many rows were left out.
        dropped: usize,
        /// How many are left.
        rows: usize,
    },
}
