//! The arguments and flags of `lcca fit`.

use super::method::methods_help;
use super::{CommonArgs, DeviceArgs, MethodArgs, ProblemArgs, ReadingArgs, RidgeRule};
use clap::Args;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  lcca fit x.npz y.npz -k 20 -o model
  lcca fit x.npz y.npz -k 20 --method d-cca --t1 100 --no-center
  lcca fit x.svm.gz y.svm.gz --method l-cca --k-pc 100 --t2 38 --ridge 0.01 -o model
  lcca fit x.npy y.npy --json > result.json
  lcca fit x.npz y.npz --ridge 0.01 --certify
  lcca fit x.csv y.csv --ridge 0.1 --hold-out 0.2 -o model   what is left on held-out rows
  lcca fit x.npz y.npz --covariates age_sex_site.csv -o model   without what covariates explain
  lcca fit x.npz y.npz --metric pls -o model   covariances instead of correlations
  lcca fit x.npz y.npz --ridge-path 0.001,0.01,0.1,1 -o model   the best ridge on held-out rows
  lcca fit x.npz y.npz -k auto -o model   as many pairs as held-out rows can prove
  lcca fit x.npz y.npz -k 20 -o model --resume state   stop it; the same command continues
";

/// The number of pairs as typed.
#[derive(Clone, Copy)]
pub enum PairCount {
    /// As many as held-out rows can prove.
    Auto,
    Given(usize),
}

fn pair_count(typed: &str) -> Result<PairCount, String> {
    match typed {
        "auto" => Ok(PairCount::Auto),
        typed => {
            typed.parse().map(PairCount::Given).map_err(|_| "expected a number of pairs or auto".to_string())
        }
    }
}

const GLOSSARY: &str = "\
The numbers of the output:
  correlation     of a pair's two canonical variables on the fitted rows; 1 is a perfect match
  held out        the same for a fit to some of the rows, on the others; in training, on its own
  objective       what the fit maximizes and pairs are ordered by; without a ridge the correlation,
                  with --metric pls or diagonal a covariance
  residual        how far a pair is from an exact solution; 0 is exact, 1e-2 usual at --tol 1e-4
  captured total  the sum of the correlations between both sets of variables; at most 1 per pair
  missing         the share of the total that more iterations would add, about; --tol is allowed
  passes, work    readings of the rows, and products with k columns that were formed
docs/glossary.md explains every word, docs/ridge.md ridges, units and held-out rows, and
docs/methods.md the methods.";

fn after_help() -> String {
    format!("{EXAMPLES}\n{}\n{GLOSSARY}", methods_help())
}

