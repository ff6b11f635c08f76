//! Flags that define the problem to be solved, whatever the method.

use super::ScaleChoice;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct ProblemArgs {
    /// Do not subtract column means
    #[arg(long)]
    pub no_center: bool,
    /// Divide columns by their standard deviations; auto scales measurements if something depends on units
    ///
    /// It is done implicitly: sparse data stay sparse, and weights are in the units of the data. A ridge, rp-cca, l-cca and
    /// g-cca depend on units; without them auto scales nothing. Columns of zeros and ones are never scaled by auto, nor are
    /// views whose other columns are more than three quarters zero, such as counts. With --no-center columns are divided by
    /// their root mean squares.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub scale: ScaleChoice,
    /// Ridge of both views, relative: C + RIDGE·(tr C/p)·I
    #[arg(long, value_name = "RIDGE", default_value_t = 0.0)]
    pub ridge: f64,
    /// Ridge of Y alone [default: the value of --ridge]
    #[arg(long, value_name = "RIDGE")]
    pub ridge_y: Option<f64>,
    /// Weight each row by this .npy file of one column [default: all rows count once]
    #[arg(long, value_name = "FILE")]
    pub row_weights: Option<PathBuf>,
    /// Seed of all random numbers
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Memory that factorizations and components may take, such as 500MB or 8GiB [default: half of the machine's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
}
