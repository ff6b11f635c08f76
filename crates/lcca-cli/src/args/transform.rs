//! The arguments and flags of `lcca transform`.

use super::{CommonArgs, TableArgs, TableOutputArgs};
use clap::Args;
use std::path::PathBuf;

/// Compute the canonical variables of rows with a fitted model.
#[derive(Args)]
#[command(after_help = "\
Examples:
  lcca transform model --x x_test.npz -o zx.npy
  zcat x_test.csv.gz | lcca transform model --x - -o - | head")]
#[group(id = "side", required = true, multiple = false, args = ["x", "y"])]
pub struct TransformArgs {
    /// A model written by `lcca fit`
    pub model: PathBuf,
    /// Rows of the first view; - for standard input
    #[arg(long, value_name = "FILE")]
    pub x: Option<PathBuf>,
    /// Rows of the second view; - for standard input
    #[arg(long, value_name = "FILE")]
    pub y: Option<PathBuf>,
    /// Write the canonical variables to this .npy, .csv, .tsv or .parquet file, one row per sample; - for
    /// standard output
    ///
    /// Tables have a header (x1, x2, and so on) and the names of the rows, if these have names. Standard
    /// output gets what a .tsv file would hold.
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// Covariates of the rows: needed if the model was fitted with covariates
    ///
    /// A matrix in any format, with the same rows in their order, or with row names that both have. Texts of
    /// a table become indicators by name. A category that the fitted rows do not have is an error.
    #[arg(long, value_name = "FILE")]
    pub covariates: Option<PathBuf>,
    #[command(flatten)]
    pub table: TableOutputArgs,
    #[command(flatten)]
    pub tables: TableArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}
