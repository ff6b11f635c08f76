//! Flags that decide which tokens become columns. The frequency of a token is the number of rows that have
//! it.

use super::TieChoice;
use clap::Args;

#[derive(Args)]
pub struct KeepArgs {
    /// Keep tokens that occur in at least N rows [default: 2]
    #[arg(long, value_name = "N")]
    pub min_count: Option<u64>,
    /// Drop tokens that occur in more than this share of the rows, such as 0.5 [default: keep them]
    #[arg(long, value_name = "SHARE")]
    pub max_share: Option<f64>,
    /// Drop the N most frequent tokens
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub skip: usize,
    /// Drop the N most frequent tokens of x [default: the value of --skip]
    #[arg(long, value_name = "N")]
    pub x_skip: Option<usize>,
    /// Drop the N most frequent tokens of y [default: the value of --skip]
    #[arg(long, value_name = "N")]
    pub y_skip: Option<usize>,
    /// Keep the N most frequent of the remaining tokens [default: all]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Keep the N most frequent tokens of x [default: the value of --top]
    #[arg(long, value_name = "N")]
    pub x_top: Option<usize>,
    /// Keep the N most frequent tokens of y [default: the value of --top]
    #[arg(long, value_name = "N")]
    pub y_top: Option<usize>,
    /// Which of equally frequent tokens comes first: by name, or the one that appeared first
    #[arg(long, value_enum, value_name = "ORDER", default_value = "name")]
    pub ties: TieChoice,
}
