//! A fitted model as a safetensors file.
//!
//! Tensors, all f64: `x.weights` and `x.loadings` (columns of X × k), `x.mean` where the model is centred, the same
//! for y, and `correlations`, `objective`, `residuals` (k). Where the columns have names, these are `x.names` (u8) and
//! `x.name_ends` (u64), as in a store, the same for y. The metadata says `format` (`lcca-model`), `version`,
//! `rows`, `total`, `settings` and `provenance`, the last two as JSON. Every number comes back to the bit.

use crate::atomic::Output;
use crate::error::{Fault, Outcome, Result, one_line};
use crate::names::{NameTensors, Names};
use crate::source;
use crate::store::check_version;
use crate::tensors::{Announced, TensorFile, write_header};
use lcca::fit::{Model, View};
use lcca::matrix::Panel;
use safetensors::tensor::Dtype;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;

pub(crate) const FORMAT: &str = "lcca-model";
const VERSION: &str = "1";

/// What one view's tensors are called.
struct Tensors {
    weights: &'static str,
    loadings: &'static str,
    mean: &'static str,
    names: NameTensors,
}

const X: Tensors = Tensors {
    weights: "x.weights",
    loadings: "x.loadings",
    mean: "x.mean",
    names: NameTensors { bytes: "x.names", ends: "x.name_ends" },
};
const Y: Tensors = Tensors {
    weights: "y.weights",
    loadings: "y.loadings",
    mean: "y.mean",
    names: NameTensors { bytes: "y.names", ends: "y.name_ends" },
};

/// The names of both views' columns, as far as they have any.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelNames {
    /// Of the columns of X.
    pub x: Option<Names>,
    /// Of the columns of Y.
    pub y: Option<Names>,
}

impl ModelNames {
    fn each(&self) -> impl Iterator<Item = (&Names, &'static Tensors)> {
        let x = self.x.iter().map(|names| (names, &X));
        x.chain(self.y.iter().map(|names| (names, &Y)))
    }
}

/// Writes a model, and whatever is known about where it came from.
pub fn write_model(path: &Path, model: &Model, provenance: &Map<String, Value>) -> Result<()> {
    write_model_named(path, model, &ModelNames::default(), provenance)
}

/// As [`write_model`], with the names of the columns.
pub fn write_model_named(
    path: &Path,
    model: &Model,
    names: &ModelNames,
    provenance: &Map<String, Value>,
) -> Result<()> {
    let views = [(&names.x, &model.x, &X), (&names.y, &model.y, &Y)];
    for (names, view, tensors) in views {
        let found = names.as_ref().map_or(view.weights.rows(), Names::len);
        check_len(tensors.names.ends, found, view.weights.rows()).map_err(|fault| fault.at(path))?;
    }
    let mut output = Output::create(path)?;
    write(&mut output, model, names, provenance).map_err(|error| output.failed(error))?;
    output.commit()
}

fn write(
    out: &mut impl Write,
    model: &Model,
    names: &ModelNames,
    provenance: &Map<String, Value>,
) -> io::Result<()> {
    let texts = BTreeMap::from([
        ("format", FORMAT.to_string()),
        ("version", VERSION.to_string()),
        ("rows", model.rows.to_string()),
        ("total", format!("{:?}", model.total)),
        ("settings", serde_json::to_string(&model.settings)?),
        ("provenance", serde_json::to_string(provenance)?),
    ]);
    let mut tensors = Vec::new();
    announce_view(&mut tensors, &model.x, &X);
    announce_view(&mut tensors, &model.y, &Y);
    let vectors = [
        ("correlations", &model.correlations),
        ("objective", &model.objective),
        ("residuals", &model.residuals),
    ];
    tensors.extend(vectors.map(|(name, vector)| (name, Dtype::F64, vec![vector.len()])));
    tensors.extend(names.each().map(|(names, called)| names.announce_ends(&called.names)));
    tensors.extend(names.each().map(|(names, called)| names.announce_bytes(&called.names)));
    write_header(out, &texts, &tensors)?;
    write_view(out, &model.x)?;
    write_view(out, &model.y)?;
    vectors.iter().try_for_each(|(_, vector)| out.write_all(bytemuck::cast_slice(vector)))?;
    names.each().try_for_each(|(names, _)| names.write_ends(out))?;
    names.each().try_for_each(|(names, _)| names.write_bytes(out))
}

fn announce_view(tensors: &mut Vec<Announced>, view: &View, names: &Tensors) {
    let shape = |panel: &Panel| vec![panel.rows(), panel.cols()];
    tensors.push((names.weights, Dtype::F64, shape(&view.weights)));
    tensors.push((names.loadings, Dtype::F64, shape(&view.loadings)));
    if let Some(mean) = &view.mean {
        tensors.push((names.mean, Dtype::F64, vec![mean.len()]));
    }
}

