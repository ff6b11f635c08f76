//! Flags that several commands share.

use super::ViewTableArgs;
use clap::Args;

/// Flags of every command that computes.
#[derive(Args)]
pub struct CommonArgs {
    /// Number of threads [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Print one JSON object to standard output instead of text
    #[arg(long)]
    pub json: bool,
    /// Show no progress bar and no remarks
    #[arg(long, short)]
    pub quiet: bool,
}

/// What files do not say about two views.
#[derive(Args)]
pub struct ReadingArgs {
    /// Number of columns of X if it is an svmlight file [default: the largest index in the file]
    #[arg(long, value_name = "N")]
    pub x_cols: Option<usize>,
    /// Number of columns of Y if it is an svmlight file [default: the largest index in the file]
    #[arg(long, value_name = "N")]
    pub y_cols: Option<usize>,
    #[command(flatten)]
    pub tables: ViewTableArgs,
}

/// How a table with names is written.
#[derive(Args)]
pub struct TableOutputArgs {
    /// In .csv and .tsv, put ' before names that begin with = + - @ | % or a tab: spreadsheets take these for
    /// formulas
    #[arg(long)]
    pub safe_csv: bool,
}
