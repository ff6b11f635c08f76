//! The names of rows, and which rows belong together: one rule, that of `lcca_io`, for tables in memory and
//! files.

use crate::failure::Failure;
use crate::matrix::Matrix;
use crate::run::compute;
use lcca::data::Side;
use lcca_io::{Align, IdColumn, Labeled, Names, Remark, choose_ids, wording};
use numpy::PyArray1;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// What the rows of a table or a file are called.
#[pyclass(frozen, module = "lcca._lcca")]
pub struct RowLabels(Arc<Labels>);

struct Labels {
    path: PathBuf,
    called: String,
    rows: usize,
    labels: lcca_io::RowLabels,
    ids: Vec<IdColumn>,
    may_have_more: bool,
    /// Whether the rows are those of a file, which could have had names.
    in_file: bool,
}

#[pymethods]
impl RowLabels {
    /// The labels of a table in memory: names, or nothing but a count, or nothing. `ids` are columns that may
    /// name the rows.
    #[new]
    fn new(
        called: String,
        rows: usize,
        names: Option<Vec<String>>,
        counting: bool,
        ids: Vec<(String, Vec<String>)>,
        may_have_more: bool,
    ) -> Self {
        let labels = match names {
            Some(names) => lcca_io::RowLabels::Named(Names::new(names)),
            None if counting => lcca_io::RowLabels::Counting,
            None => lcca_io::RowLabels::Absent,
        };
        let id = |(name, numbers): (String, Vec<String>)| IdColumn { name, numbers: Names::new(numbers) };
        let ids = ids.into_iter().map(id).collect();
        let path = (&called).into();
        RowLabels(Arc::new(Labels { path, called, rows, labels, ids, may_have_more, in_file: false }))
    }

    /// Whether rows have places only.
    #[getter]
    fn is_absent(&self) -> bool {
        matches!(self.0.labels, lcca_io::RowLabels::Absent)
    }

    /// Whether there are columns that may name the rows.
    #[getter]
    fn has_ids(&self) -> bool {
        !self.0.ids.is_empty()
    }

    /// The labels of all rows of a file, those that it left out included.
    #[staticmethod]
    fn of_file(called: String, matrix: &Bound<'_, Matrix>, may_have_more: bool) -> PyResult<Self> {
        let matrix = matrix.get();
        let Some(file) = matrix.file() else {
            let rows = matrix.rows.rows();
            return Ok(RowLabels::new(called, rows, None, false, Vec::new(), may_have_more));
        };
        let labels = file.labels().map_err(Failure::from)?;
        let (path, rows, ids) = (file.path().into(), file.rows_of_file(), file.ids().to_vec());
        Ok(RowLabels(Arc::new(Labels { path, called, rows, labels, ids, may_have_more, in_file: true })))
    }
}

impl Labels {
    fn labeled(&self) -> Labeled<'_> {
        let Labels { path, called, rows, labels, may_have_more, .. } = self;
        Labeled { path, called, rows: *rows, labels, may_have_more: *may_have_more }
    }

    /// These rows, named by a column.
    fn named_by(&self, id: usize) -> Self {
        Labels {
            path: self.path.clone(),
            called: self.called.clone(),
            rows: self.rows,
            labels: lcca_io::RowLabels::Named(self.ids[id].numbers.clone()),
            ids: Vec::new(),
            may_have_more: self.may_have_more,
            in_file: self.in_file,
        }
    }
}

type Numbers<'py> = Bound<'py, PyArray1<i64>>;
/// The columns that name the rows of each table; the rows that belong together, unless all match in their
/// order; and remarks.
type Matched<'py> = ([Option<usize>; 2], Option<(Numbers<'py>, Numbers<'py>)>, Vec<String>);

/// Which rows of two tables belong together.
#[pyfunction]
pub fn match_rows<'py>(
    py: Python<'py>,
    x: &Bound<'py, RowLabels>,
    y: &Bound<'py, RowLabels>,
    align: &str,
) -> PyResult<Matched<'py>> {
    let align = match align {
        "auto" => Align::Auto,
        "common" => Align::Common,
        "none" => Align::None,
        other => {
            let message = format!("align == {other:?}, expected \"auto\", \"common\" or \"none\"");
            return Err(Failure::Usage(message).into());
        }
    };
    let (x, y) = (x.get().0.clone(), y.get().0.clone());
    // An array has no names, and the caller knows that, so we do not say that only the other table has
    // some.
    let unsaid = |side: Side| !if side == Side::X { y.in_file } else { x.in_file };
    let unsaid = Side::BOTH.map(unsaid);
    let (ids, mut remarks, matched) = compute(py, 1, move || {
        let ids = choose_ids([x.labeled(), y.labeled()], [&x.ids, &y.ids], align)?;
        let named = |table: &Labels, id: usize| Remark::NamedByColumn {
            of: table.called.clone(),
            column: table.ids[id].name.clone(),
        };
        let named =
            [(&x, ids[0]), (&y, ids[1])].into_iter().filter_map(|(table, id)| Some(named(table, id?)));
        let remarks: Vec<Remark> = named.collect();
        let x = ids[0].map_or(x.clone(), |id| Arc::new(x.named_by(id)));
        let y = ids[1].map_or(y.clone(), |id| Arc::new(y.named_by(id)));
        Ok((ids, remarks, lcca_io::match_rows([x.labeled(), y.labeled()], align)?))
    })?;
    let numbers = |rows: Vec<usize>| PyArray1::from_iter(py, rows.into_iter().map(|row| row as i64));
    let rows = matched.rows.map(|[x, y]| (numbers(x), numbers(y)));
    let is_said =
        |remark: &Remark| !matches!(remark, Remark::NamedOnOneSide { side } if unsaid[*side as usize]);
    remarks.extend(matched.remarks.into_iter().filter(is_said));
    Ok((ids, rows, remarks.iter().map(wording::remark).collect()))
}

/// Whether a column is called like one that names the rows.
#[pyfunction]
pub fn is_called_like_id(name: &str) -> bool {
    lcca_io::is_called_like_id(name)
}
