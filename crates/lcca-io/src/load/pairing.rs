//! Pairs the rows of two files by the matching rule, without rows that miss values in either.

use super::loaded::Loaded;
use crate::error::{Error, Fault, Result};
use crate::parts::names::Names;
use crate::tables::matching::{Align, Labeled, Matched, choose_ids, match_rows};
use crate::views::take_rows;
use crate::words::remark::Remark;
use lcca::matrix::Matrix;

/// Two views with the same rows.
#[non_exhaustive]
pub struct PairedViews {
    /// X and Y, with equal numbers of rows.
    pub matrices: [Matrix; 2],
    /// The names of the rows, if X has them.
    pub row_names: Option<Names>,
    /// The number of each row in the files of X and of Y, from 0; `None` if all rows are taken in their
    /// order.
    pub rows: [Option<Vec<usize>>; 2],
    /// Remarks for a person about the pairing.
    pub remarks: Vec<Remark>,
}

/// Pairs the rows of two views.
pub fn pair_rows(views: [&Loaded; 2], align: Align) -> Result<PairedViews> {
    pair_rows_with(views, &[], align)
}

/// Pairs rows as [`pair_rows`] does, without rows for which an attached table misses values.
pub fn pair_rows_with(views: [&Loaded; 2], attached: &[&Attached], align: Align) -> Result<PairedViews> {
    let labels = [views[0].labels()?, views[1].labels()?];
    let labeled = [views[0].labeled("X", &labels[0]), views[1].labeled("Y", &labels[1])];
    let Matched { rows, mut remarks } = match_rows(labeled, align)?;
    let complete = complete(views, attached, rows)?;
    if complete.dropped > 0 {
        let rows = complete.rows.as_ref().map_or(views[0].matrix.rows(), |[x, _]| x.len());
        remarks.push(Remark::IncompletePairs { dropped: complete.dropped, rows });
    }
    finish(views, complete.rows, remarks)
}

/// Names the rows of both views by columns of them, if these name the rows. Such columns are then no longer
/// data.
pub fn name_rows(views: [Loaded; 2], called: [&str; 2], align: Align) -> Result<([Loaded; 2], Vec<Remark>)> {
    let [x_labels, y_labels] = [views[0].labels()?, views[1].labels()?];
    let labeled = [views[0].labeled(called[0], &x_labels), views[1].labeled(called[1], &y_labels)];
    let chosen = choose_ids(labeled, [views[0].ids(), views[1].ids()], align)?;
    let [x, y] = views;
    let (mut named, mut remarks) = (Vec::with_capacity(2), Vec::new());
    for ((view, id), called) in [x, y].into_iter().zip(chosen).zip(called) {
        named.push(match id {
            Some(id) => {
                remarks
                    .push(Remark::NamedByColumn { of: called.into(), column: view.ids()[id].name.clone() });
                view.named_by(id)?
            }
            None => view,
        });
    }
    let [x, y] = <[Loaded; 2]>::try_from(named).unwrap_or_else(|_| unreachable!("two views stay two"));
    Ok(([x, y], remarks))
}

/// A table that is attached to the rows of a view, such as weights or covariates. It has all of these rows,
/// and may have others.
pub struct Attached {
    /// The table, without a column that names the rows.
    pub loaded: Loaded,
    /// Remarks for a person about how its rows were found.
    pub remarks: Vec<Remark>,
    /// For each row of the view's file its row in this file; `None` if the rows are the same, in the same
    /// order.
    rows: Option<Vec<usize>>,
    /// The place of each row of this file in the matrix; `None` if no row was left out.
    places: Option<Vec<Option<usize>>>,
}

impl Attached {
    /// Finds the rows that belong to those of a view: by name if both have names, or if a column of the
    /// attached table holds the names that the view has.
    pub fn new(view: &Loaded, loaded: Loaded, called: &str, align: Align) -> Result<Self> {
        let (loaded, mut remarks) = named_like(view, loaded, called, align)?;
        let labels = [view.labels()?, loaded.labels()?];
        let own = Labeled { may_have_more: true, ..loaded.labeled(called, &labels[1]) };
        let matched = match_rows([view.labeled("X", &labels[0]), own], align)?;
        let is_said = |remark: &Remark| matches!(remark, Remark::Aligned { .. } | Remark::NotInX { .. });
        // The other remarks are about two views.
        remarks.extend(matched.remarks.into_iter().filter(is_said));
        let places = (!loaded.dropped_rows().is_empty()).then(|| loaded.places_in_matrix());
        let rows = matched.rows.map(|[_, own]| own);
        Ok(Attached { loaded, remarks, rows, places })
    }

