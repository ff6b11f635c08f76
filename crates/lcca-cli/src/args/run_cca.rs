//! The arguments and flags of `lcca run-cca`.

use super::{CommonArgs, NormalizeChoice, TableOutputArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  lcca run-cca control.safetensors treated.safetensors -o aligned
  lcca run-cca a.npz b.npz --normalize-rows log1p --scale-columns -o aligned

The folder holds x.npy and y.npy, one row per sample of each file and one column per component, and
run-cca.json with the singular values. docs/single-cell.md shows how files of single cells get here.";

/// Embed two data sets with the same columns and different rows, as Seurat's RunCCA does.
///
/// Each row is standardized over its columns; the embeddings are the leading singular vectors of the product
/// of all rows of one file with all rows of the other. That product is never formed: memory is that of
/// columns × columns.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct RunCcaArgs {
    /// The first data set: one row per cell, one column per gene
    pub x: PathBuf,
    /// The second data set, with the same columns
    pub y: PathBuf,
    /// Number of components [default: 20, or as many as the data allow]
    #[arg(short, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    pub k: Option<u32>,
    /// Write the embeddings to this folder, which must be new or empty
    #[arg(long, short, value_name = "FOLDER")]
    pub output: PathBuf,
    /// The format of the embeddings; tables have the names of the rows, if these have names
    #[arg(long, value_name = "FORMAT", default_value = "npy")]
    pub format: TableFormat,
    #[command(flatten)]
    pub table: TableOutputArgs,
    /// Normalize each row first, as in lcca fit: log1p is usual for counts
    #[arg(long, value_name = "HOW", default_value = "no")]
    pub normalize_rows: NormalizeChoice,
    /// Bring each column of each file to mean 0 and deviation 1 first, implicitly
    ///
    /// It is what Seurat's ScaleData does, but values above 10 are not cut off: that would make sparse data
    /// dense.
    #[arg(long)]
    pub scale_columns: bool,
    /// Memory that matrices of columns × columns may take, such as 8GiB [default: half of the machine's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// A format of embeddings.
#[derive(Clone, Copy, ValueEnum)]
pub enum TableFormat {
    Npy,
    Csv,
    Tsv,
    Parquet,
}
