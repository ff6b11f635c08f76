//! What `lcca plot` and `lcca report` have in common: a model, what is shown beside it, and the file to
//! write.

use super::reading::{TypedReading, table_flags};
use super::session::Session;
use crate::args::{CommonArgs, ModelRowsArgs};
use crate::failure::Failure;
use std::path::{Path, PathBuf};

pub struct PageJob {
    pub model: PathBuf,
    /// Rows of X and of Y.
    pub rows: Option<[PathBuf; 2]>,
    /// One label per row of X.
    pub label: Option<PathBuf>,
    pub covariates: Option<PathBuf>,
    /// What `lcca bootstrap` and `lcca score` printed.
    pub bootstrap: Option<PathBuf>,
    pub scores: Option<PathBuf>,
    pub output: PathBuf,
    /// How X and Y are read and their rows paired, as far as it was typed.
    pub reading: TypedReading,
    pub session: Session,
}

impl PageJob {
    /// A page about a model alone. Flags about how rows are read are refused if there are none.
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

    /// Every file that is read.
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

/// The ending of a file's name in lower case; nothing if it has none.
pub fn ending(path: &Path) -> String {
    path.extension().map(|end| end.to_string_lossy().to_lowercase()).unwrap_or_default()
}
