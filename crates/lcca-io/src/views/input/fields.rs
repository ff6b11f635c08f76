//! Finds the wanted fields of a line, by name or by number.

use crate::error::{Fault, Outcome};

/// The place of the field of each of the three texts. `header` has the names of the columns, if they have
/// any.
pub(super) fn picked(
    columns: &[Option<String>; 3],
    header: Option<&[String]>,
    fields: usize,
) -> Outcome<[Option<usize>; 3]> {
    let mut picked = [None; 3];
    for (place, column) in picked.iter_mut().zip(columns) {
        *place = column.as_deref().map(|column| pick(column, header, fields)).transpose()?;
    }
    Ok(picked)
}

fn pick(column: &str, header: Option<&[String]>, fields: usize) -> Outcome<usize> {
    let by_name = header.and_then(|names| names.iter().position(|name| name == column));
    let by_number = || column.parse::<usize>().ok().filter(|number| (1..=fields).contains(number));
    by_name.or_else(|| by_number().map(|number| number - 1)).ok_or_else(|| missing(column, header, fields))
}

fn missing(column: &str, header: Option<&[String]>, fields: usize) -> Fault {
    const SHOWN: usize = 10;
    let expected = match header {
        None => format!("a number from 1 to {fields}"),
        Some(names) => {
            let shown: Vec<String> = names.iter().take(SHOWN).map(|name| format!("{name:?}")).collect();
            let more = if names.len() > SHOWN { ", …" } else { "" };
            format!("one of {}{more} or a number from 1 to {fields}", shown.join(", "))
        }
    };
    Fault::line(1, format!("there is no column {column:?}, expected {expected}"))
}

pub(super) fn ragged(line: u64, fields: usize, expected: usize) -> Fault {
    let plural = if fields == 1 { "" } else { "s" };
    Fault::line(line, format!("has {fields} field{plural}, expected {expected} as in the first line"))
}
