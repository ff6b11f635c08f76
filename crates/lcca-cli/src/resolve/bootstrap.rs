//! `lcca bootstrap`

use super::device::DeviceJob;
use super::outputs;
use super::reading::TypedReading;
use super::session::Session;
use crate::args::BootstrapArgs;
use crate::failure::Failure;
use lcca_io::Formulas;
use std::path::PathBuf;

pub struct BootstrapJob {
    pub model: PathBuf,
    pub x: PathBuf,
    pub y: PathBuf,
    /// The typed flags for reading X and Y and for pairing their rows.
    pub reading: TypedReading,
    pub row_weights: Option<PathBuf>,
    pub covariates: Option<PathBuf>,
    /// A file with one label per row; rows with the same label are drawn together.
    pub groups: Option<PathBuf>,
    pub resamples: usize,
    pub seed: u64,
    pub tol: Option<f64>,
    /// A file for the intervals of weights and loadings.
    pub table: Option<PathBuf>,
    pub device: DeviceJob,
    /// The treatment of names that spreadsheets take for formulas.
    pub formulas: Formulas,
    pub session: Session,
}

impl BootstrapJob {
    pub fn new(args: BootstrapArgs) -> Result<Self, Failure> {
        if let Some(tol) = args.tol.filter(|tol| !(*tol > 0.0 && tol.is_finite())) {
            return Err(Failure::Usage(format!("--tol is {tol}, expected a number above 0")));
        }
        Ok(BootstrapJob {
            model: args.model,
            x: args.x,
            y: args.y,
            reading: TypedReading::new(&args.rows.tables),
            row_weights: args.row_weights,
            covariates: args.rows.covariates,
            groups: args.groups,
            resamples: args.n as usize,
            seed: args.seed,
            tol: args.tol,
            table: args.output,
            device: DeviceJob::new(&args.device)?,
            formulas: outputs::formulas(&args.table),
            session: Session::new(args.common),
        })
    }
}
