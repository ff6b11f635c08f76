//! `lcca score`

use super::device::DeviceJob;
use super::reading::TypedReading;
use super::session::Session;
use crate::args::ScoreArgs;
use crate::failure::Failure;
use std::path::PathBuf;

pub struct ScoreJob {
    pub model: PathBuf,
    pub x: PathBuf,
    pub y: PathBuf,
    /// The typed flags for reading X and Y and for pairing their rows.
    pub reading: TypedReading,
    pub permutation_test: Option<PermutationTest>,
    pub blocks: Option<Blocks>,
    pub covariates: Option<PathBuf>,
    /// Where the permutation test runs.
    pub device: DeviceJob,
    pub session: Session,
}

#[derive(Clone, Copy)]
pub struct PermutationTest {
    pub permutations: usize,
    pub seed: u64,
}

/// Blocks of rows, for a test that exchanges rows within blocks or whole blocks.
pub struct Blocks {
    /// A file with one label per row.
    pub path: PathBuf,
    /// Whether blocks are exchanged as wholes.
    pub are_whole: bool,
}

impl ScoreJob {
    pub fn new(args: ScoreArgs) -> Result<Self, Failure> {
        let device = DeviceJob::new(&args.device)?;
        if args.permutations.is_none() && device.is_given() {
            let typed = &device.typed;
            let message = format!("--device {typed} is where a permutation test runs: add --permutations");
            return Err(Failure::Usage(message));
        }
        let test =
            |permutations: u32| PermutationTest { permutations: permutations as usize, seed: args.seed };
        Ok(ScoreJob {
            model: args.model,
            x: args.x,
            y: args.y,
            reading: TypedReading::new(&args.rows.tables),
            permutation_test: args.permutations.map(test),
            blocks: args.blocks.map(|path| Blocks { path, are_whole: args.blocks_whole }),
            covariates: args.rows.covariates,
            device,
            session: Session::new(args.common),
        })
    }
}
