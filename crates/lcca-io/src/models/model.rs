//! A fitted model as a safetensors file.
//!
//! Tensors, all f64: `x.weights` and `x.loadings` (columns of X × k), `x.mean` if the model is centered,
//! the same for y, and `correlations`, `objective`, `residuals` (k). If the model predicts, there are the
//! regressions that `regressions.rs` describes; if it was fitted with covariates, the tensors that
//! `effects.rs` describes. If the columns have names, these are `x.names` (u8) and `x.name_ends` (u64), as
//! in a store, and the same for y. The metadata says `format` (`lcca-model`), `version`, `rows`, `total`,
//! `settings` and `provenance`, the last two as JSON. Every number comes back to the bit, and is checked by
//! the last tensor, `checksums`.

use super::effects;
use super::regressions;
use crate::error::{Fault, Outcome, Result, one_line};
use crate::input::source;
use crate::load::reading_record::ReadingRecord;
use crate::parts::kind::Kind;
use crate::parts::names::{NameTensors, Names};
use crate::parts::panels::{read_panel, write_panel};
use crate::parts::tensors::{Announced, TensorFile, begin_tensors};
use crate::safe::atomic::Output;
use crate::words::record::FitRecord;
use lcca::fit::{Model, Regressions, View};
use lcca::matrix::Panel;
use safetensors::tensor::Dtype;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The names of the tensors of one view.
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
    names: NameTensors { bytes: "x.names", ends: "x.name_ends", each: "column" },
};
const Y: Tensors = Tensors {
    weights: "y.weights",
    loadings: "y.loadings",
    mean: "y.mean",
    names: NameTensors { bytes: "y.names", ends: "y.name_ends", each: "column" },
};

/// The names of both views' columns and of the covariates, if they have any.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModelNames {
    /// The names of the columns of X.
    pub x: Option<Names>,
    /// The names of the columns of Y.
    pub y: Option<Names>,
    /// The names of the covariates.
    pub covariates: Option<Names>,
}

impl ModelNames {
    fn each(&self) -> impl Iterator<Item = (&Names, &'static NameTensors)> {
        let x = self.x.iter().map(|names| (names, &X.names));
        let views = x.chain(self.y.iter().map(|names| (names, &Y.names)));
        views.chain(self.covariates.iter().map(|names| (names, &effects::NAMES)))
    }
}

/// Writes a model, with its provenance.
pub fn write_model(path: &Path, model: &Model, provenance: &Map<String, Value>) -> Result<()> {
    write_model_named(path, model, &ModelNames::default(), provenance)
}

/// Writes a model as [`write_model`] does, with the names of the columns.
pub fn write_model_named(
    path: &Path,
    model: &Model,
    names: &ModelNames,
    provenance: &Map<String, Value>,
) -> Result<()> {
    write_model_whole(path, model, None, names, provenance)
}

/// Writes a model as [`write_model_named`] does, with the regressions by which it predicts one view from
/// the other.
pub fn write_model_whole(
    path: &Path,
    model: &Model,
    regressions: Option<&Regressions>,
    names: &ModelNames,
    provenance: &Map<String, Value>,
) -> Result<()> {
    let views = [(&names.x, &model.x, &X), (&names.y, &model.y, &Y)];
    for (names, view, tensors) in views {
        let named = names.as_ref().map_or(view.weights.rows(), Names::len);
        check_len(tensors.names.ends, named, view.weights.rows()).map_err(|fault| fault.at(path))?;
    }
    if let Some(names) = &names.covariates {
        check_len(effects::NAMES.ends, names.len(), model.covariate_columns())
            .map_err(|fault| fault.at(path))?;
    }
    let mut output = Output::create(path)?;
    write(&mut output, model, regressions, names, provenance).map_err(|error| output.failed(error))?;
    output.commit()
}

