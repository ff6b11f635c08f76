//! Covariates: columns that are taken out of both views, read like any matrix. Texts of a table become
//! indicators by name.
//!
//! For a fitted model the columns are picked by its names, and a category that it has not seen is an error:
//! all its indicators would be 0, which is a group that nobody has measured.

use crate::error::{Fault, Result};
use crate::for_model::{ModelColumns, read_for_model};
use crate::legible::legible;
use crate::loaded::Loaded;
use crate::options::ReadOptions;
use crate::read::read_matrix_with;
use crate::remark::Remark;
use std::path::Path;

/// Reads covariates: those of a fit, or of rows for a model that has the given columns.
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
                "the covariate \"{column}\" has the category \"{first}\", which the rows that were fitted do not have"
            );
            Err(Fault::new(message).at(path))
        }
    }
}
