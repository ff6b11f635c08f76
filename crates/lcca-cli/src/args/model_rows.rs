//! Flags for the rows that a model is applied to.

use super::ViewTableArgs;
use clap::Args;
use std::path::PathBuf;

/// What the files of X and Y do not say, and what belongs to their rows.
#[derive(Args)]
pub struct ModelRowsArgs {
    /// Covariates of the rows: needed if the model was fitted with covariates
    ///
    /// A matrix in any format, with the rows of X in their order, or with row names that both have; it may
    /// have more rows than X then. Texts of a table become indicators by name. A category that the fitted
    /// rows do not have is an error.
    #[arg(long, value_name = "FILE", requires = "x")]
    pub covariates: Option<PathBuf>,
    #[command(flatten)]
    pub tables: ViewTableArgs,
}