fn write(
    out: &mut impl Write,
    model: &Model,
    regressions: Option<&Regressions>,
    names: &ModelNames,
    provenance: &Map<String, Value>,
) -> io::Result<()> {
    let texts = BTreeMap::from([
        ("format", Kind::Model.format().to_string()),
        ("version", Kind::Model.version(model.covariate_columns() > 0).to_string()),
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
    tensors.extend(regressions.into_iter().flat_map(regressions::announced));
    tensors.extend(effects::announced(model));
    tensors.extend(names.each().map(|(names, tensors)| names.announce_ends(tensors)));
    tensors.extend(names.each().map(|(names, tensors)| names.announce_bytes(tensors)));
    let mut out = begin_tensors(out, &texts, &tensors)?;
    write_view(&mut out, &model.x)?;
    write_view(&mut out, &model.y)?;
    vectors.iter().try_for_each(|(_, vector)| out.write_all(bytemuck::cast_slice(vector)))?;
    regressions.into_iter().try_for_each(|regressions| regressions::write(&mut out, regressions))?;
    effects::write(&mut out, model)?;
    names.each().try_for_each(|(names, _)| names.write_ends(&mut out))?;
    names.each().try_for_each(|(names, _)| names.write_bytes(&mut out))?;
    out.finish()
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

/// An opened model file: its model, its provenance, and its names when they are needed. The file is opened
/// once.
#[non_exhaustive]
pub struct ModelFile {
    /// The model.
    pub model: Model,
    /// The record of the model's origin.
    pub provenance: Map<String, Value>,
    path: PathBuf,
    file: TensorFile,
}

impl ModelFile {
    /// Reads a model.
    pub fn open(path: &Path) -> Result<Self> {
        let file = source::map(path).and_then(|bytes| {
            // In a safetensors file the header begins after its length. A file with another byte there is
            // of another kind.
            match (*bytes).as_ref().get(8) {
                Some(b'{') | None => TensorFile::open(bytes),
                Some(_) => Err(Fault::new("is not a safetensors file, expected a model")),
            }
        });
        file.and_then(|file| ModelFile::new(file, path)).map_err(|fault| fault.at(path))
    }

    pub(crate) fn new(file: TensorFile, path: &Path) -> Outcome<Self> {
        let (model, provenance) = read(&file)?;
        Ok(ModelFile { model, provenance, path: path.into(), file })
    }

    /// Whether the file has checksums, against which the model was checked.
    pub fn has_checksums(&self) -> bool {
        self.file.has_checksums()
    }

    /// The record of the fit in the file; `None` if it has none.
    pub fn record(&self) -> Option<FitRecord> {
        FitRecord::from_provenance(&self.provenance)
    }

    /// How rows for the model are read unless the caller says otherwise: as those of the fit were.
    pub fn reading(&self) -> Result<ReadingRecord> {
        let ReadingRecord { x, y, align, covariates } = ReadingRecord::from_provenance(&self.provenance);
        let (names, model) = (self.names()?, &self.model);
        let x = x.for_later_rows(names.x.is_some(), model.x.mean.is_some());
        let y = y.for_later_rows(names.y.is_some(), model.y.mean.is_some());
        let covariates = covariates.for_later_rows(names.covariates.is_some(), model.x.mean.is_some());
        Ok(ReadingRecord::new([x, y], align).with_covariates(covariates))
    }

    /// The regressions by which the model predicts; `None` if it was written without them, as earlier
    /// versions did.
    pub fn regressions(&self) -> Result<Option<Regressions>> {
        regressions::read(&self.file, &self.model).map_err(|fault| fault.at(&self.path))
    }

    /// The names of both views' columns. They are mapped with the file, and checked by this call.
    pub fn names(&self) -> Result<ModelNames> {
        names(&self.file).map_err(|fault| fault.at(&self.path))
    }
}

impl fmt::Debug for ModelFile {
    /// Shows the path, not the numbers.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ModelFile").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Reads a model and its provenance. [`ModelFile`] also has the names.
pub fn read_model(path: &Path) -> Result<(Model, Map<String, Value>)> {
    ModelFile::open(path).map(|file| (file.model, file.provenance))
}

/// Reads the names of a model's columns, but not the model itself. [`ModelFile::names`] has the names of a
/// model that was read.
pub fn read_model_names(path: &Path) -> Result<ModelNames> {
    let file = source::map(path).and_then(TensorFile::open);
    file.and_then(|file| names(&file)).map_err(|fault| fault.at(path))
}

fn names(file: &TensorFile) -> Outcome<ModelNames> {
    let [x, y] = [&X, &Y].map(|view| {
        let cols = file.shape(view.weights).and_then(|shape| shape.first().copied());
        Names::read(file, &view.names, cols.unwrap_or(0))
    });
    Ok(ModelNames { x: x?, y: y?, covariates: Names::read(file, &effects::NAMES, effects::columns(file))? })
}

fn read(file: &TensorFile) -> Outcome<(Model, Map<String, Value>)> {
    Kind::Model.check(file)?;
    let mut model = Model::new(read_view(file, &X)?, read_view(file, &Y)?, json(file, "settings")?);
    model.correlations = read_vector(file, "correlations")?;
    model.objective = read_vector(file, "objective")?;
    model.residuals = read_vector(file, "residuals")?;
    model.total = file.parsed("total")?;
    model.rows = file.parsed("rows")?;
    effects::read_into(file, &mut model)?;
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
    Ok(View::new(read_panel(file, names.weights)?, read_panel(file, names.loadings)?, mean))
}

fn read_vector(file: &TensorFile, name: &str) -> Outcome<Vec<f64>> {
    Ok(file.vector(name, Dtype::F64)?.iter().collect())
}

/// Checks that the parts of a model fit each other.
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

fn check_len(name: &str, len: usize, expected: usize) -> Outcome<()> {
    if len != expected {
        return Err(Fault::new(format!("has a side of {len}, expected {expected}")).within(name));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::source::opens;
    use lcca::method::{Method, Settings};

    #[test]
    fn a_table_in_place_of_a_model_is_told_apart_from_a_damaged_model() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table.csv");
        std::fs::write(&path, "country,savings\nAustralia,11.43\n").unwrap();
        let refused = ModelFile::open(&path).err().unwrap().to_string();
        assert!(refused.ends_with("table.csv: is not a safetensors file, expected a model"), "{refused}");
    }

    #[test]
    fn a_model_is_opened_once_names_included() {
        let view = |cols: usize| View::new(Panel::zeros(cols, 1), Panel::zeros(cols, 1), None);
        let mut model = Model::new(view(2), view(1), Settings::new(Method::als(3), 1));
        model.correlations = vec![0.5];
        model.objective = vec![0.5];
        model.residuals = vec![0.0];
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model");
        let names = ModelNames { x: Some(Names::new(["a", "b"])), y: None, ..ModelNames::default() };
        write_model_named(&path, &model, &names, &Map::new()).unwrap();
        let (opens, (read_back, read_names)) = opens::during(|| {
            let file = ModelFile::open(&path).unwrap();
            let names = file.names().unwrap();
            (file.model, names)
        });
        assert_eq!((opens, read_back, read_names), (1, model, names));
    }
}