fn write_view(out: &mut impl Write, view: &View) -> io::Result<()> {
    write_panel(out, &view.weights)?;
    write_panel(out, &view.loadings)?;
    out.write_all(bytemuck::cast_slice(view.mean.as_deref().unwrap_or_default()))
}

pub(crate) fn write_panel(out: &mut impl Write, panel: &Panel) -> io::Result<()> {
    (0..panel.rows()).try_for_each(|row| out.write_all(bytemuck::cast_slice(panel.row(row))))
}

/// Reads a model, and what was written about where it came from.
pub fn read_model(path: &Path) -> Result<(Model, Map<String, Value>)> {
    let file = source::map(path).and_then(TensorFile::open);
    file.and_then(|file| read(&file)).map_err(|fault| fault.at(path))
}

/// The names of a model's columns. A model's numbers are read without them.
pub fn read_model_names(path: &Path) -> Result<ModelNames> {
    let file = source::map(path).and_then(TensorFile::open);
    file.and_then(|file| names(&file)).map_err(|fault| fault.at(path))
}

pub(crate) fn names(file: &TensorFile) -> Outcome<ModelNames> {
    let of = |tensors: &Tensors| {
        let (_, shape) = file.tensor::<f64>(tensors.weights, Dtype::F64)?;
        Names::read(file, &tensors.names, shape.first().copied().unwrap_or(0))
    };
    Ok(ModelNames { x: of(&X)?, y: of(&Y)? })
}

pub(crate) fn read(file: &TensorFile) -> Outcome<(Model, Map<String, Value>)> {
    match file.text("format")? {
        FORMAT => {}
        crate::store::FORMAT => return Err(Fault::new("is a matrix, expected a model")),
        crate::checkpoint::FORMAT => return Err(Fault::new("is a checkpoint, expected a model")),
        other => return Err(Fault::new(format!("holds {other:?}, expected {FORMAT:?}"))),
    }
    check_version(file, VERSION)?;
    let model = Model {
        x: read_view(file, &X)?,
        y: read_view(file, &Y)?,
        correlations: read_vector(file, "correlations")?,
        objective: read_vector(file, "objective")?,
        residuals: read_vector(file, "residuals")?,
        total: file.parsed("total")?,
        rows: file.parsed("rows")?,
        settings: json(file, "settings")?,
    };
    check(&model)?;
    Ok((model, json(file, "provenance")?))
}

fn json<T: serde::de::DeserializeOwned>(file: &TensorFile, key: &str) -> Outcome<T> {
    serde_json::from_str(file.text(key)?).map_err(|error| Fault::new(one_line(&error)).within(key))
}

fn read_view(file: &TensorFile, names: &Tensors) -> Outcome<View> {
    let mean = match file.dtype(names.mean) {
        Some(_) => Some(read_vector(file, names.mean)?),
        None => None,
    };
    Ok(View { weights: read_panel(file, names.weights)?, loadings: read_panel(file, names.loadings)?, mean })
}

fn read_vector(file: &TensorFile, name: &str) -> Outcome<Vec<f64>> {
    Ok(file.vector(name, Dtype::F64)?.iter().collect())
}

pub(crate) fn read_panel(file: &TensorFile, name: &str) -> Outcome<Panel> {
    let (numbers, shape) = file.tensor::<f64>(name, Dtype::F64)?;
    let &[rows, cols] = shape else {
        return Err(Fault::new(format!("has shape {shape:?}, expected two dimensions")).within(name));
    };
    if cols == 0 {
        return Ok(Panel::zeros(rows, 0));
    }
    // Zero of anything fits into no bytes at all: only a panel with numbers has been checked against the file.
    if numbers.is_empty() {
        return Err(Fault::new(format!("has shape {shape:?}, expected numbers")).within(name));
    }
    let numbers = numbers.as_slice();
    Ok(Panel::from_fn(rows, cols, |row, column| numbers[row * cols + column].get()))
}

/// The parts must fit each other.
fn check(model: &Model) -> Outcome<()> {
    let k = model.correlations.len();
    let vectors = [("objective", &model.objective), ("residuals", &model.residuals)];
    for (name, vector) in vectors {
        check_len(name, vector.len(), k)?;
    }
    check_view(&model.x, &X, k)?;
    check_view(&model.y, &Y, k)
}

fn check_view(view: &View, names: &Tensors, k: usize) -> Outcome<()> {
    check_len(names.weights, view.weights.cols(), k)?;
    check_len(names.loadings, view.loadings.cols(), k)?;
    check_len(names.loadings, view.loadings.rows(), view.weights.rows())?;
    match &view.mean {
        Some(mean) => check_len(names.mean, mean.len(), view.weights.rows()),
        None => Ok(()),
    }
}

fn check_len(name: &str, found: usize, expected: usize) -> Outcome<()> {
    match found == expected {
        true => Ok(()),
        false => Err(Fault::new(format!("has a side of {found}, expected {expected}")).within(name)),
    }
}
