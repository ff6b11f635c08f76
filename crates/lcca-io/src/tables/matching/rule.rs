//! The rule by which rows are matched. Every route follows it: files, frames, covariates, weights, shards.
//!
//! Rows with equal names are matched, in any order. Because names that only count the rows say nothing, two
//! tables that both count are paired by position, and so is a table that has no names. If one side counts
//! and the other has other names, rows could be paired by place or by name, and the caller has to decide.

use super::labels::RowLabels;
use crate::error::{Error, Fault, Remedy, Result};
use crate::parts::names::Names;
use crate::words::numbers::grouped;
use crate::words::remark::Remark;
use hashbrown::HashMap;
use lcca::data::Side;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// How rows are matched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Align {
    /// By name if both have names; both must have the same rows, in any order.
    #[default]
    Auto,
    /// By name; rows that only one of both has are left out.
    Common,
    /// By position.
    None,
}

/// The rows of a table that are to be matched, with their name in messages.
#[derive(Clone, Copy, Debug)]
pub struct Labeled<'a> {
    /// The file, or the name of an argument.
    pub path: &'a Path,
    /// The name of the rows in remarks: X, Y, the covariates.
    pub called: &'a str,
    /// The number of rows.
    pub rows: usize,
    /// The label of each row.
    pub labels: &'a RowLabels,
    /// Whether this table is attached to the rows of the other one, such as weights and covariates: it must
    /// have all of these rows, and may have more.
    pub may_have_more: bool,
}

/// Which rows belong together.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Matched {
    /// The rows of the first table, ascending, and the row of the second that belongs to each; `None` if
    /// the rows of both belong together as they are.
    pub rows: Option<[Vec<usize>; 2]>,
    /// Remarks for a person about the matching.
    pub remarks: Vec<Remark>,
}

