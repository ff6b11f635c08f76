//! The three kinds of safetensors files that this crate writes: the name of each, and how to tell them
//! apart.

use super::tensors::TensorFile;
use crate::error::{Fault, Outcome};

/// The kind of a file, as its metadata says under `format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Matrix,
    Model,
    Checkpoint,
}

/// The version that files have under `version`, unless a model has covariates. Newer files may mean
/// something else by the same names.
pub(crate) const VERSION: &str = "1";

/// The version of a model with covariates. It differs because programs that know only the first version
/// would ignore them.
const WITH_COVARIATES: &str = "2";

impl Kind {
    const ALL: [Kind; 3] = [Kind::Matrix, Kind::Model, Kind::Checkpoint];

    /// The value of `format` in the metadata.
    pub(crate) fn format(self) -> &'static str {
        match self {
            Kind::Matrix => "lcca-matrix",
            Kind::Model => "lcca-model",
            Kind::Checkpoint => "lcca-checkpoint",
        }
    }

    /// The version of a file of this kind.
    pub(crate) fn version(self, has_covariates: bool) -> &'static str {
        if self == Kind::Model && has_covariates { WITH_COVARIATES } else { VERSION }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::Matrix => "matrix",
            Kind::Model => "model",
            Kind::Checkpoint => "checkpoint",
        }
    }

    /// The kind of this file, if this crate wrote it.
    pub(crate) fn read(file: &TensorFile) -> Outcome<Option<Kind>> {
        let format = file.text("format")?;
        Ok(Kind::ALL.into_iter().find(|kind| kind.format() == format))
    }

    /// Refuses a file of another kind or of another version.
    pub(crate) fn check(self, file: &TensorFile) -> Outcome<()> {
        match Kind::read(file)? {
            Some(kind) if kind == self => {}
            Some(other) => {
                return Err(Fault::new(format!("is a {}, expected a {}", other.name(), self.name())));
            }
            None => {
                return Err(Fault::new(format!(
                    "holds {:?}, expected {:?}",
                    file.text("format")?,
                    self.format()
                )));
            }
        }
        let version = file.text("version")?;
        if version != VERSION && !(self == Kind::Model && version == WITH_COVARIATES) {
            return Err(Fault::new(format!("is of version {version:?}, expected {VERSION:?}")));
        }
        Ok(())
    }
}
