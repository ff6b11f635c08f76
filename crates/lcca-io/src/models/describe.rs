//! Describes a file, for a person or a script.

use super::checkpoint;
use super::model::{ModelFile, ModelNames};
use crate::error::{Outcome, Result};
use crate::input::format::Format;
use crate::load::loaded::Loaded;
use crate::load::read::{ForModel, Opened};
use crate::matrix::options::ReadOptions;
use crate::parts::kind::Kind;
use crate::parts::names::Names;
use crate::parts::tensors::TensorFile;
use lcca::fit::Model;
use lcca::matrix::Panel;
use lcca::method::Settings;
use lcca::nearest::leading;
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::Path;

/// The number of columns that are named for each pair of a model.
const TOP: usize = 3;

/// The contents of a file.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Info {
    /// A matrix.
    Matrix(MatrixInfo),
    /// A fitted model.
    Model(Box<ModelInfo>),
    /// The state of an unfinished fit.
    State(StateInfo),
}

/// The state of a fit that was stopped, in a few words.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StateInfo {
    /// Iterations so far.
    pub iterations: usize,
    /// Passes over the rows so far.
    pub passes: f64,
    /// The captured total of the last iteration, if there was one.
    pub total: Option<f64>,
    /// The estimated share of the total that was missing then, if it was estimated.
    pub missing: Option<f64>,
    /// The identity of the fit that the state belongs to, which `--resume` compares.
    pub belongs_to: Value,
    /// Whether the file has checksums, against which its numbers were checked.
    pub checksums: bool,
}

/// A matrix in a few words.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct MatrixInfo {
    /// The file's format.
    pub format: &'static str,
    /// The number of rows.
    pub rows: usize,
    /// The number of columns.
    pub cols: usize,
    /// The number of stored entries.
    pub entries: u64,
    /// The storage of the entries.
    pub storage: &'static str,
    /// The first few names of columns, if they have names.
    pub names: Option<Vec<String>>,
    /// The first few names of rows, if they have names.
    pub row_names: Option<Vec<String>>,
    /// Whether the file has checksums, against which its numbers were checked.
    pub checksums: bool,
    /// Notes for a person about the reading.
    pub notes: Vec<String>,
}

/// A model in a few words.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ModelInfo {
    /// The file's format.
    pub format: &'static str,
    /// The name of the method that made it.
    pub method: &'static str,
    /// Pairs of canonical variables.
    pub k: usize,
    /// Rows trained on.
    pub rows: u64,
    /// Columns of X.
    pub x_cols: usize,
    /// Columns of Y.
    pub y_cols: usize,
    /// Captured correlation on the training rows.
    pub total: f64,
    /// The correlation of each pair on the training rows.
    pub correlations: Vec<f64>,
    /// All settings.
    pub settings: Settings,
    /// The first few names of columns of X, if they have names.
    pub x_names: Option<Vec<String>>,
    /// The first few names of columns of Y, if they have names.
    pub y_names: Option<Vec<String>>,
    /// The columns of X and Y with the largest loadings of each pair, if columns of either view have names.
    pub top: Option<Vec<[Vec<TopColumn>; 2]>>,
    /// Whether the file has checksums, against which its numbers were checked.
    pub checksums: bool,
    /// The origin of the model, as far as its file says.
    pub provenance: Map<String, Value>,
}

/// A column with a large loading.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TopColumn {
    /// The name of the column, or its number from 0.
    pub name: String,
    /// The correlation of the column with the canonical variable.
    pub loading: f64,
}

/// Describes the contents of a file.
pub fn describe(path: &Path) -> Result<Info> {
    describe_with(path, &ReadOptions::default())
}

/// Describes a file as [`describe`] does, with options that the caller gives. The file is opened once.
pub fn describe_with(path: &Path, options: &ReadOptions) -> Result<Info> {
    let contents = Opened::open_with(path, options).and_then(|opened| contents(opened, path, options));
    match contents.map_err(|fault| fault.at(path))? {
        Contents::Matrix(loaded) => Ok(Info::Matrix(matrix_info(*loaded)?)),
        Contents::State(info) => Ok(Info::State(info)),
        Contents::Model(file) => {
            let names = file.names()?;
            Ok(Info::Model(Box::new(model_info(*file, &names))))
        }
    }
}