/// Finds the rows that belong together.
pub fn match_rows(tables: [Labeled<'_>; 2], align: Align) -> Result<Matched> {
    let [x, y] = tables;
    let (Some(x_names), Some(y_names)) = (x.labels.names(x.rows), y.labels.names(y.rows)) else {
        let mut matched = by_position(tables)?;
        if align != Align::None {
            matched.remarks.extend(named_on_one_side(tables));
        }
        return Ok(matched);
    };
    if align == Align::None || is_same(tables, [&x_names, &y_names]) {
        return by_position(tables);
    }
    let counting = [x, y].map(|table| table.labels.count_from());
    match counting {
        [Some(_), Some(_)] if x.rows == y.rows => {
            let mut matched = by_position(tables)?;
            matched.remarks.push(Remark::NumberedFromDifferentStarts);
            Ok(matched)
        }
        [Some(_), Some(_)] if align == Align::Auto => by_position(tables),
        _ => by_name(tables, [&x_names, &y_names], counting, align),
    }
}

/// Whether both tables have the same names in the same order. If so, names may occur twice.
fn is_same([x, y]: [Labeled<'_>; 2], [x_names, y_names]: [&Names; 2]) -> bool {
    let both_count = matches!((x.labels, y.labels), (RowLabels::Counting, RowLabels::Counting));
    x.rows == y.rows && (both_count || x_names == y_names)
}

fn by_position([x, y]: [Labeled<'_>; 2]) -> Result<Matched> {
    if x.rows != y.rows {
        let (rows, other, found) = (grouped(x.rows as u64), y.path.display(), grouped(y.rows as u64));
        let message = format!("has {rows} rows and {other} has {found}, expected as many rows in both");
        return Err(Fault::new(message).at(x.path));
    }
    Ok(Matched::default())
}

/// The remark that only one side has names. Names that count get no remark, because they say nothing about
/// the rows.
fn named_on_one_side([x, y]: [Labeled<'_>; 2]) -> Option<Remark> {
    let is_named = |table: Labeled<'_>| {
        matches!(table.labels, RowLabels::Named(_)) && table.labels.count_from().is_none()
    };
    match (is_named(x), is_named(y)) {
        (true, _) => Some(Remark::NamedOnOneSide { side: Side::X }),
        (_, true) => Some(Remark::NamedOnOneSide { side: Side::Y }),
        _ => None,
    }
}

fn by_name(
    tables: [Labeled<'_>; 2],
    names: [&Names; 2],
    counting: [Option<usize>; 2],
    align: Align,
) -> Result<Matched> {
    let [x, y] = tables;
    let places = [places(tables, names, 0)?, places(tables, names, 1)?];
    let only = |side: usize| -> Vec<&str> {
        names[side].iter().filter(|name| !places[1 - side].contains_key(name)).collect()
    };
    let mut only = [only(0), only(1)];
    let mut remarks = Vec::new();
    for side in 0..2 {
        let spare = if tables[side].may_have_more { std::mem::take(&mut only[side]).len() } else { 0 };
        if spare > 0 {
            remarks.push(Remark::NotInX { of: tables[side].called.into(), rows: spare });
        }
    }
    let differ = only.iter().any(|only| !only.is_empty());
    let must_be_same = align == Align::Auto || tables.iter().any(|table| table.may_have_more);
    if must_be_same && differ {
        let one_counts = counting[0].is_some() != counting[1].is_some();
        return Err(if one_counts && x.rows == y.rows {
            counted_on_one_side(tables, names, counting)
        } else if y.may_have_more {
            lacking(tables, names[0], &only[0])
        } else {
            not_in_both(tables, names, only.each_ref().map(Vec::as_slice))
        });
    }
    let mut rows = [Vec::with_capacity(x.rows), Vec::with_capacity(x.rows)];
    for (place, name) in names[0].iter().enumerate() {
        if let Some(&other) = places[1].get(name) {
            rows[0].push(place);
            rows[1].push(other);
        }
    }
    if rows[0].is_empty() {
        let message = format!("shares no row name with {}", y.path.display());
        return Err(Fault::new(message).remedied_by(Remedy::PairByPosition).at(x.path));
    }
    if differ {
        remarks.push(Remark::NotInBoth { x: only[0].len(), y: only[1].len(), rows: rows[0].len() });
    }
    let mut sorted = rows[1].clone();
    sorted.sort_unstable();
    let moved = rows[1].iter().zip(&sorted).filter(|(a, b)| a != b).count();
    if moved > 0 {
        remarks.push(Remark::Aligned { of: y.called.into(), moved, rows: rows[0].len() });
    }
    Ok(Matched { rows: Some(rows), remarks })
}

fn places<'a>(
    tables: [Labeled<'_>; 2],
    names: [&'a Names; 2],
    side: usize,
) -> Result<HashMap<&'a str, usize>> {
    let mut places = HashMap::with_capacity(names[side].len());
    for (place, name) in names[side].iter().enumerate() {
        if let Some(before) = places.insert(name, place) {
            let (first, second) = (before + 1, place + 1);
            let message =
                format!("the row name {name:?} occurs in rows {first} and {second}, expected each once");
            let fault = Fault::new(message);
            // Keeping other rows would not help, because two rows have this name; only their places tell
            // them apart.
            let same_length = tables[0].rows == tables[1].rows;
            let fault = if same_length { fault.remedied_by(Remedy::PairByPosition) } else { fault };
            return Err(fault.at(tables[side].path));
        }
    }
    Ok(places)
}

/// Refuses two tables if the rows of one are numbered, and the names of the other are not these numbers.
fn counted_on_one_side(tables: [Labeled<'_>; 2], names: [&Names; 2], counting: [Option<usize>; 2]) -> Error {
    let counted = usize::from(counting[0].is_none());
    let start = counting[counted].unwrap_or_default();
    let (numbered, named) = (tables[counted], tables[1 - counted]);
    let (next, after, example) = (start + 1, start + 2, names[1 - counted].get(0));
    let message = format!(
        "its rows are numbered {start}, {next}, {after}, …, and those of {} have other names ({example:?}, \
         …), so rows \
         belong together by place or by name: say which",
        named.path.display(),
    );
    Fault::new(message).remedied_by(Remedy::PairOtherwise).at(numbered.path)
}

fn not_in_both(tables: [Labeled<'_>; 2], names: [&Names; 2], only: [&[&str]; 2]) -> Error {
    let other = tables[1].path.display();
    let number = |number: usize| grouped(number as u64);
    let mut parts = Vec::new();
    if !only[0].is_empty() {
        let (count, all) = (number(only[0].len()), number(names[0].len()));
        parts.push(format!("{count} of its {all} rows are not in {other} ({})", some(only[0])));
    }
    if !only[1].is_empty() {
        let (count, all) = (number(only[1].len()), number(names[1].len()));
        parts.push(format!("{count} of the {all} rows of {other} are not in it ({})", some(only[1])));
    }
    let message = format!("{}, expected the same row names in both", parts.join(", and "));
    Fault::new(message).remedied_by(Remedy::PairOtherwise).at(tables[0].path)
}

/// Refuses an attached table that lacks some of the rows of X.
fn lacking(tables: [Labeled<'_>; 2], names: &Names, lacking: &[&str]) -> Error {
    let [x, other] = tables;
    let (count, all) = (grouped(lacking.len() as u64), grouped(names.len() as u64));
    let message =
        format!("{count} of the {all} rows of X are not in it ({}), expected one for each", some(lacking));
    let fault = Fault::new(message);
    let same_length = x.rows == other.rows;
    let fault = if same_length { fault.remedied_by(Remedy::PairByPosition) } else { fault };
    fault.at(other.path)
}

/// The first few of some names.
pub(super) fn some(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(3).map(|name| format!("{name:?}")).collect();
    format!("{}{}", shown.join(", "), if names.len() > 3 { ", …" } else { "" })
}
