//! Coordinates: entries, one per line.

use super::header::{Header, Symmetry, value};
use crate::error::{Fault, Outcome};
use crate::input::text::{Lines, Text, index, quoted, tokens};
use crate::matrix::assemble::{self, Assembled};
use crate::matrix::missing::Filling;
use crate::matrix::triplets::{Columns, Triplets};
use crate::matrix::values::Growing;

struct Entries {
    rows: Vec<u32>,
    columns: Vec<u32>,
    values: Growing,
    /// The number of listed entries, without mirrored ones.
    listed: usize,
}

impl Entries {
    fn new() -> Self {
        Entries { rows: Vec::new(), columns: Vec::new(), values: Growing::new(), listed: 0 }
    }

    fn push(&mut self, row: u32, column: u32, value: f64) {
        self.rows.push(row);
        self.columns.push(column);
        self.values.push(value);
    }

    fn append(&mut self, more: Entries) {
        self.rows.extend(more.rows);
        self.columns.extend(more.columns);
        self.values.append(more.values);
        self.listed += more.listed;
    }
}

pub(super) fn read(text: Text, header: Header, filling: Filling<'_>) -> Outcome<Assembled> {
    let mut all = Entries::new();
    text.parse(
        |lines| parse_lines(lines, header, filling.allows()),
        |more| {
            all.append(more);
            if all.listed > header.entries {
                return Err(count_fault(header, "more"));
            }
            Ok(())
        },
    )?;
    if all.listed < header.entries {
        return Err(count_fault(header, &format!("only {}: the file may be cut short", all.listed)));
    }
    let columns = Columns::Listed(all.columns.into());
    let entries = Triplets { rows: all.rows.into(), columns, values: all.values.into_values() };
    assemble::triplets(header.rows, header.cols, entries, filling)
}

fn count_fault(header: Header, listed: &str) -> Fault {
    Fault::line(header.line, format!("the header says {} entries, found {listed}", header.entries))
}

fn parse_lines(lines: Lines<'_>, header: Header, may_miss: bool) -> Outcome<Entries> {
    let mut entries = Entries::new();
    for (number, line) in lines {
        if !line.is_empty() && !line.starts_with(b"%") {
            parse_entry(line, header, may_miss, &mut entries)
                .map_err(|message| Fault::line(number, message))?;
        }
    }
    Ok(entries)
}

fn parse_entry(line: &[u8], header: Header, may_miss: bool, entries: &mut Entries) -> Result<(), String> {
    let mut words = tokens(line);
    let row = position(words.next(), "row", header.rows)?;
    let column = position(words.next(), "column", header.cols)?;
    let value = if header.pattern { 1.0 } else { value(words.next(), may_miss)? };
    if let Some(word) = words.next() {
        return Err(format!("expected the line to end, found {}", quoted(word)));
    }
    entries.listed += 1;
    entries.push(row, column, value);
    match header.symmetry {
        Symmetry::Symmetric if row != column => entries.push(column, row, value),
        Symmetry::Skew if row != column => entries.push(column, row, -value),
        _ => {}
    }
    Ok(())
}

/// A row or column from 0, read from a file that counts from 1.
fn position(word: Option<&[u8]>, what: &str, limit: usize) -> Result<u32, String> {
    let word = word.ok_or_else(|| format!("expected a {what}, the line ends"))?;
    match index(word) {
        Some(number) if (1..=limit as u64).contains(&number) => Ok((number - 1) as u32),
        Some(number) => Err(format!("{what} {number} is out of range, expected 1 to {limit}")),
        None => Err(format!("expected a {what} from 1 to {limit}, found {}", quoted(word))),
    }
}
