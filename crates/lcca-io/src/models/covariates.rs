//! Covariates: columns whose effects are removed from both views. They are read like any matrix. Texts of a
//! table become indicators by name.
//!
//! For a fitted model the columns are picked by its names, and a category that the model has not seen is an
//! error: because all its indicators would be 0, its rows would form a group that was never measured.

use super::for_model::{ModelColumns, read_for_model};
use crate::error::{Fault, Result};
use crate::load::loaded::Loaded;
use crate::load::read::read_matrix_with;
use crate::matrix::options::ReadOptions;
use crate::words::legible::legible;
use crate::words::remark::Remark;
use std::path::Path;

/// Reads covariates of a fit or, if `model` is given, of rows for that model.
pub fn read_covariates(path: &Path, model: Option<&ModelColumns>, options: &ReadOptions) -> Result<Loaded> {
    let Some(model) = model else { return read_matrix_with(path, options) };
    let loaded = read_for_model(path, model, options)?;
    let unseen = loaded.remarks.iter().find_map(|remark| match remark {
        Remark::NewCategories { column, first, .. } => Some((column, first)),
        _ => None,
    });
    match unseen {
        None => Ok(loaded),
        Some((column, first)) => {
            let (column, first) = (legible(column, 60), legible(first, 60));
            let message = format!(
                "the covariate \"{column}\" has the category \"{first}\", which the rows that were fitted do \
                 not have"
            );
            Err(Fault::new(message).at(path))
        }
    }
}