    /// The attached rows of these rows of the view's file, each of which has all values here; `None` stands
    /// for all rows.
    pub fn matrix(&self, rows: Option<&[usize]>) -> Result<Matrix> {
        let all = self.rows.as_ref().map_or(self.loaded.rows_of_file(), Vec::len);
        let place = |row: usize| self.place(row);
        let wanted: Vec<usize> = match rows {
            Some(rows) => rows.iter().filter_map(|&row| place(row)).collect(),
            None => (0..all).filter_map(place).collect(),
        };
        if wanted.iter().copied().eq(0..self.loaded.matrix.rows()) {
            return Ok(self.loaded.matrix.clone());
        }
        let data = |source| Error::Data { path: self.loaded.path().to_path_buf(), source };
        take_rows(&self.loaded.matrix, &wanted).map_err(data)
    }

    /// The place in the matrix of the row attached to a row of the view's file; `None` if it misses values.
    pub fn place(&self, row: usize) -> Option<usize> {
        let row = self.rows.as_ref().map_or(row, |rows| rows[row]);
        self.places.as_ref().map_or(Some(row), |places| places[row])
    }

    fn is_complete(&self) -> bool {
        self.places.is_none()
    }
}

/// Names the rows of an attached table by a column that holds the names of the rows of a view, if there is
/// one.
fn named_like(view: &Loaded, own: Loaded, called: &str, align: Align) -> Result<(Loaded, Vec<Remark>)> {
    let labels = [view.labels()?, own.labels()?];
    let beside = Labeled { may_have_more: true, ..own.labeled(called, &labels[1]) };
    match choose_ids([view.labeled("X", &labels[0]), beside], [view.ids(), own.ids()], align)?[1] {
        None => Ok((own, Vec::new())),
        Some(id) => {
            let remark = Remark::NamedByColumn { of: called.into(), column: own.ids()[id].name.clone() };
            Ok((own.named_by(id)?, vec![remark]))
        }
    }
}

/// The pairs of rows that have all values.
struct Complete {
    /// For each view, rows of its matrix in order; `None` takes all of both.
    rows: Option<[Vec<usize>; 2]>,
    /// The number of pairs that are dropped because they miss values.
    dropped: usize,
}

/// Drops the pairs of which either row, or a row attached to it, was left out. The rows of the other pairs
/// are numbered as in the matrices.
fn complete(views: [&Loaded; 2], attached: &[&Attached], rows: Option<[Vec<usize>; 2]>) -> Result<Complete> {
    let is_complete = attached.iter().all(|attached| attached.is_complete());
    if is_complete && views.iter().all(|view| view.dropped_rows().is_empty()) {
        return Ok(Complete { rows, dropped: 0 });
    }
    let all = views[0].rows_of_file();
    let [x, y] = rows.unwrap_or_else(|| [(0..all).collect(), (0..all).collect()]);
    let places = views.map(Loaded::places_in_matrix);
    let mut taken = [Vec::with_capacity(x.len()), Vec::with_capacity(x.len())];
    for (&x, &y) in x.iter().zip(&y) {
        if attached.iter().any(|attached| attached.place(x).is_none()) {
            continue;
        }
        if let (Some(x), Some(y)) = (places[0][x], places[1][y]) {
            taken[0].push(x);
            taken[1].push(y);
        }
    }
    if taken[0].is_empty() {
        return Err(Fault::new("no row has all values in both views").at(views[0].path()));
    }
    let dropped = x.len() - taken[0].len();
    Ok(Complete { rows: Some(taken), dropped })
}

/// Takes the rows. If all of them are taken in their order, they are not copied.
fn finish(views: [&Loaded; 2], rows: Option<[Vec<usize>; 2]>, remarks: Vec<Remark>) -> Result<PairedViews> {
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
