//! svmlight, also called libsvm: one line per row, `label index:value index:value … # comment`.
//!
//! Indices count from 1 unless the caller says otherwise; labels and `qid:` are skipped. The number of
//! columns is the largest index unless the caller gives it, because the file does not carry it.

use super::assemble::{self, Assembled};
use super::missing::Filling;
use super::options::ReadOptions;
use super::values::Growing;
use crate::error::{Fault, Outcome, Remedy};
use crate::input::text::{Lines, Text, index, quoted, real, tokens};
use crate::words::numbers::grouped;

/// Facts that the caller knows about the indices.
#[derive(Clone, Copy)]
struct Indices {
    first: u64,
    /// One past the largest index that is allowed.
    end: u64,
    cols: Option<usize>,
    /// Whether values may be missing.
    may_miss: bool,
}

impl Indices {
    fn new(options: &ReadOptions, filling: Filling<'_>) -> Self {
        let first = if options.zero_based == Some(true) { 0 } else { 1 };
        let cols = options.cols.map_or(u64::from(u32::MAX) - 1, |cols| cols as u64);
        Indices { first, end: first.saturating_add(cols), cols: options.cols, may_miss: filling.allows() }
    }

    fn column(self, index: u64) -> Outcome<u32> {
        if index < self.first {
            let message = "index 0, but indices count from 1";
            return Err(Fault::new(message).remedied_by(Remedy::CountFromZero));
        }
        if index >= self.end {
            let last = self.end.saturating_sub(1);
            return Err(Fault::new(format!(
                "index {index} is out of range, expected {} to {last}",
                self.first
            )));
        }
        Ok((index - self.first) as u32)
    }
}

/// Parsed rows, without the first offset, which is 0.
struct Rows {
    ends: Vec<u64>,
    columns: Vec<u32>,
    values: Growing,
}

impl Rows {
    fn new() -> Self {
        Rows { ends: Vec::new(), columns: Vec::new(), values: Growing::new() }
    }

    fn append(&mut self, more: Rows) {
        let before = self.columns.len() as u64;
        self.ends.extend(more.ends.iter().map(|end| before + end));
        self.columns.extend(more.columns);
        self.values.append(more.values);
    }
}

pub(crate) fn read(text: Text, options: &ReadOptions, filling: Filling<'_>) -> Outcome<Assembled> {
    let indices = Indices::new(options, filling);
    let mut rows = Rows::new();
    rows.ends.push(0);
    text.parse(
        |lines| parse_lines(lines, indices),
        |more| {
            rows.append(more);
            Ok(())
        },
    )?;
    let widest = rows.columns.iter().max().map_or(0, |&column| column as usize + 1);
    let cols = indices.cols.unwrap_or(widest);
    let values = rows.values.into_values();
    let mut assembled = assemble::sparse(cols, rows.ends.into(), rows.columns.into(), values, filling)?;
    if indices.cols.is_none() {
        let cols = grouped(cols as u64);
        assembled.notes.push(format!("the file does not say how many columns it has; {cols} were seen"));
    }
    Ok(assembled)
}

fn parse_lines(lines: Lines<'_>, indices: Indices) -> Outcome<Rows> {
    let mut rows = Rows::new();
    for (number, line) in lines {
        let line = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        if !line.trim_ascii().is_empty() {
            parse_row(line, indices, &mut rows).map_err(|fault| fault.on_line(number))?;
        }
    }
    Ok(rows)
}

fn parse_row(line: &[u8], indices: Indices, rows: &mut Rows) -> Outcome<()> {
    let mut words = tokens(line).peekable();
    if let Some(label) = words.next_if(|word| !word.contains(&b':')) {
        check_label(label)?;
    }
    for word in words.filter(|word| !word.starts_with(b"qid:")) {
        let (column, value) = parse_entry(word, indices)?;
        rows.columns.push(column);
        rows.values.push(value);
    }
    rows.ends.push(rows.columns.len() as u64);
    Ok(())
}

/// Refuses a label that is neither a number nor several numbers with commas between them.
fn check_label(label: &[u8]) -> Outcome<()> {
    if label.split(|&byte| byte == b',').any(|part| real(part).is_none()) {
        return Err(Fault::new(format!("expected a label, found {}", quoted(label))));
    }
    Ok(())
}

fn parse_entry(word: &[u8], indices: Indices) -> Outcome<(u32, f64)> {
    let unclear = || Fault::new(format!("expected index:value, found {}", quoted(word)));
    let colon = word.iter().position(|&byte| byte == b':').ok_or_else(unclear)?;
    let column = indices.column(index(&word[..colon]).ok_or_else(unclear)?)?;
    let value = real(&word[colon + 1..]).ok_or_else(unclear)?;
    if !(value.is_finite() || indices.may_miss && value.is_nan()) {
        return Err(Fault::new(format!("the value in {} is not a finite number", quoted(word))));
    }
    Ok((column, value))
}
