//! svmlight, also called libsvm: a line a row, `label index:value index:value … # comment`.
//!
//! Indices count from 1 unless the caller says otherwise; labels and `qid:` are skipped. The file does not carry the
//! number of columns: it is the largest index, or what the caller says.

use crate::ReadOptions;
use crate::assemble::{self, Assembled};
use crate::error::{Fault, Outcome};
use crate::text::{Lines, Text, index, quoted, real, tokens};
use crate::values::Growing;

/// What the caller knows about the indices.
#[derive(Clone, Copy)]
struct Indices {
    first: u64,
    /// One past the largest index; none may reach it.
    end: u64,
    forced: Option<usize>,
}

impl Indices {
    fn new(options: &ReadOptions) -> Self {
        let first = if options.zero_based == Some(true) { 0 } else { 1 };
        let cols = options.cols.map_or(u64::from(u32::MAX) - 1, |cols| cols as u64);
        Indices { first, end: first.saturating_add(cols), forced: options.cols }
    }

    fn column(self, index: u64) -> Result<u32, String> {
        match index {
            0 if self.first == 1 => {
                Err("index 0 where indices count from 1; pass the zero-based option".into())
            }
            _ if index >= self.end => {
                Err(format!("index {index} is out of range {}..={}", self.first, self.end.saturating_sub(1)))
            }
            _ => Ok((index - self.first) as u32),
        }
    }
}

/// Rows parsed so far.
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

pub(crate) fn read(text: Text, options: &ReadOptions) -> Outcome<Assembled> {
    let indices = Indices::new(options);
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
    let cols = indices.forced.unwrap_or(widest);
    let values = rows.values.into_values();
    let mut made = assemble::sparse(cols, rows.ends.into(), rows.columns.into(), values)?;
    if indices.forced.is_none() {
        made.notes.push(format!("the file does not say how many columns it has; {cols} were seen"));
    }
    Ok(made)
}

fn parse_lines(lines: Lines<'_>, indices: Indices) -> Outcome<Rows> {
    let mut rows = Rows::new();
    for (number, line) in lines {
        let line = line.split(|&byte| byte == b'#').next().unwrap_or_default();
        if !line.trim_ascii().is_empty() {
            parse_row(line, indices, &mut rows).map_err(|message| Fault::line(number, message))?;
        }
    }
    Ok(rows)
}

fn parse_row(line: &[u8], indices: Indices, rows: &mut Rows) -> Result<(), String> {
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

/// A number, or several with commas between them.
fn check_label(label: &[u8]) -> Result<(), String> {
    match label.split(|&byte| byte == b',').all(|part| real(part).is_some()) {
        true => Ok(()),
        false => Err(format!("expected a label, found {}", quoted(label))),
    }
}

fn parse_entry(word: &[u8], indices: Indices) -> Result<(u32, f64), String> {
    let unclear = || format!("expected index:value, found {}", quoted(word));
    let colon = word.iter().position(|&byte| byte == b':').ok_or_else(unclear)?;
    let column = indices.column(index(&word[..colon]).ok_or_else(unclear)?)?;
    let value = real(&word[colon + 1..]).ok_or_else(unclear)?;
    match value.is_finite() {
        true => Ok((column, value)),
        false => Err(format!("the value in {} is not a finite number", quoted(word))),
    }
}
