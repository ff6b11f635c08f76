//! Sentences for errors of the engine, with thousands separated. Places such as rows and columns, and
//! values, are printed without separators, because users type them and search for them in this form.

use crate::words::numbers::{count, grouped};
use lcca::Error;

/// Words an error of the engine as a sentence without a full stop.
pub fn error(error: &Error) -> String {
    let number = |number: &usize| grouped(*number as u64);
    match error {
        Error::Length { what, expected, found } => {
            format!("{what}: expected {}, found {}", number(expected), number(found))
        }
        Error::ColumnOutOfRange { row, column, cols } => {
            let columns = count(*cols as u64, "column");
            format!("row {row}: column {column} is out of range, the matrix has {columns}")
        }
        Error::TooManyColumns { cols } => {
            let most = grouped(u64::from(u32::MAX - 1));
            format!("{} columns are more than the {most} this build can number", number(cols))
        }
        Error::RowsDiffer { x, y } => {
            format!("X has {} rows and Y has {}, expected as many rows in both", number(x), number(y))
        }
        Error::ComponentsOutOfRange { k, limit, rows, x_cols, y_cols } => format!(
            "k is {k}, expected between 1 and {}, the smallest of {} rows, {} columns of X and {} of Y",
            number(limit),
            number(rows),
            number(x_cols),
            number(y_cols)
        ),
        Error::Memory { what, needed, allowed, advice } => {
            let (needed, allowed) = (grouped(*needed), grouped(*allowed));
            format!("{what} needs about {needed} bytes and {allowed} are allowed; {advice}")
        }
        Error::Width { side, expected, found } => format!(
            "{side} has {} columns, expected the {} the model was trained on",
            number(found),
            number(expected)
        ),
        Error::CovariateRows { expected, found } => format!(
            "the covariates have {} rows, expected the {} rows of the views",
            number(found),
            number(expected)
        ),
        Error::CovariatesNeeded { columns } => format!(
            "the model was fitted with {} columns of covariates, and those of these rows are missing",
            number(columns)
        ),
        Error::CovariateWidth { expected, found } => format!(
            "the covariates have {} columns, expected the {} the model was fitted with",
            number(found),
            number(expected)
        ),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_separated_in_counts_and_not_in_places() {
        let rows = Error::RowsDiffer { x: 12_345, y: 999 };
        assert_eq!(error(&rows), "X has 12,345 rows and Y has 999, expected as many rows in both");
        let place = Error::ColumnOutOfRange { row: 20_000, column: 30_000, cols: 4_000 };
        assert_eq!(error(&place), "row 20000: column 30000 is out of range, the matrix has 4,000 columns");
    }

    #[test]
    fn small_numbers_leave_the_sentences_of_the_engine() {
        let errors = [
            Error::Length { what: "offsets", expected: 3, found: 2 },
            Error::ColumnOutOfRange { row: 1, column: 7, cols: 5 },
            Error::RowsDiffer { x: 2, y: 3 },
            Error::ComponentsOutOfRange { k: 9, limit: 2, rows: 5, x_cols: 2, y_cols: 3 },
            Error::Memory { what: "QR".into(), needed: 90, allowed: 8, advice: "wait" },
            Error::CovariateRows { expected: 2, found: 3 },
            Error::CovariatesNeeded { columns: 2 },
            Error::CovariateWidth { expected: 2, found: 3 },
            Error::NoRows,
        ];
        errors.iter().for_each(|same| assert_eq!(error(same), same.to_string()));
    }
}
