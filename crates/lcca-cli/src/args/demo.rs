//! The arguments and flags of `lcca demo`.

use super::CommonArgs;
use clap::Args;
use std::path::PathBuf;

/// Run the paper's methods on generated data and draw the results.
#[derive(Args)]
#[command(after_help = "Example:\n  lcca demo -o figures")]
pub struct DemoArgs {
    /// Write the figures to this folder, which is created if it does not exist
    #[arg(long, short, value_name = "DIR", default_value = "lcca-demo")]
    pub output: PathBuf,
    #[command(flatten)]
    pub common: CommonArgs,
}
