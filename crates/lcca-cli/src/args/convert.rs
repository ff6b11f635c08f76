//! The arguments and flags of `lcca convert`.

use super::{CommonArgs, TableArgs};
use clap::Args;
use std::path::PathBuf;

/// Write a matrix in another format, chosen by the extension of the output.
#[derive(Args)]
#[command(after_help = "Example:\n  lcca convert x.svm.gz x.safetensors --cols 20000")]
pub struct ConvertArgs {
    /// Any matrix lcca reads; - for standard input
    pub input: PathBuf,
    /// The file to write: .safetensors (the store), .npz, .npy or .mtx
    pub output: PathBuf,
    /// Number of columns of an svmlight file [default: the largest index in the file]
    #[arg(long, value_name = "N")]
    pub cols: Option<usize>,
    #[command(flatten)]
    pub tables: TableArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}
