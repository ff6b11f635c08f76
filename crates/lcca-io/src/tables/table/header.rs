//! Decides whether the first line names the columns, from that line and the rows below it. A line that
//! could be either is an error.

use super::cell::{Cell, MissingTexts, TextKind, text_kind};
use super::labels::{Written, look_like_labels};
use super::sample::Sample;
use crate::error::{Fault, Outcome, Remedy};
use crate::input::text::quoted;
use csv::ByteRecord;
use std::collections::HashSet;

/// The fewest rows from which we conclude anything if their texts never repeat the first line.
const FEW: usize = 5;

/// Whether the first line holds names.
pub(crate) fn first_line_names(sample: &Sample, texts: &MissingTexts) -> Outcome<bool> {
    let first: Vec<Cell> = sample.first.iter().map(|field| texts.cell(field)).collect();
    if first.len() + 1 == sample.fields() {
        return short_line_names(sample, &first);
    }
    let unnamed_index =
        sample.first.get(0).is_some_and(|field| field.trim_ascii().is_empty()) && first.len() > 1;
    let rest = if unnamed_index { &first[1..] } else { &first[..] };
    let count = |wanted: fn(&Cell) -> bool| rest.iter().filter(|&cell| wanted(cell)).count();
    let all_texts = count(|cell| *cell == Cell::Text) == rest.len();
    let no_texts = count(|cell| *cell == Cell::Text) == 0;
    if all_texts {
        return texts_are_names(sample, texts, unnamed_index);
    }
    if !no_texts {
        return Err(unclear(sample, "holds texts and numbers or gaps"));
    }
    let written = |row: &ByteRecord| -> Vec<Written> {
        let fields = row.iter().skip(first.len() - rest.len());
        let written = |field| Written { value: number(texts.cell(field)), decimals: texts.decimals(field) };
        fields.map(written).collect()
    };
    let rows: Vec<Vec<Written>> = sample.rows.iter().map(|(_, row)| written(row)).collect();
    let rows: Vec<Vec<Written>> = rows.into_iter().filter(|row| row.len() == rest.len()).collect();
    let labels = look_like_labels(&written(&sample.first), &rows);
    match (unnamed_index, labels) {
        // pandas writes an empty name above the row names, and numbers as names of columns without others.
        (true, true) if counts(sample, texts) => Ok(true),
        (false, false) => Ok(false),
        (true, _) => Err(unclear(sample, "begins with an empty field")),
        (false, true) => Err(unclear(sample, "holds numbers that look like labels")),
    }
}

/// Whether a line with one field fewer than the rows below it holds names. It may, because R leaves out the
/// name of the column of row names, which are all different. A line that is not all texts may as well be a
/// row that lacks a field.
fn short_line_names(sample: &Sample, first: &[Cell]) -> Outcome<bool> {
    let mut seen = HashSet::new();
    let names_rows = sample.cells(0).all(|(_, field)| seen.insert(field));
    if names_rows && first.iter().all(|cell| *cell == Cell::Text) {
        return Ok(true);
    }
    let (found, below) = (first.len(), sample.fields());
    Err(unclear(sample, &format!("has {found} fields where the rows below it have {below}")))
}

/// Whether a first line of texts holds names. It does if a number, with separators or without, or a date is
/// anywhere below it. If all rows below are texts, it does if each column repeats its texts and never that
/// of the first line.
fn texts_are_names(sample: &Sample, texts: &MissingTexts, unnamed_index: bool) -> Outcome<bool> {
    let is_plain = |field: &[u8]| text_kind(field) == TextKind::Plain;
    let is_number = |field: &[u8]| match texts.cell(field) {
        Cell::Number(_) => true,
        Cell::Text => !is_plain(field) && sample.first.iter().all(is_plain),
        Cell::Missing | Cell::Word => false,
    };
    if unnamed_index || sample.rows.iter().any(|(_, row)| row.iter().any(is_number)) {
        return Ok(true);
    }
    if sample.rows.is_empty() {
        return Err(Fault::new("has names of columns and no rows"));
    }
    let is_category = |column: usize| {
        let cells: Vec<&[u8]> = sample.cells(column).map(|(_, field)| field).collect();
        let distinct: HashSet<&[u8]> = cells.iter().copied().collect();
        cells.len() >= FEW
            && distinct.len() * 2 <= cells.len()
            && sample.first.get(column).is_some_and(|name| !distinct.contains(name))
    };
    if (0..sample.fields()).all(is_category) {
        return Ok(true);
    }
    Err(unclear(sample, "holds texts, and so do all rows below it"))
}

/// Whether the first column counts rows, or names them by texts.
fn counts(sample: &Sample, texts: &MissingTexts) -> bool {
    let cells: Vec<Cell> = sample.cells(0).map(|(_, field)| texts.cell(field)).collect();
    let numbers = numbers(&cells);
    let ascend = numbers.windows(2).all(|pair| pair[0] < pair[1]) && numbers.iter().all(|n| n.fract() == 0.0);
    ascend || cells.iter().all(|cell| *cell == Cell::Text)
}

fn numbers(cells: &[Cell]) -> Vec<f64> {
    cells.iter().map(|&cell| number(cell)).collect()
}

fn number(cell: Cell) -> f64 {
    if let Cell::Number(number) = cell { number } else { f64::NAN }
}

fn unclear(sample: &Sample, what: &str) -> Fault {
    const SHOWN: usize = 3;
    let mut fields: Vec<String> = sample.first.iter().take(SHOWN).map(quoted).collect();
    if sample.first.len() > SHOWN {
        fields.push("…".into());
    }
    let message = format!(
        "{what} ({}), so it is either the names of the columns or the first row: say which",
        fields.join(", ")
    );
    Fault::line(sample.line, message).remedied_by(Remedy::SayHeader)
}
