//! The arguments and flags of `lcca sample`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  lcca sample                                  all samples, in the folder sample
  lcca sample sentences --rows 100000 -o big   more sentences, in the folder big

countries  countries.csv, a real table: savings, ages, income and growth of 50 countries
sentences  pairs.tsv, English sentences and their French translations, for lcca views text
paths      paths.txt, paths of installed files, for lcca views text
words      corpus.txt, English sentences, for lcca views words

All but countries are generated, from lists of words that are part of the program. The same rows and
seed give the same bytes on every machine.";

/// Write small data sets to try things on.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct SampleArgs {
    /// Which samples to write [default: all]
    #[arg(value_name = "NAME")]
    pub names: Vec<SampleChoice>,
    /// Write the files to this folder, which is created if it does not exist
    #[arg(long, short, value_name = "DIR", default_value = "sample")]
    pub output: PathBuf,
    /// Number of sentences or paths to generate
    #[arg(long, value_name = "N", default_value_t = 20_000, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub rows: u32,
    /// Seed of the generated samples
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
}

/// A sample by name.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum SampleChoice {
    Countries,
    Sentences,
    Paths,
    Words,
}
