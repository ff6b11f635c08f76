//! The text format of word2vec: a line `rows components`, then one line per row with its name and its
//! numbers, separated by single spaces.
//!
//! A name must hold no space, because readers cut lines at spaces, and some at any white space. Every
//! character that Unicode or Python calls white space is written `_`, as word2vec itself joins phrases, and
//! an empty name becomes `_`.

use super::named_rows::{Exported, NamedRows};
use crate::error::Outcome;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Write;

pub(super) fn write(out: &mut impl Write, rows: &NamedRows<'_>) -> Outcome<Exported> {
    let mut exported = Exported::default();
    let mut seen = HashSet::with_capacity(rows.rows);
    writeln!(out, "{} {}", rows.rows, rows.components)?;
    for row in 0..rows.rows {
        let name = rows.name(row);
        let word = one_word(&name);
        exported.changed += usize::from(word != name);
        out.write_all(word.as_bytes())?;
        exported.repeated += usize::from(!seen.insert(word.into_owned()));
        // Debug formatting gives as many digits as it takes to read the same number back, with an exponent
        // if that is shorter.
        rows.numbers(row).iter().try_for_each(|number| write!(out, " {number:?}"))?;
        out.write_all(b"\n")?;
    }
    Ok(exported)
}

fn one_word(name: &str) -> Cow<'_, str> {
    if name.is_empty() {
        return "_".into();
    }
    if name.contains(is_space) { name.replace(is_space, "_").into() } else { name.into() }
}

/// Whether readers may split at this character. Python also splits at the four separators of ASCII.
fn is_space(c: char) -> bool {
    c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c)
}
