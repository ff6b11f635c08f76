//! The rows of two views put together: by name if both have names, without rows that miss values in either.

use crate::error::{Error, Fault, Remedy, Result};
use crate::loaded::Loaded;
use crate::names::Names;
use crate::remark::Remark;
use crate::views::take_rows;
use hashbrown::{HashMap, HashSet};
use lcca::data::Side;
use lcca::matrix::Matrix;

/// How rows find each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Align {
    /// By name if both views have names; both must have the same rows, in any order.
    #[default]
    Auto,
    /// By name; rows that only one view has are left out.
    Common,
    /// By position.
    None,
}

/// Two views with the same rows.
#[non_exhaustive]
pub struct PairedViews {
    /// X and Y, as many rows each.
    pub matrices: [Matrix; 2],
    /// The names of the rows, if X has them.
    pub row_names: Option<Names>,
    /// The number of each row in the files of X and of Y, from 0; `None` if all rows are taken in their order.
    pub rows: [Option<Vec<usize>>; 2],
    /// What a person should know about the pairing.
    pub remarks: Vec<Remark>,
}

/// Which rows are taken.
struct Picked {
    /// For each view, rows of its matrix in order; `None` takes all of both.
    rows: Option<[Vec<usize>; 2]>,
    /// How many rows are not taken because they miss values in either view.
    dropped: usize,
    remarks: Vec<Remark>,
}

/// Pairs the rows of two views.
pub fn pair_rows(views: [&Loaded; 2], align: Align) -> Result<PairedViews> {
    let names =
        if align == Align::None { [None, None] } else { [views[0].row_names()?, views[1].row_names()?] };
    let numbered = names.each_ref().map(|names| names.as_ref().is_some_and(|names| counts(names, views)));
    let mut picked = match &names {
        [Some(x), Some(y)] if numbered == [true, true] => {
            let mut picked = by_position(views)?;
            if x.first_difference(y).is_some() && x.len() == y.len() {
                picked.remarks.push(Remark::NumberedFromDifferentStarts);
            }
            picked
        }
        [Some(x), Some(y)] => by_name(views, [x, y], align)?,
        _ => {
            let mut picked = by_position(views)?;
            let side = match &names {
                [Some(_), None] => Some(Side::X),
                [None, Some(_)] => Some(Side::Y),
                _ => None,
            };
            picked.remarks.extend(side.map(|side| Remark::NamedOnOneSide { side }));
            picked
        }
    };
    if picked.dropped > 0 {
        let rows = picked.rows.as_ref().map_or(views[0].matrix.rows(), |[x, _]| x.len());
        picked.remarks.push(Remark::IncompletePairs { dropped: picked.dropped, rows });
    }
    picked.remarks.extend(shared_ids(views));
    finish(views, picked)
}

/// Whether names only count the rows in their order, from 0 or from 1, so that they say nothing about them.
fn counts(names: &Names, views: [&Loaded; 2]) -> bool {
    let complete = views.iter().all(|view| view.dropped_rows().is_empty());
    let from = |start: usize| names.iter().zip(start..).all(|(name, number)| name == number.to_string());
    complete && (from(0) || from(1))
}

/// Rows of the files in their order, without those that either view left out.
fn by_position(views: [&Loaded; 2]) -> Result<Picked> {
    let [x, y] = views.map(|view| view.matrix.rows() + view.dropped_rows().len());
    if x != y {
        let message =
            format!("has {x} rows and {} has {y}, expected as many rows in both", views[1].path().display());
        return Err(Fault::new(message).at(views[0].path()));
    }
    let dropped: HashSet<usize> = views.iter().flat_map(|view| view.dropped_rows().iter().copied()).collect();
    if dropped.is_empty() {
        return Ok(Picked { rows: None, dropped: 0, remarks: Vec::new() });
    }
    if dropped.len() == x {
        return Err(Fault::new("no row has all values in both views").at(views[0].path()));
    }
    let rows = views.map(|view| {
        let own = view.rows_in_file().into_iter().enumerate();
        own.filter(|(_, row)| !dropped.contains(row)).map(|(place, _)| place).collect()
    });
    Ok(Picked { rows: Some(rows), dropped: dropped.len(), remarks: Vec::new() })
}

