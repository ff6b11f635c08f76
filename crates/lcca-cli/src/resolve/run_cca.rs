//! `lcca run-cca`

use super::outputs;
use super::problem;
use super::session::Session;
use crate::args::{RunCcaArgs, TableFormat};
use crate::failure::Failure;
use lcca::matrix::Normalize;
use lcca_io::Formulas;
use std::path::PathBuf;

/// The default number of components.
const DEFAULT_COMPONENTS: usize = 20;

pub struct RunCcaJob {
    pub x: PathBuf,
    pub y: PathBuf,
    pub components: usize,
    pub output: PathBuf,
    /// The extension of the files of embeddings.
    pub extension: &'static str,
    pub normalize: Normalize,
    pub scale_columns: bool,
    pub memory: u64,
    /// The treatment of names that spreadsheets take for formulas.
    pub formulas: Formulas,
    pub session: Session,
}

impl RunCcaJob {
    pub fn new(args: RunCcaArgs) -> Result<Self, Failure> {
        Ok(RunCcaJob {
            x: args.x,
            y: args.y,
            components: args.k.map_or(DEFAULT_COMPONENTS, |k| k as usize),
            output: args.output,
            extension: match args.format {
                TableFormat::Npy => "npy",
                TableFormat::Csv => "csv",
                TableFormat::Tsv => "tsv",
                TableFormat::Parquet => "parquet",
            },
            normalize: problem::normalize(args.normalize_rows),
            scale_columns: args.scale_columns,
            memory: problem::memory(args.memory.as_deref())?,
            formulas: outputs::formulas(&args.table),
            session: Session::new(args.common),
        })
    }
}
