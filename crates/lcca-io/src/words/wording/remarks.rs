//! Sentences for remarks about how files were read and their rows paired.

use crate::words::numbers::grouped;
use crate::words::remark::Remark;

/// Words a remark about reading files as a sentence without a full stop.
pub fn remark(remark: &Remark) -> String {
    match remark {
        Remark::Guessed { header, index } => guessed(*header, index.as_deref()),
        Remark::Separated { by: '\t' } => "fields are between tabs".into(),
        Remark::Separated { by: ';' } => "fields are between semicolons".into(),
        Remark::Separated { by: '|' } => "fields are between bars".into(),
        Remark::Separated { by } => format!("fields are between {by:?}"),
        Remark::DecimalCommas => "numbers have decimal commas".into(),
        Remark::Categories { column, categories, words } => {
            let count = counted(*categories as u64, "category", "categories");
            let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
            let among =
                if words.is_empty() { String::new() } else { format!(", {} among them", words.join(", ")) };
            format!("column {column:?} taken as {count}{among}")
        }
        Remark::NumericId { column } => format!(
            "column {column:?} holds a different whole number in each row and is taken as data; if it names \
             the rows, \
             make it the index"
        ),
        Remark::IdNotRead { column } => {
            format!("column {column:?} is not read; if it names the rows, make it the index")
        }
        Remark::NamedByColumn { of, column } => format!("column {column:?} names the rows of {of}"),
        Remark::RowsWithMissing { cells, rows } => format!(
            "{} in {}, left out",
            counted(*cells, "missing value", "missing values"),
            counted(*rows, "row", "rows")
        ),
        Remark::Filled { cells, rows, by_model } => {
            let means = if *by_model { "means of the model" } else { "means of their columns" };
            let values = counted(*cells, "missing value", "missing values");
            format!("{values} in {}, filled in by the {means}", counted(*rows, "row", "rows"))
        }
        Remark::NotInModel { columns, first } => {
            let names: Vec<String> = first.iter().map(|name| format!("{name:?}")).collect();
            let more = if *columns > first.len() { ", …" } else { "" };
            let count = counted(*columns, "column", "columns");
            format!("{count} that the model does not have left out: {}{more}", names.join(", "))
        }
        Remark::NewCategories { column, cells, first } => {
            let count = counted(*cells, "row has", "rows have");
            format!("{count} in column {column:?} a category that the model does not have, such as {first:?}")
        }
        other => pairing(other),
    }
}

/// Words a remark about two views.
fn pairing(remark: &Remark) -> String {
    match remark {
        Remark::Aligned { of, moved, rows } => {
            let [moved, rows] = [*moved, *rows].map(|number| grouped(number as u64));
            format!("rows of {of} brought into the order of X by name: {moved} of {rows} moved")
        }
        Remark::NotInX { of, rows } => {
            format!("{} of {of} that X does not have left out", counted(*rows, "row", "rows"))
        }
        Remark::NotInBoth { x, y, rows } => {
            let [rows, x, y] = [*rows, *x, *y].map(|number| grouped(number as u64));
            format!("{rows} rows are in both views; {x} only in X and {y} only in Y left out")
        }
        Remark::NamedOnOneSide { side } => {
            format!("only {side} has row names, so rows were paired by position")
        }
        Remark::NumberedFromDifferentStarts => {
            "rows of both views are only numbered, from different starts, so they were paired by position"
                .into()
        }
        Remark::IncompletePairs { dropped, rows } => {
            let count = counted(*dropped as u64, "row", "rows");
            format!("{count} with missing values left out of both views, {} left", grouped(*rows as u64))
        }
        other => format!("{other:?}"),
    }
}

fn guessed(header: Option<bool>, index: Option<&str>) -> String {
    let first = match header {
        Some(true) => "first line taken as names",
        Some(false) => "first line taken as data",
        None => "",
    };
    let rows = match index {
        Some("") => "the column without a name as row names".into(),
        Some(column) => format!("column {column:?} as row names"),
        None => String::new(),
    };
    match (first, rows.as_str()) {
        (first, "") => first.into(),
        ("", rows) => rows.replacen(" as row names", " taken as row names", 1),
        (first, rows) => format!("{first}, {rows}"),
    }
}

fn counted(number: impl TryInto<u64>, one: &str, many: &str) -> String {
    let number = number.try_into().unwrap_or(0);
    format!("{} {}", grouped(number), if number == 1 { one } else { many })
}
