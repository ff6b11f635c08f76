//! Reads rows that a model can be applied to. A table's columns are picked by name; other files must have
//! the model's columns.

use super::model::ModelFile;
use crate::error::{Fault, Remedy, Result};
use crate::load::loaded::Loaded;
use crate::load::occurring::{column_numbers, columns_by_number};
use crate::load::read::{ForModel, Opened, says_its_width};
use crate::matrix::options::{Missing, ReadOptions};
use crate::parts::names::Names;
use crate::tables::table::Target;
use crate::words::legible::legible;
use crate::words::numbers::{count, grouped};
use lcca::data::Side;
use std::path::Path;

/// The columns of one view of a fitted model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ModelColumns {
    /// The number of columns.
    pub width: usize,
    /// The names of the columns, if they have any.
    pub names: Option<Names>,
    /// The means of the columns, if the model is centered.
    pub means: Option<Vec<f64>>,
    /// The view that the columns belong to, for messages; `None` if they are covariates.
    pub side: Option<Side>,
}

impl ModelColumns {
    /// The columns of a view.
    pub fn new(side: Side, width: usize, names: Option<Names>, means: Option<Vec<f64>>) -> Self {
        ModelColumns { width, names, means, side: Some(side) }
    }

    /// The covariates of a model.
    pub fn covariates(width: usize, names: Option<Names>, means: Option<Vec<f64>>) -> Self {
        ModelColumns { width, names, means, side: None }
    }

    /// The covariates of a model's file; `None` if it was fitted without any.
    pub fn covariates_of(file: &ModelFile) -> Result<Option<Self>> {
        let width = file.model.covariate_columns();
        if width == 0 {
            return Ok(None);
        }
        // The means of covariates are zeros if the model is not centered.
        let effects = file.model.x.effects.as_ref().filter(|_| file.model.x.mean.is_some());
        let means = effects.map(|effects| effects.mean.clone());
        Ok(Some(ModelColumns::covariates(width, file.names()?.covariates, means)))
    }

    /// The columns of a view of a model's file.
    pub fn of(file: &ModelFile, side: Side) -> Result<Self> {
        let view = file.model.view(side);
        let names = file.names()?;
        let names = if side == Side::X { names.x } else { names.y };
        Ok(ModelColumns::new(side, view.weights.rows(), names, view.mean.clone()))
    }
}

/// Reads rows of one view of a model.
///
/// The columns of a table with names are picked by name: columns that the model does not have are left out
/// with a remark, and columns that it lacks are an error. Categories become the model's indicator columns.
/// Missing values become the model's means if means are to be filled in. Files of other formats must have the
/// model's columns in its order.
pub fn read_for_model(path: &Path, model: &ModelColumns, options: &ReadOptions) -> Result<Loaded> {
    let mut options = options.clone();
    let numbers = model.names.as_ref().and_then(column_numbers);
    // A file that does not state its width has the model's, unless the model knows its columns by number.
    options.cols = (numbers.is_none() && !says_its_width(path)).then_some(model.width);
    if options.table.missing == Missing::Mean && model.means.is_none() {
        let message = "missing values cannot become the model's means: it was fitted without centering";
        return Err(Fault::new(message).at(path));
    }
    let target = model.names.clone().map(Target::new);
    let for_model = ForModel { target: target.as_ref(), means: model.means.as_deref() };
    let loaded = Opened::open_with(path, &options).and_then(|opened| opened.read(path, &options, for_model));
    let loaded = loaded.map_err(|fault| fault.at(path))?;
    if let (Some(numbers), Some(names), None) = (numbers, &model.names, loaded.names()?)
        && loaded.matrix.cols() != model.width
    {
        let picked = columns_by_number(&loaded.matrix, &numbers, path)?;
        return loaded.with_columns(picked, names.clone());
    }
    check(&loaded, model)?;
    Ok(loaded)
}

fn check(loaded: &Loaded, model: &ModelColumns) -> Result<()> {
    let (cols, expected) = (loaded.matrix.cols(), model.width);
    let side = model.side.map_or_else(|| "the covariates".to_string(), |side| side.to_string());
    let refused = |message: String| Err(Fault::new(message).at(loaded.path()));
    if cols != expected {
        let (found, wanted) = (count(cols as u64, "column"), grouped(expected as u64));
        let fault = Fault::new(format!("has {found}, expected {wanted}, the width of {side} in the model"));
        // If a table without names has one column more or less, it may be the one that names the rows.
        let is_index = loaded.is_table() && cols.abs_diff(expected) == 1;
        let fault = if is_index { fault.remedied_by(Remedy::SayIndex) } else { fault };
        return Err(fault.at(loaded.path()));
    }
    let (Some(names), Some(own)) = (loaded.names()?, &model.names) else { return Ok(()) };
    let Some(column) = names.first_difference(own) else { return Ok(()) };
    let difference = if is_reordered(&names, own) {
        "the names are the same in another order"
    } else {
        "the names are not the same"
    };
    let (found, wanted) = (shown(&names, column), shown(own, column));
    refused(format!(
        "column {column} (from 0) is \"{found}\", expected \"{wanted}\" as in {side} of the model: \
         {difference}"
    ))
}

/// Whether two lists have the same names. Called only once a difference is known, because it sorts both.
fn is_reordered(a: &Names, b: &Names) -> bool {
    let sorted = |names: &Names| {
        let mut names: Vec<String> = names.iter().map(str::to_string).collect();
        names.sort_unstable();
        names
    };
    sorted(a) == sorted(b)
}

/// The name of a column as a message shows it; empty if there is no such column.
fn shown(names: &Names, column: usize) -> String {
    const LONGEST: usize = 60;
    legible(if column < names.len() { names.get(column) } else { "" }, LONGEST)
}
