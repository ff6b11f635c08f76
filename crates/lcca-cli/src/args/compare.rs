//! What can be typed after `lcca compare`.

use super::{Common, ProblemArgs, Reading};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::path::PathBuf;

const COMPARE_EXAMPLES: &str = "\
Examples:
  lcca compare x.npz y.npz -k 20 -o comparison
  lcca compare x.npz y.npz -k 20 --no-center --l-cca-t2 7,38,115 -o comparison     as in the paper
  lcca compare x.npz y.npz --cpu-seconds 10,60 --methods g-cca,auto -o comparison

What happens:
  best possible   the default method, until --best-tol is reached
  D-CCA, auto     run once
  L-CCA           runs at each setting: --l-cca-t2, or what takes --cpu-seconds
  G-CCA, RPCCA    are given the t2 and k_rpcca at which they take as much CPU time as L-CCA, within
                  10%, in at most 6 tries; where that cannot be, the nearest is shown and marked

CPU time is that of the whole process on all threads, so the machine should have nothing else to
do. What is compared are canonical correlations between the subspaces found, on the same rows.

The folder holds table.md, figure.svg and .png (correlation against index, a panel a setting),
captured.svg and .png (captured total against CPU time, all runs), compare.csv (a line a method
and setting), correlations.csv, and compare.json with everything.";

/// Run the paper's methods on your data at equal CPU time.
#[derive(Args)]
#[command(after_help = COMPARE_EXAMPLES, allow_negative_numbers = true)]
pub struct CompareArgs {
    /// The first view: one row a sample
    pub x: PathBuf,
    /// The second view: the same rows
    pub y: PathBuf,
    /// Pairs of canonical variables [default: 20, or as many as the data allow]
    #[arg(short, value_name = "K")]
    pub k: Option<usize>,
    /// Folder to write, which must not be there
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// Gradient steps of L-CCA, a setting each [default: 7,38,115]
    #[arg(long, value_name = "N,…", value_delimiter = ',', conflicts_with = "cpu_seconds")]
    pub l_cca_t2: Vec<usize>,
    /// CPU seconds that each method is to take, a setting each, instead
    #[arg(long, value_name = "S,…", value_delimiter = ',')]
    pub cpu_seconds: Vec<f64>,
    /// Methods besides L-CCA [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = PossibleValuesParser::new(RIVALS))]
    pub methods: Vec<String>,
    /// Iterations of L-CCA and G-CCA
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub t1: usize,
    /// Singular vectors of L-CCA
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub k_pc: usize,
    /// Iterations of D-CCA
    #[arg(long, value_name = "N", default_value_t = 30)]
    pub d_cca_t1: usize,
    /// What may be missing from the best possible total, relative to it
    #[arg(long, value_name = "TOL", default_value_t = 1e-7)]
    pub best_tol: f64,
    /// Look no longer for the best possible after this many passes
    #[arg(long, value_name = "N")]
    pub max_passes: Option<f64>,
    #[command(flatten)]
    pub problem: ProblemArgs,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub common: Common,
}

/// What can run besides L-CCA.
pub const RIVALS: [&str; 4] = ["g-cca", "rp-cca", "d-cca", "auto"];
