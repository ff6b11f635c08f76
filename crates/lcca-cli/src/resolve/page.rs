//! The common part of `lcca plot` and `lcca report`: a model, the data to show with it, and the file to
//! write.

use super::reading::{TypedReading, table_flags};
use super::session::Session;
use crate::args::{CommonArgs, ModelRowsArgs};
use crate::failure::Failure;
use std::path::{Path, PathBuf};

pub struct PageJob {
    pub model: PathBuf,
    /// The files of the rows of X and of Y.
    pub rows: Option<[PathBuf; 2]>,
    /// A file with one label per row of X.
    pub label: Option<PathBuf>,
    pub covariates: Option<PathBuf>,
    /// The files with the output of `lcca bootstrap` and `lcca score`.
    pub bootstrap: Option<PathBuf>,
    pub scores: Option<PathBuf>,
    pub output: PathBuf,
    /// The typed flags for reading X and Y and for pairing their rows.
    pub reading: TypedReading,
    pub session: Session,
}

impl PageJob {
    /// A page about a model, without labels and results of other commands. Flags for reading rows are
    /// refused if there are no rows.
    pub fn new(
        [model, output]: [PathBuf; 2],
        rows: Option<[PathBuf; 2]>,
        args: ModelRowsArgs,
        common: CommonArgs,
    ) -> Result<Self, Failure> {
        if let (None, Some(flag)) = (&rows, table_flags(&args.tables).first()) {
            return Err(Failure::Usage(format!(
                "{flag} says how rows are read, expected files of X and Y after the model"
            )));
        }
        let reading = TypedReading::new(&args.tables);
        Ok(PageJob {
            model,
            rows,
            label: None,
            covariates: args.covariates,
            bootstrap: None,
            scores: None,
            output,
            reading,
            session: Session::new(common),
        })
    }

    /// All files that the command reads.
    pub fn inputs(&self) -> Vec<&Path> {
        let optional = [&self.label, &self.covariates, &self.bootstrap, &self.scores];
        let rows = self.rows.iter().flatten();
        [&self.model]
            .into_iter()
            .chain(rows)
            .chain(optional.into_iter().flatten())
            .map(PathBuf::as_path)
            .collect()
    }
}

/// The extension of a file's name in lower case; empty if it has none.
pub fn ending(path: &Path) -> String {
    path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default()
}
