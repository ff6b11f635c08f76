//! The arguments and flags of `lcca compare`.

use super::{CommonArgs, ProblemArgs, ReadingArgs};
use clap::Args;
use clap::builder::PossibleValuesParser;
use lcca::method::Method;
use std::path::PathBuf;

/// The methods that `--methods` chooses from; L-CCA always runs.
pub const OPTIONAL_METHODS: [&str; 5] = ["g-cca", "rp-cca", "sketch", "d-cca", "auto"];

const COMPARE_EXAMPLES: &str = "\
Examples:
  lcca compare x.npz y.npz -k 20 -o comparison
  lcca compare x.npz y.npz -k 20 --no-center --l-cca-t2 7,38,115 -o comparison     as in the paper
  lcca compare x.npz y.npz --cpu-seconds 10,60 --methods g-cca,auto -o comparison

What happens:
  best possible   the default method runs until --best-tol is reached
  D-CCA, auto     run once
  L-CCA           runs once per setting: at each --l-cca-t2, or for each of --cpu-seconds
  G-CCA, RPCCA,   run at the t2, k_rpcca and sketch_rows that take as much CPU time as L-CCA, within
  Sketch          10%, found in at most 6 tries; if no value does, the nearest is shown and marked.
                  Sketch is left out if the views have more than 2000 columns together

CPU time is that of the whole process on all threads, so the machine should have nothing else to do.
Methods are compared by the canonical correlations between the subspaces they found, on the same
rows.

The folder holds table.md, figure.svg and .png (correlation against index, one panel per setting),
captured.svg and .png (captured total against CPU time, all runs), compare.csv (one line per method
and setting), correlations.csv, compare.html, and compare.json with everything.";

/// The engine's default for a parameter of a method.
fn default(method: &str, parameter: &str) -> usize {
    Method::named(method).and_then(|method| method.get(parameter)).unwrap_or(1)
}

/// Run the paper's methods on your data at equal CPU time.
#[derive(Args)]
#[command(after_help = COMPARE_EXAMPLES, allow_negative_numbers = true)]
pub struct CompareArgs {
    /// The first view: a matrix with one row per sample
    pub x: PathBuf,
    /// The second view: a matrix with the same rows
    pub y: PathBuf,
    /// Number of pairs of canonical variables [default: 20, or as many as the data allow]
    #[arg(short, value_name = "K")]
    pub k: Option<usize>,
    /// Write the results to this folder, which must not exist
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// Gradient steps of L-CCA, one setting per number [default: 7,38,115]
    #[arg(long, value_name = "N,…", value_delimiter = ',', conflicts_with = "cpu_seconds")]
    pub l_cca_t2: Vec<usize>,
    /// CPU seconds that each method should take, one setting per number, instead of --l-cca-t2
    #[arg(long, value_name = "S,…", value_delimiter = ',')]
    pub cpu_seconds: Vec<f64>,
    /// Methods to run besides L-CCA [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',', value_parser = PossibleValuesParser::new(OPTIONAL_METHODS))]
    pub methods: Vec<String>,
    /// Iterations of L-CCA and G-CCA
    #[arg(long, value_name = "N", default_value_t = default("l-cca", "t1"))]
    pub t1: usize,
    /// Singular vectors of L-CCA
    #[arg(long, value_name = "N", default_value_t = default("l-cca", "k-pc"))]
    pub k_pc: usize,
    /// Iterations of D-CCA
    #[arg(long, value_name = "N", default_value_t = default("d-cca", "t1"))]
    pub d_cca_t1: usize,
    /// The share of the total that may be missing from the best possible
    #[arg(long, value_name = "TOL", default_value_t = 1e-7)]
    pub best_tol: f64,
    /// Stop looking for the best possible after this many passes [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_passes: Option<f64>,
    #[command(flatten)]
    pub problem: ProblemArgs,
    #[command(flatten)]
    pub reading: ReadingArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}
