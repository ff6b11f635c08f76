//! Flags that define the problem, for every method.

use super::{MetricChoice, NormalizeChoice, ScaleChoice};
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct ProblemArgs {
    /// Do not subtract column means
    #[arg(long)]
    pub no_center: bool,
    /// Divide columns by their standard deviations; auto scales measurements if something depends on units
    ///
    /// It is done implicitly: sparse data stay sparse, and weights are in the units of the data. A ridge,
    /// rp-cca, l-cca and g-cca depend on units; without them auto scales nothing. Columns of zeros and ones
    /// are never scaled by auto, nor are views whose other columns are more than three quarters zero, such as
    /// counts. With --no-center columns are divided by their root mean squares.
    #[arg(long, value_name = "WHEN", default_value = "auto")]
    pub scale: ScaleChoice,
    /// Normalize each row first: divide it by its length or sum, or take log(1 + 10,000·x/sum) (log1p, usual
    /// for single cells)
    ///
    /// Zeros stay zeros, so sparse data stay sparse; their values are copied once, 4 bytes per entry, or 8 if
    /// they are doubles. sum and log1p refuse negative values. The model remembers it, and score, transform
    /// and report do the same to new rows.
    #[arg(long, value_name = "HOW", default_value = "no")]
    pub normalize_rows: NormalizeChoice,
    /// The same for Y alone [default: the value of --normalize-rows]
    #[arg(long, value_name = "HOW")]
    pub normalize_rows_y: Option<NormalizeChoice>,
    /// How the length of weights is measured: cca maximizes correlations, pls covariances, diagonal those of
    /// scaled columns
    ///
    /// With weights of length wᵀBw = 1: B = C + λI is CCA, B = I is PLS-SVD, the singular value decomposition
    /// of XᵀY, and B = diag C is diagonal CCA, the same of columns divided by their standard deviations. With
    /// pls and diagonal the objective is a covariance, with n as divisor; correlations are always
    /// correlations. pls depends on units: see --scale. A ridge belongs to cca.
    #[arg(long, value_name = "METRIC", default_value = "cca")]
    pub metric: MetricChoice,
    /// The metric of Y alone [default: the value of --metric]
    #[arg(long, value_name = "METRIC")]
    pub metric_y: Option<MetricChoice>,
    /// Ridge of both views, relative: C + RIDGE·(tr C/p)·I
    #[arg(long, value_name = "RIDGE", default_value_t = 0.0)]
    pub ridge: f64,
    /// Ridge of Y alone [default: the value of --ridge]
    #[arg(long, value_name = "RIDGE")]
    pub ridge_y: Option<f64>,
    /// Weight each row by this .npy file of one column, or by a table of row names and weights [default: all
    /// rows count once]
    #[arg(long, value_name = "FILE")]
    pub row_weights: Option<PathBuf>,
    /// Seed of all random numbers
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Memory that factorizations and components may take, such as 500MB or 8GiB [default: half of the
    /// machine's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
}
