//! The arguments and flags of `lcca info`.

use super::{CommonArgs, TableArgs};
use clap::Args;
use std::path::PathBuf;

/// Describe the contents of a matrix or model file.
#[derive(Args)]
#[command(after_help = "Example:\n  lcca info model --json")]
pub struct InfoArgs {
    /// A matrix or a model
    pub file: PathBuf,
    /// Check every number and name of a store or model against the checksums in its file
    #[arg(long)]
    pub verify: bool,
    #[command(flatten)]
    pub tables: TableArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}
