//! `lcca sample`

use crate::args::{SampleArgs, SampleChoice};
use clap::ValueEnum;
use std::path::PathBuf;

pub struct SampleJob {
    /// The samples in the order of the help, each once.
    pub samples: Vec<SampleChoice>,
    pub output: PathBuf,
    pub rows: usize,
    pub seed: u64,
}

impl SampleJob {
    pub fn new(args: SampleArgs) -> Self {
        let is_asked = |sample: &SampleChoice| args.names.is_empty() || args.names.contains(sample);
        SampleJob {
            samples: SampleChoice::value_variants().iter().copied().filter(is_asked).collect(),
            output: args.output,
            rows: args.rows as usize,
            seed: args.seed,
        }
    }
}
