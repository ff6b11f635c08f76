//! Everything that can go wrong with data or settings. Errors carry the offending values.

use crate::side::Side;

/// The result type of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// Bad data, bad settings, or a machine too small. A fit that merely does not converge is not an error.
///
/// Rows and columns in messages count from 0, as in SciPy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages name the fields")]
pub enum Error {
    #[error("{len} numbers of {width} bytes from byte {start} do not fit in {have} bytes")]
    BufferTooShort { start: usize, len: usize, width: usize, have: usize },
    #[error("{what}: expected {expected}, found {found}")]
    Length { what: &'static str, expected: usize, found: usize },
    #[error("row {row}: offsets decrease from {from} to {to}")]
    OffsetsDecrease { row: usize, from: u64, to: u64 },
    #[error("row {row}: column {column} is out of range, the matrix has {cols} columns")]
    ColumnOutOfRange { row: usize, column: u64, cols: usize },
    #[error("row {row}: column {column} does not come after column {previous}")]
    ColumnOrder { row: usize, column: u32, previous: u32 },
    #[error("row {row}, column {column}: the value is {value}, expected a finite number")]
    NotFinite { row: usize, column: usize, value: f64 },
    #[error(
        "{side}: row {row}, column {column}: the value is {value}, expected none below 0 in rows that are \
         divided by their sums"
    )]
    Negative { side: Side, row: usize, column: usize, value: f64 },
    #[error("{cols} columns are more than the {max} this build can number", max = u32::MAX - 1)]
    TooManyColumns { cols: usize },
    #[error("the matrix has no rows")]
    NoRows,
    #[error("X has {x} rows and Y has {y}, expected as many rows in both")]
    RowsDiffer { x: usize, y: usize },
    #[error("{side} is all zero{centered}: there is nothing to \
        correlate", centered = if *.centered { " once centered" } else { "" })]
    NothingToCorrelate { side: Side, centered: bool },
    #[error("{side} has values so large that their squares overflow; divide it by a power of ten")]
    Overflow { side: Side },
    #[error(
        "k is {k}, expected between 1 and {limit}, the smallest of {rows} rows, {x_cols} columns of X and \
         {y_cols} of Y"
    )]
    ComponentsOutOfRange { k: usize, limit: usize, rows: usize, x_cols: usize, y_cols: usize },
    #[error("{name} is {value}, expected {expected}")]
    Setting { name: &'static str, value: String, expected: &'static str },
    #[error("the metric {metric} is not available with the method {method}; use auto, lobpcg, gram or exact")]
    MetricOfMethod { metric: &'static str, method: String },
    #[error("{parameter} is no parameter of {method}")]
    NoSuchParameter { parameter: String, method: String },
    #[error("{what} needs about {needed} bytes and {allowed} are allowed; {advice}")]
    Memory { what: String, needed: u64, allowed: u64, advice: &'static str },
    #[error("{side} has {found} columns, expected the {expected} the model was trained on")]
    Width { side: Side, expected: usize, found: usize },
    #[error("the covariates have {found} rows, expected the {expected} rows of the views")]
    CovariateRows { expected: usize, found: usize },
    #[error("the model was fitted with {columns} columns of covariates, and those of these rows are missing")]
    CovariatesNeeded { columns: usize },
    #[error("the model was fitted without covariates, and these rows come with some")]
    CovariatesUnknown,
    #[error("the covariates have {found} columns, expected the {expected} the model was fitted with")]
    CovariateWidth { expected: usize, found: usize },
    #[error("the covariates explain all of {side}: there is nothing left to correlate")]
    NothingLeft { side: Side },
    #[error("{what} cannot be combined with covariates; {advice}")]
    WithCovariates { what: &'static str, advice: &'static str },
    #[error("row weight {row} is {value}, expected a finite number that is not negative")]
    Weight { row: usize, value: f64 },
    #[error("the checkpoint holds {found}, expected {expected}")]
    Checkpoint { found: String, expected: String },
    #[error("{0} could not be factorized")]
    Factorization(&'static str),
    #[error("stopped on request")]
    Interrupted,
    /// An error of rows that cannot form an object that a method needs.
    #[error("these rows offer no {what}; use a method that needs nothing but passes, such as lobpcg")]
    Unavailable { what: &'static str },
    /// An error of the program that holds the rows.
    #[error(transparent)]
    External(Box<dyn std::error::Error + Send + Sync>),
}
