//! The arguments and flags of `lcca score`.

use super::{CommonArgs, DeviceArgs, ModelRowsArgs};
use clap::Args;
use std::path::PathBuf;

const SCORE_EXAMPLES: &str = "\
Examples:
  lcca score model x_test.npz y_test.npz --json
  lcca score model x_test.npz y_test.npz --permutations 999    p-values
  lcca score model x.csv y.csv --permutations 999 --blocks families.txt   families stay together

With --json, correlations and their sum total are those of the model's own variables on these rows.
subspace_total is the paper's measure of two subspaces: the best correlations within them, found
again on these very rows, so it is large on unseen rows of pure noise too.

The words of the output (pair, sum of correlations) are explained in docs/glossary.md.";

/// Compute the correlations of a fitted model on given rows.
#[derive(Args)]
#[command(after_help = SCORE_EXAMPLES)]
pub struct ScoreArgs {
    /// A model written by `lcca fit`
    pub model: PathBuf,
    /// Rows of the first view
    pub x: PathBuf,
    /// The same rows of the second view
    pub y: PathBuf,
    /// Test each correlation against this many random orders of the rows, such as 999; for rows not trained
    /// on
    ///
    /// Prints a p-value for each pair alone, and one adjusted so that the chance of any false finding among
    /// all pairs is controlled. On training rows p-values mean nothing: the weights have seen them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub permutations: Option<u32>,
    /// Exchange rows only with rows of the same label: a file with one label per row of X, such as families
    ///
    /// Rows that depend on each other are not exchangeable with all others, and p-values that ignore it are
    /// too small. A text file has one label per line and no header; a .npy file has one column of numbers. A
    /// .csv or .tsv file of two columns, row names and labels, is put in the order of X by name.
    #[arg(long, value_name = "FILE", requires = "permutations")]
    pub blocks: Option<PathBuf>,
    /// Exchange the blocks of --blocks as wholes, with blocks of the same size, instead of rows within them
    #[arg(long, requires = "blocks")]
    pub blocks_whole: bool,
    /// Seed of the random orders
    #[arg(long, default_value_t = 0, requires = "permutations")]
    pub seed: u64,
    #[command(flatten)]
    pub rows: ModelRowsArgs,
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}
