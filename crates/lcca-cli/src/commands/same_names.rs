//! Whether a file's columns are called what a model's are: the same width alone does not make them the same columns.
//!
//! Names are mapped and compared one by one; nothing is asked where the model or the file has none.

use crate::failure::Failure;
use lcca::data::Side;
use lcca_io::{Names, read_model_names, read_names};
use std::path::Path;

/// Refuses a file whose columns are not the model's.
pub fn check_names(model: &Path, file: &Path, side: Side) -> Result<(), Failure> {
    let Some(found) = read_names(file)? else { return Ok(()) };
    let names = read_model_names(model)?;
    let Some(expected) = (if side == Side::X { names.x } else { names.y }) else { return Ok(()) };
    match found.first_difference(&expected) {
        None => Ok(()),
        Some(column) => Err(Failure::Usage(differs(model, file, side, column, &found, &expected))),
    }
}

fn differs(model: &Path, file: &Path, side: Side, column: usize, found: &Names, expected: &Names) -> String {
    let name = |names: &Names| (column < names.len()).then(|| shortened(names.get(column)));
    let why = match is_reordered(found, expected) {
        true => "the names are the same in another order",
        false => "the names are not the same",
    };
    format!(
        "{}: column {column} (from 0) is {:?}, expected {:?} as in {side} of {}: {why}",
        file.display(),
        name(found).unwrap_or_default(),
        name(expected).unwrap_or_default(),
        model.display()
    )
}

/// Only asked when something is wrong already.
fn is_reordered(a: &Names, b: &Names) -> bool {
    let sorted = |names: &Names| {
        let mut all: Vec<String> = names.iter().map(str::to_string).collect();
        all.sort_unstable();
        all
    };
    sorted(a) == sorted(b)
}

/// Names can be of any length, a message cannot.
fn shortened(name: &str) -> String {
    const LONGEST: usize = 60;
    match name.chars().nth(LONGEST) {
        Some(_) => name.chars().take(LONGEST).chain(['…']).collect(),
        None => name.into(),
    }
}
