//! `lcca transform`

use super::outputs;
use super::reading::TypedFile;
use super::session::Session;
use crate::args::TransformArgs;
use crate::failure::Failure;
use lcca::data::Side;
use lcca_io::Formulas;
use std::path::PathBuf;

pub struct TransformJob {
    pub model: PathBuf,
    /// The view that the rows belong to.
    pub side: Side,
    pub rows: PathBuf,
    pub output: PathBuf,
    /// The typed flags for reading the rows.
    pub reading: TypedFile,
    pub covariates: Option<PathBuf>,
    /// The treatment of names that spreadsheets take for formulas.
    pub formulas: Formulas,
    pub session: Session,
}

impl TransformJob {
    pub fn new(args: TransformArgs) -> Result<Self, Failure> {
        let (side, rows) = match (args.x, args.y) {
            (Some(x), None) => (Side::X, x),
            (None, Some(y)) => (Side::Y, y),
            _ => return Err(Failure::Usage("expected one of --x and --y".into())),
        };
        Ok(TransformJob {
            model: args.model,
            side,
            rows,
            output: args.output,
            reading: TypedFile::new(&args.tables),
            covariates: args.covariates,
            formulas: outputs::formulas(&args.table),
            session: Session::new(args.common),
        })
    }
}
