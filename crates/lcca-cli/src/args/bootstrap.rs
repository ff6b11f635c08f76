//! The arguments and flags of `lcca bootstrap`.

use super::{CommonArgs, DeviceArgs, ModelRowsArgs, TableOutputArgs};
use clap::Args;
use std::path::PathBuf;

const BOOTSTRAP_EXAMPLES: &str = "\
Examples:
  lcca bootstrap model x.npz y.npz -n 200
  lcca bootstrap model x.csv y.csv --groups families.txt       families are drawn whole
  lcca bootstrap model x.csv y.csv -o intervals.csv            intervals of weights and loadings
  lcca bootstrap model x.csv y.csv --json > bootstrap.json
  lcca report model --bootstrap bootstrap.json -o report.html  the same on a page

docs/inference.md explains how intervals are made and how often they hold the truth.";

/// Find out how sure a model is: intervals and stability from resamples of its rows.
///
/// Rows are drawn with replacement, as many as there are, and the fit is repeated on them. Prints an interval
/// for each correlation, corrected for what fitting adds to it, and how stable each pair is.
#[derive(Args)]
#[command(after_help = BOOTSTRAP_EXAMPLES)]
pub struct BootstrapArgs {
    /// A model written by `lcca fit`
    pub model: PathBuf,
    /// The rows of the first view that the model was trained on
    pub x: PathBuf,
    /// The same rows of the second view
    pub y: PathBuf,
    /// Number of resamples
    #[arg(short, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(2..))]
    pub n: u32,
    /// Draw rows with the same label together: a file with one label per row of X
    ///
    /// A text file has one label per line and no header; a .npy file has one column of numbers. A .csv or
    /// .tsv file of two columns, row names and labels, is put in the order of X by name. Rows that depend on
    /// each other, such as the members of a family, make intervals too narrow if they are drawn one by one.
    #[arg(long, value_name = "FILE")]
    pub groups: Option<PathBuf>,
    /// Seed of the draws
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// The tolerance of fits to resamples that iterate [default: ten times that of the model]
    #[arg(long, value_name = "TOL")]
    pub tol: Option<f64>,
    /// Weight each row by this .npy file of one column, as the fit did
    #[arg(long, value_name = "FILE")]
    pub row_weights: Option<PathBuf>,
    /// Write weights and loadings with their intervals to this .csv, .tsv or .parquet file, one line per
    /// column and pair
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub table: TableOutputArgs,
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub rows: ModelRowsArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}