/// Find the canonical variables of two views.
#[derive(Args)]
#[command(after_help = after_help(), allow_negative_numbers = true)]
pub struct FitArgs {
    /// The first view: a matrix with one row per sample
    pub x: PathBuf,
    /// The second view: a matrix with the same rows
    pub y: PathBuf,
    /// Number of pairs of canonical variables, or auto [default: 20, or as many as the data allow]
    ///
    /// auto holds out 30% of the rows, at most 20,000, fits up to 50 pairs to the others, and keeps those
    /// before the first that does not correlate on the held-out rows beyond chance. The model is then fitted
    /// to all rows. Not possible with --resume.
    #[arg(short, value_name = "K", value_parser = pair_count)]
    pub k: Option<PairCount>,
    /// Write the model to this safetensors file
    #[arg(long, short, value_name = "MODEL")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub method: MethodArgs,
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Covariates of the rows: both views are replaced by what these do not explain (partial CCA)
    ///
    /// A matrix in any format, with the rows of X in their order, or with row names that both have; it may
    /// have more rows than X then. Texts of a table become indicators by name. Constant columns and columns
    /// that depend on others are fine. The model keeps the coefficients, and needs the covariates of rows
    /// that it transforms or scores. Not possible with --resume.
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    pub covariates: Option<PathBuf>,
    /// Choose among these ridges, such as 0.001,0.01,0.1, by cross-validation
    ///
    /// Rows are dealt to --folds folds at random. For each fold every ridge is fitted to the other rows and
    /// scored on the fold; the model is then fitted to all rows with the ridge chosen by --select. Fits along
    /// the path start from each other.
    #[arg(long, value_name = "RIDGES", value_delimiter = ',', conflicts_with_all = ["ridge", "ridge_y", "resume"])]
    pub ridge_path: Vec<f64>,
    /// Number of folds for --ridge-path
    #[arg(long, value_name = "K", default_value_t = 5, requires = "ridge_path")]
    pub folds: usize,
    /// Which ridge of --ridge-path to take; simplest is the largest within one standard error of the best
    #[arg(long, value_name = "RULE", default_value = "simplest", requires = "ridge_path")]
    pub select: RidgeRule,
    /// Draw the scores of --ridge-path to this .svg or .png file
    #[arg(long, value_name = "FILE", requires = "ridge_path")]
    pub path_figure: Option<PathBuf>,
    /// Keep rows with the same label together, such as families: a file with one label per row of X
    ///
    /// For --ridge-path, --hold-out and -k auto. A text file has one label per line and no header; a .npy
    /// file has one column of numbers. A .csv or .tsv file of two columns, row names and labels, is put in
    /// the order of X by name.
    #[arg(long, value_name = "FILE")]
    pub fold_groups: Option<PathBuf>,
    /// Add Wilks' test of how many pairs correlate: for small dense data, normal, with many more rows than
    /// columns
    ///
    /// Tests for each pair that it and all after it correlate by chance only, by Bartlett's chi-square
    /// approximation, on all rows, without a ridge. Degrees of freedom count the rank of each view, and each
    /// covariate takes a row off. It assumes independent rows and normal data; --permutations of lcca score
    /// on held-out rows assumes only the first.
    #[arg(long, conflicts_with = "row_weights")]
    pub wilks: bool,
    /// Hold this share of the rows out, such as 0.2, and print training and held-out correlations side by
    /// side
    ///
    /// Random rows are kept aside, the others are fitted and scored on them; then all rows are fitted from
    /// there, and the model is the one of all rows. auto does it with 0.2 if training correlations alone
    /// would mislead, that is if views without any relation would reach 0.3 on so few rows, and if it takes a
    /// few seconds at most. no never does. With --ridge-path the ridge is chosen first, on all rows. Not
    /// possible with --resume.
    #[arg(long, value_name = "SHARE", default_value = "auto")]
    pub hold_out: String,
    /// The share of the total that may be missing for the fit to count as converged
    #[arg(long, value_name = "TOL", default_value_t = 1e-4)]
    pub tol: f64,
    /// Begin no iteration after this many passes over the rows or their Gram matrices [default: no limit]
    #[arg(long, value_name = "N")]
    pub max_passes: Option<f64>,
    /// Bound how far each objective value is from a true one, with more passes over the rows
    ///
    /// If both views have a ridge, the bounds are rigorous. Otherwise they are conditional: they hold if no
    /// direction of the data has a share of its columns' variance between 0 and 1e-12. Larger pairs that the
    /// fit may have missed are looked for as well: views of up to about 3,000 columns are solved exactly; up
    /// to 14,400 columns of both views together are factorized, and wider ones where sparse Gram matrices
    /// make that as cheap, which proves how many values exceed a bound and finds pairs that were missed;
    /// others are searched from random directions, which takes up to about 1,200 passes of 8 columns and
    /// proves nothing if it finds nothing. A fit that is shown to miss more than the tolerance allows no
    /// longer counts as converged. The model has the same numbers and keeps the bounds for lcca report.
    /// --max-passes does not count these passes.
    #[arg(long)]
    pub certify: bool,
    /// Save the state of the fit in FILE as it runs and on Ctrl-C; continue from FILE if it exists
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Save the state for --resume at most once in this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = lcca_io::Saver::EVERY_SECONDS, requires = "resume")]
    pub save_every: f64,
    /// Do not look for structure that makes the problem smaller: one-hot views, equal rows, empty columns,
    /// Gram matrices
    #[arg(long)]
    pub no_structure: bool,
    /// Exit with code 1 if the tolerance was not reached
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub reading: ReadingArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}
