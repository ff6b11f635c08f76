//! What a file holds, for a person or a script.

use crate::error::{Outcome, Result};
use crate::format::{self, Format};
use crate::tensors::TensorFile;
use crate::{ModelNames, Names, ReadOptions, model, read_matrix_with, read_names, source};
use lcca::fit::Model;
use lcca::matrix::Panel;
use lcca::method::Settings;
use lcca::nearest::leading;
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::Path;

/// Columns named for each pair of a model.
const TOP: usize = 3;

/// What a file holds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Info {
    /// A matrix.
    Matrix(MatrixInfo),
    /// A fitted model.
    Model(Box<ModelInfo>),
}

/// A matrix in a few words.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatrixInfo {
    /// The file's format.
    pub format: &'static str,
    /// How many rows.
    pub rows: usize,
    /// How many columns.
    pub cols: usize,
    /// How many entries are stored.
    pub entries: u64,
    /// What the entries are stored as.
    pub storage: &'static str,
    /// The first few names of columns, where they have names.
    pub names: Option<Vec<String>>,
    /// What reading it had to do.
    pub notes: Vec<String>,
}

/// A model in a few words.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// The first few names of columns of X, where they have names.
    pub x_names: Option<Vec<String>>,
    /// The same of Y.
    pub y_names: Option<Vec<String>>,
    /// The columns of X and Y that stand out most in each pair, where any have names.
    pub top: Option<Vec<[Vec<TopColumn>; 2]>>,
    /// Where it came from, as far as it was told.
    pub provenance: Map<String, Value>,
}

/// A column that stands out.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TopColumn {
    /// Its name, or its number from 0.
    pub name: String,
    /// Its correlation with the canonical variable.
    pub loading: f64,
}

/// Says what a file holds.
pub fn describe(path: &Path) -> Result<Info> {
    describe_with(path, &ReadOptions::default())
}

/// As [`describe`], with what the caller knows.
pub fn describe_with(path: &Path, options: &ReadOptions) -> Result<Info> {
    if let Some(info) = as_model(path).map_err(|fault| fault.at(path))? {
        return Ok(Info::Model(Box::new(info)));
    }
    let loaded = read_matrix_with(path, options)?;
    let names = read_names(path)?;
    Ok(Info::Matrix(MatrixInfo {
        format: loaded.format,
        rows: loaded.matrix.rows(),
        cols: loaded.matrix.cols(),
        entries: loaded.matrix.entries(),
        storage: loaded.matrix.kind(),
        names: first_few(names.as_ref()),
        notes: loaded.notes,
    }))
}

fn first_few(names: Option<&Names>) -> Option<Vec<String>> {
    const FEW: usize = 8;
    names.map(|names| names.iter().take(FEW).map(str::to_string).collect())
}

fn as_model(path: &Path) -> Outcome<Option<ModelInfo>> {
    if format::of_file(path)?.0 != Format::Store {
        return Ok(None);
    }
    let file = TensorFile::open(source::map(path)?)?;
    match file.text("format")? {
        model::FORMAT => {
            let (model, provenance) = model::read(&file)?;
            Ok(Some(model_info(model, &model::names(&file)?, provenance)))
        }
        _ => Ok(None),
    }
}

/// The columns with the largest loadings: weights of rare columns can be large and mean little.
fn top(model: &Model, names: &ModelNames) -> Option<Vec<[Vec<TopColumn>; 2]>> {
    if names.x.is_none() && names.y.is_none() {
        return None;
    }
    let of = |loadings: &Panel, names: &Option<Names>, pair: usize| {
        let name =
            |row: usize| names.as_ref().map_or_else(|| row.to_string(), |names| names.get(row).to_string());
        let columns = leading(loadings, pair, TOP).into_iter();
        columns.map(|found| TopColumn { name: name(found.row), loading: found.score }).collect()
    };
    let pair = |at: usize| [of(&model.x.loadings, &names.x, at), of(&model.y.loadings, &names.y, at)];
    Some((0..model.pairs()).map(pair).collect())
}

fn model_info(model: Model, names: &ModelNames, provenance: Map<String, Value>) -> ModelInfo {
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
        provenance,
    }
}
