//! `lcca score`

use super::reading::ViewReading;
use super::session::Session;
use crate::args::ScoreArgs;
use std::path::PathBuf;

pub struct ScoreJob {
    pub model: PathBuf,
    pub x: PathBuf,
    pub y: PathBuf,
    /// How X and Y are read and their rows paired.
    pub reading: ViewReading,
    pub permutation_test: Option<PermutationTest>,
    pub blocks: Option<Blocks>,
    pub covariates: Option<PathBuf>,
    pub session: Session,
}

#[derive(Clone, Copy)]
pub struct PermutationTest {
    pub permutations: usize,
    pub seed: u64,
}

/// Rows that are exchanged with each other only.
pub struct Blocks {
    /// One label per row.
    pub path: PathBuf,
    /// Whether blocks are exchanged as wholes.
    pub are_whole: bool,
}

impl ScoreJob {
    pub fn new(args: ScoreArgs) -> Self {
        let test =
            |permutations: u32| PermutationTest { permutations: permutations as usize, seed: args.seed };
        ScoreJob {
            model: args.model,
            x: args.x,
            y: args.y,
            reading: ViewReading::of_model(&args.rows),
            permutation_test: args.permutations.map(test),
            blocks: args.blocks.map(|path| Blocks { path, are_whole: args.blocks_whole }),
            covariates: args.rows.covariates,
            session: Session::new(args.common),
        }
    }
}