enum Contents {
    Matrix(Box<Loaded>),
    Model(Box<ModelFile>),
    State(StateInfo),
}

fn contents(opened: Opened, path: &Path, options: &ReadOptions) -> Outcome<Contents> {
    match opened {
        Opened::Tensors(file) if Kind::read(&file)? == Some(Kind::Model) => {
            Ok(Contents::Model(Box::new(ModelFile::new(file, path)?)))
        }
        Opened::Tensors(file) if Kind::read(&file)? == Some(Kind::Checkpoint) => {
            Ok(Contents::State(state_info(&file)?))
        }
        matrix => Ok(Contents::Matrix(Box::new(matrix.read(path, options, ForModel::default())?))),
    }
}

fn state_info(file: &TensorFile) -> Outcome<StateInfo> {
    let (state, identity) = checkpoint::read_any(file)?;
    let last = state.trace.last();
    Ok(StateInfo {
        iterations: last.map_or(0, |row| row.iteration),
        passes: state.cost.passes,
        total: last.map(|row| row.total),
        missing: last.and_then(|row| row.missing),
        belongs_to: serde_json::from_str(&identity).unwrap_or_default(),
        checksums: file.has_checksums(),
    })
}

fn matrix_info(loaded: Loaded) -> Result<MatrixInfo> {
    Ok(MatrixInfo {
        format: loaded.format,
        rows: loaded.matrix.rows(),
        cols: loaded.matrix.cols(),
        entries: loaded.matrix.entries(),
        storage: loaded.matrix.kind(),
        names: first_few(loaded.names()?.as_ref()),
        row_names: first_few(loaded.row_names()?.as_ref()),
        checksums: loaded.has_checksums(),
        notes: loaded.notes,
    })
}

fn first_few(names: Option<&Names>) -> Option<Vec<String>> {
    const FEW: usize = 8;
    names.map(|names| names.iter().take(FEW).map(str::to_string).collect())
}

/// The columns with the largest loadings. Weights would mislead, because those of rare columns can be large
/// and mean little.
fn top(model: &Model, names: &ModelNames) -> Option<Vec<[Vec<TopColumn>; 2]>> {
    if names.x.is_none() && names.y.is_none() {
        return None;
    }
    let pairs = (0..model.pairs()).map(|pair| {
        [
            leading_columns(&model.x.loadings, names.x.as_ref(), pair),
            leading_columns(&model.y.loadings, names.y.as_ref(), pair),
        ]
    });
    Some(pairs.collect())
}

fn leading_columns(loadings: &Panel, names: Option<&Names>, pair: usize) -> Vec<TopColumn> {
    let columns = leading(loadings, pair, TOP).into_iter();
    columns
        .map(|column| TopColumn {
            name: names.map_or_else(|| column.row.to_string(), |names| names.get(column.row).to_string()),
            loading: column.score,
        })
        .collect()
}

fn model_info(file: ModelFile, names: &ModelNames) -> ModelInfo {
    let checksums = file.has_checksums();
    let ModelFile { model, provenance, .. } = file;
    ModelInfo {
        format: Format::Store.name(),
        method: model.settings.method.name(),
        k: model.correlations.len(),
        rows: model.rows,
        x_cols: model.x.weights.rows(),
        y_cols: model.y.weights.rows(),
        top: top(&model, names),
        total: model.total,
        correlations: model.correlations,
        settings: model.settings,
        x_names: first_few(names.x.as_ref()),
        y_names: first_few(names.y.as_ref()),
        checksums,
        provenance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::source::opens;

    #[test]
    fn a_file_is_opened_once_to_be_described() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("m.csv");
        std::fs::write(&path, "a,b\n1,2\n").unwrap();
        let (opens, info) = opens::during(|| describe(&path).unwrap());
        let Info::Matrix(info) = info else { panic!("not a matrix") };
        assert_eq!((opens, info.names), (1, Some(vec!["a".into(), "b".into()])));
    }
}