fn by_name(views: [&Loaded; 2], names: [&Names; 2], align: Align) -> Result<Picked> {
    let places = [place_by_name(views[0], names[0])?, place_by_name(views[1], names[1])?];
    // A row that one view left out because it misses values is not one that the other has in addition.
    let left_out =
        views.map(|view| view.dropped_names().iter().map(String::as_str).collect::<HashSet<&str>>());
    let only = |side: usize| -> Vec<&str> {
        let is_absent =
            |name: &&str| !places[1 - side].contains_key(name) && !left_out[1 - side].contains(name);
        names[side].iter().filter(is_absent).collect()
    };
    let (only_x, only_y) = (only(0), only(1));
    if align == Align::Auto && !(only_x.is_empty() && only_y.is_empty()) {
        return Err(not_in_both(views, names, [&only_x, &only_y]));
    }
    let mut rows = [Vec::new(), Vec::new()];
    for (place, name) in names[0].iter().enumerate() {
        if let Some(&other) = places[1].get(name) {
            rows[0].push(place);
            rows[1].push(other);
        }
    }
    if rows[0].is_empty() {
        let message = format!("shares no row name with {}", views[1].path().display());
        return Err(Fault::new(message).remedied_by(Remedy::PairOtherwise).at(views[0].path()));
    }
    let is_in_both =
        |name: &&str| (0..2).all(|side| places[side].contains_key(name) || left_out[side].contains(name));
    let dropped = left_out[0].union(&left_out[1]).filter(|name| is_in_both(name)).count();
    let mut remarks = Vec::new();
    if !(only_x.is_empty() && only_y.is_empty()) {
        remarks.push(Remark::NotInBoth { x: only_x.len(), y: only_y.len(), rows: rows[0].len() });
    }
    let mut sorted = rows[1].clone();
    sorted.sort_unstable();
    let moved = rows[1].iter().zip(&sorted).filter(|(a, b)| a != b).count();
    if moved > 0 {
        remarks.push(Remark::Aligned { moved, rows: rows[0].len() });
    }
    Ok(Picked { rows: Some(rows), dropped, remarks })
}

fn place_by_name<'a>(view: &Loaded, names: &'a Names) -> Result<HashMap<&'a str, usize>> {
    let mut places = HashMap::with_capacity(names.len());
    for (place, name) in names.iter().enumerate() {
        if let Some(before) = places.insert(name, place) {
            let rows = view.rows_in_file();
            let message = format!(
                "the row name {name:?} occurs in rows {} and {}, expected each once",
                rows[before] + 1,
                rows[place] + 1
            );
            return Err(Fault::new(message).remedied_by(Remedy::PairOtherwise).at(view.path()));
        }
    }
    Ok(places)
}

fn not_in_both(views: [&Loaded; 2], names: [&Names; 2], only: [&[&str]; 2]) -> Error {
    let other = views[1].path().display();
    let some = |names: &[&str]| {
        let shown: Vec<String> = names.iter().take(3).map(|name| format!("{name:?}")).collect();
        format!("{}{}", shown.join(", "), if names.len() > 3 { ", …" } else { "" })
    };
    let mut parts = Vec::new();
    if !only[0].is_empty() {
        let (count, all) = (only[0].len(), names[0].len());
        parts.push(format!("{count} of its {all} rows are not in {other} ({})", some(only[0])));
    }
    if !only[1].is_empty() {
        let (count, all) = (only[1].len(), names[1].len());
        parts.push(format!("{count} of the {all} rows of {other} are not in it ({})", some(only[1])));
    }
    let message = format!("{}, expected the same row names in both", parts.join(", and "));
    Fault::new(message).remedied_by(Remedy::PairOtherwise).at(views[0].path())
}

/// Columns that are called like row names and are data in both views.
fn shared_ids(views: [&Loaded; 2]) -> Vec<Remark> {
    let ids = |view: &Loaded| -> Vec<String> {
        let id = |remark: &Remark| match remark {
            Remark::NumericId { column } => Some(column.clone()),
            _ => None,
        };
        view.remarks.iter().filter_map(id).collect()
    };
    let of_y: HashSet<String> = ids(views[1]).into_iter().collect();
    ids(views[0])
        .into_iter()
        .filter(|column| of_y.contains(column))
        .map(|column| Remark::NumericIdInBoth { column })
        .collect()
}

/// Takes the rows. Nothing is copied if all of them are taken in their order.
fn finish(views: [&Loaded; 2], picked: Picked) -> Result<PairedViews> {
    let Picked { rows, remarks, .. } = picked;
    let names = views[0].row_names()?;
    let Some([x, y]) = rows else {
        let matrices = views.map(|view| view.matrix.clone());
        return Ok(PairedViews { matrices, row_names: names, rows: [None, None], remarks });
    };
    let row_names = names.map(|names| Names::new(x.iter().map(|&row| names.get(row))));
    let take = |view: &Loaded, rows: Vec<usize>| -> Result<(Matrix, Option<Vec<usize>>)> {
        let all = view.dropped_rows().is_empty() && rows.iter().copied().eq(0..view.matrix.rows());
        if all {
            return Ok((view.matrix.clone(), None));
        }
        let matrix = if rows.iter().copied().eq(0..view.matrix.rows()) {
            view.matrix.clone()
        } else {
            take_rows(&view.matrix, &rows)
                .map_err(|source| Error::Data { path: view.path().to_path_buf(), source })?
        };
        let in_file = view.rows_in_file();
        Ok((matrix, Some(rows.into_iter().map(|row| in_file[row]).collect())))
    };
    let ((x, x_rows), (y, y_rows)) = (take(views[0], x)?, take(views[1], y)?);
    Ok(PairedViews { matrices: [x, y], row_names, rows: [x_rows, y_rows], remarks })
}
