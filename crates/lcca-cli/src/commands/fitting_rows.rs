//! Rows that a model can be applied to.
//!
//! A table's columns are picked by name, and its categories become the model's. Files of other formats must
//! be as wide as the model's view, with the same names if both have names. The rows are normalized like
//! those of the fit.

use crate::failure::Failure;
use crate::load::{self, RowData, RowFiles, Views};
use crate::resolve::{TypedReading, check_normalization};
use lcca::data::Side;
use lcca_io::{Loaded, ModelColumns, ModelFile, ReadOptions};
use std::path::Path;

/// Reads rows of one view.
pub fn read_rows(
    file: &ModelFile,
    path: &Path,
    side: Side,
    options: &ReadOptions,
    quiet: bool,
) -> Result<Loaded, Failure> {
    let normalize = file.model.settings.normalization()[side as usize];
    check_normalization(normalize, options)?;
    let mut loaded = load::rows_for_model(path, &ModelColumns::of(file, side)?, options, quiet)?;
    loaded.matrix = normalize.apply(side, &loaded.matrix).map_err(|error| Failure::in_file(path, error))?;
    Ok(loaded)
}

/// Reads the covariates that a model needs. Fails if they are missing, or if the model has none.
pub fn read_covariates(
    file: &ModelFile,
    path: Option<&Path>,
    options: &ReadOptions,
    quiet: bool,
) -> Result<Option<Loaded>, Failure> {
    match (ModelColumns::covariates_of(file)?, path) {
        (None, None) => Ok(None),
        (Some(columns), Some(path)) => Ok(Some(load::covariates(path, Some(&columns), options, quiet)?)),
        (Some(columns), None) => Err(lcca::Error::CovariatesNeeded { columns: columns.width }.into()),
        (None, Some(path)) => Err(Failure::in_file(path, lcca::Error::CovariatesUnknown)),
    }
}

/// Reads rows of both views, with the options that the model remembers and those of the command line, and
/// their covariates, and pairs them.
pub fn read_pair(
    file: &ModelFile,
    paths: [&Path; 2],
    files: RowFiles<'_>,
    reading: &TypedReading,
    quiet: bool,
) -> Result<Views, Failure> {
    let reading = reading.over(&file.reading()?);
    let x = read_rows(file, paths[0], Side::X, &reading.options[0], quiet)?;
    let y = read_rows(file, paths[1], Side::Y, &reading.options[1], quiet)?;
    let options = &reading.covariates;
    let covariates = read_covariates(file, files.covariates, options, quiet)?;
    let weights = files.weights.map(|path| load::matrix(path, options, quiet)).transpose()?;
    load::paired([x, y], RowData { covariates, weights }, reading.align, quiet)
}
