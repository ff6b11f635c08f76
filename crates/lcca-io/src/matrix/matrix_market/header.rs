//! The banner and the line of sizes.

use crate::error::{Fault, Outcome};
use crate::input::text::{Text, index, quoted, real, tokens};
use crate::matrix::assemble::check_shape;

/// The lines before the numbers.
#[derive(Clone, Copy)]
pub(super) struct Header {
    /// Whether the file lists entries, rather than all values.
    pub(super) coordinate: bool,
    /// Whether entries have no values.
    pub(super) pattern: bool,
    pub(super) symmetry: Symmetry,
    pub(super) rows: usize,
    pub(super) cols: usize,
    /// The number of listed entries; 0 for an array.
    pub(super) entries: usize,
    /// The number of the line of sizes.
    pub(super) line: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// The contents of the banner.
#[derive(Clone, Copy)]
struct Banner {
    coordinate: bool,
    pattern: bool,
    symmetry: Symmetry,
}

impl Header {
    pub(super) fn read(text: &mut Text) -> Outcome<Self> {
        let banner = text.next_line()?.unwrap_or_default();
        let banner = parse_banner(&banner).map_err(|message| Fault::line(1, message))?;
        loop {
            let line = text.line();
            let words = text.next_line()?.ok_or_else(|| Fault::line(line, "the line of sizes is missing"))?;
            if words.is_empty() || words.starts_with('%') {
                continue;
            }
            let header = parse_sizes(&words, banner, line).map_err(|message| Fault::line(line, message))?;
            check_shape(header.rows, header.cols)?;
            return Ok(header);
        }
    }
}

fn parse_banner(line: &str) -> Result<Banner, String> {
    let words: Vec<String> = line.split_whitespace().map(str::to_ascii_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ["%%matrixmarket", "matrix", layout, field, symmetry] = words[..] else {
        return Err("expected %%MatrixMarket matrix LAYOUT FIELD SYMMETRY".into());
    };
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" => Symmetry::Skew,
        other => return refused(other, "general, symmetric or skew-symmetric"),
    };
    match (layout, field) {
        ("coordinate", "real" | "integer" | "double" | "pattern")
        | ("array", "real" | "integer" | "double") => {
            Ok(Banner { coordinate: layout == "coordinate", pattern: field == "pattern", symmetry })
        }
        ("coordinate" | "array", other) => refused(other, "real, integer or (for coordinates) pattern"),
        (other, _) => refused(other, "coordinate or array"),
    }
}

fn refused<T>(word: &str, expected: &str) -> Result<T, String> {
    Err(format!("{word:?} is not read, expected {expected}"))
}

fn parse_sizes(words: &str, banner: Banner, line: u64) -> Result<Header, String> {
    let expected = if banner.coordinate { "rows, columns and entries" } else { "rows and columns" };
    let unclear = || format!("expected {expected}, found {}", quoted(words.as_bytes()));
    let numbers = tokens(words.as_bytes()).map(index).collect::<Option<Vec<_>>>().ok_or_else(unclear)?;
    let Banner { coordinate, pattern, symmetry } = banner;
    let (rows, cols, entries) = match (coordinate, &numbers[..]) {
        (true, &[rows, cols, entries]) => (rows, cols, entries),
        (false, &[rows, cols]) => (rows, cols, 0),
        _ => return Err(unclear()),
    };
    if rows > u32::MAX.into() || cols >= u32::MAX.into() {
        return Err(format!("{rows} rows and {cols} columns are more than this reader can number"));
    }
    if symmetry != Symmetry::General && rows != cols {
        return Err(format!("a symmetric matrix is square, this one has {rows} rows and {cols} columns"));
    }
    let (rows, cols, entries) = (rows as usize, cols as usize, entries as usize);
    Ok(Header { coordinate, pattern, symmetry, rows, cols, entries, line })
}

/// A finite value or, if `may_miss`, one that is missing.
pub(super) fn value(word: Option<&[u8]>, may_miss: bool) -> Result<f64, String> {
    let word = word.ok_or("expected a value at the end of the line")?;
    match real(word) {
        Some(value) if value.is_finite() || may_miss && value.is_nan() => Ok(value),
        Some(_) => Err(format!("the value {} is not a finite number", quoted(word))),
        None => Err(format!("expected a value, found {}", quoted(word))),
    }
}
