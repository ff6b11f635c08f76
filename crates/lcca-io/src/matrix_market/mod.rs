//! MatrixMarket: a banner `%%MatrixMarket matrix coordinate|array real|integer|pattern general|symmetric|skew-symmetric`,
//! comments, a line of sizes, then one entry a line, rows and columns counted from 1.
//!
//! An `array` lists every value, column after column. Symmetric files list one triangle.

mod array;
mod coordinate;
mod write;

pub(crate) use write::write;

use crate::assemble::{Assembled, check_shape};
use crate::error::{Fault, Outcome};
use crate::text::{Text, index, quoted, real, tokens};

/// The bytes every such file begins with, in any case of letters.
pub(crate) const MAGIC: &[u8] = b"%%MatrixMarket";

/// What the banner says.
#[derive(Clone, Copy)]
struct Banner {
    coordinate: bool,
    pattern: bool,
    symmetry: Symmetry,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Symmetry {
    General,
    Symmetric,
    Skew,
}

/// The line of sizes.
#[derive(Clone, Copy)]
struct Sizes {
    rows: usize,
    cols: usize,
    entries: usize,
    line: u64,
}

pub(crate) fn read(mut text: Text) -> Outcome<Assembled> {
    let banner = text.next_line()?.unwrap_or_default();
    let banner = parse_banner(&banner).map_err(|message| Fault::line(1, message))?;
    let sizes = read_sizes(&mut text, banner)?;
    match banner.coordinate {
        true => coordinate::read(text, banner, sizes),
        false => array::read(text, banner, sizes),
    }
}

fn parse_banner(line: &str) -> Result<Banner, String> {
    let words: Vec<String> = line.split_whitespace().map(str::to_ascii_lowercase).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let ["%%matrixmarket", "matrix", layout, field, symmetry] = words[..] else {
        return Err("expected %%MatrixMarket matrix LAYOUT FIELD SYMMETRY".into());
    };
    let unknown = |word: &str, expected: &str| Err(format!("{word:?} is not read, expected {expected}"));
    let symmetry = match symmetry {
        "general" => Symmetry::General,
        "symmetric" => Symmetry::Symmetric,
        "skew-symmetric" => Symmetry::Skew,
        other => return unknown(other, "general, symmetric or skew-symmetric"),
    };
    match (layout, field) {
        ("coordinate", "real" | "integer" | "double" | "pattern")
        | ("array", "real" | "integer" | "double") => {
            Ok(Banner { coordinate: layout == "coordinate", pattern: field == "pattern", symmetry })
        }
        ("coordinate" | "array", other) => unknown(other, "real, integer or (for coordinates) pattern"),
        (other, _) => unknown(other, "coordinate or array"),
    }
}

fn read_sizes(text: &mut Text, banner: Banner) -> Outcome<Sizes> {
    loop {
        let line = text.line();
        let words = text.next_line()?.ok_or_else(|| Fault::line(line, "the line of sizes is missing"))?;
        if !words.is_empty() && !words.starts_with('%') {
            let sizes = parse_sizes(&words, banner, line).map_err(|message| Fault::line(line, message))?;
            check_shape(sizes.rows, sizes.cols)?;
            return Ok(sizes);
        }
    }
}

fn parse_sizes(words: &str, banner: Banner, line: u64) -> Result<Sizes, String> {
    let expected = if banner.coordinate { "rows, columns and entries" } else { "rows and columns" };
    let unclear = || format!("expected {expected}, found {}", quoted(words.as_bytes()));
    let numbers = tokens(words.as_bytes()).map(index).collect::<Option<Vec<_>>>().ok_or_else(unclear)?;
    let (rows, cols, entries) = match (banner.coordinate, &numbers[..]) {
        (true, &[rows, cols, entries]) => (rows, cols, entries),
        (false, &[rows, cols]) => (rows, cols, 0),
        _ => return Err(unclear()),
    };
    if rows > u32::MAX.into() || cols >= u32::MAX.into() {
        return Err(format!("{rows} rows and {cols} columns are more than this reader can number"));
    }
    if banner.symmetry != Symmetry::General && rows != cols {
        return Err(format!("a symmetric matrix is square, this one has {rows} rows and {cols} columns"));
    }
    Ok(Sizes { rows: rows as usize, cols: cols as usize, entries: entries as usize, line })
}

/// A finite value.
fn value(word: Option<&[u8]>) -> Result<f64, String> {
    let word = word.ok_or("expected a value at the end of the line")?;
    match real(word) {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(format!("the value {} is not a finite number", quoted(word))),
        None => Err(format!("expected a value, found {}", quoted(word))),
    }
}
