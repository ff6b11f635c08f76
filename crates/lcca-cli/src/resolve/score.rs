//! `lcca score`

use super::session::Session;
use crate::args::ScoreArgs;
use std::path::PathBuf;

pub struct ScoreJob {
    pub model: PathBuf,
    pub x: PathBuf,
    pub y: PathBuf,
    pub zero_based: bool,
    pub permutation_test: Option<PermutationTest>,
    pub session: Session,
}

#[derive(Clone, Copy)]
pub struct PermutationTest {
    pub permutations: usize,
    pub seed: u64,
}

impl ScoreJob {
    pub fn new(args: ScoreArgs) -> Self {
        let test =
            |permutations: u32| PermutationTest { permutations: permutations as usize, seed: args.seed };
        ScoreJob {
            model: args.model,
            x: args.x,
            y: args.y,
            zero_based: args.zero_based,
            permutation_test: args.permutations.map(test),
            session: Session::new(args.common),
        }
    }
}
