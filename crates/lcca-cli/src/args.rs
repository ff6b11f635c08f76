//! What can be typed: help, documentation and completions come from here.

mod compare;
pub mod export;
pub mod views;

pub use compare::{CompareArgs, RIVALS};

use clap::builder::PossibleValuesParser;
use clap::{Args, Parser, Subcommand};
use lcca::method::{Inner, Method};
use std::path::PathBuf;

/// Canonical correlation analysis on huge sparse data.
///
/// Two files hold two views of the same rows: words and contexts, English and French, URLs and hosts. lcca finds the
/// directions of each that correlate most with the other.
#[derive(Parser)]
#[command(name = "lcca", version, propagate_version = true, after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  lcca demo                                    see it work on generated data
  lcca fit x.npz y.npz -k 20 -o model          train
  lcca score model x_test.npz y_test.npz       correlations on rows the model has not seen
  lcca transform model --x x.npz -o zx.npy     canonical variables
  lcca report model x.npz y.npz -o report.html what was found, as a page for any browser
  lcca compare x.npz y.npz -o comparison       the paper's experiment on your data
  lcca views text pairs.tsv --x en --y fr -o d two views from raw texts, for lcca fit
  lcca neighbors model house                   what is near a column, in both views
  lcca export model -o words.vec               weights or word vectors for other programs
  lcca convert x.mtx.gz x.safetensors          the store that opens at once and needs no memory

Files: SciPy .npz, NumPy .npy, MatrixMarket .mtx, svmlight .svm, tables .csv .tsv .parquet .arrow,
folders with matrix.mtx, the store .safetensors; text formats and .npy also as .gz or .zst.";

#[derive(Subcommand)]
pub enum Command {
    /// Run the paper's methods on generated data: table and figures
    Demo(DemoArgs),
    /// Find the canonical variables of two views
    Fit(Box<FitArgs>),
    /// Compute the canonical variables of rows, with a model
    Transform(TransformArgs),
    /// Correlate the canonical variables of given rows, with a model
    Score(ScoreArgs),
    /// Write weights, loadings or word vectors of a model for other programs
    Export(export::ExportArgs),
    /// Find the columns nearest to a column, in its own view and in the other
    Neighbors(export::NeighborsArgs),
    /// Write a page about a model: correlations, leading columns, convergence
    Report(ReportArgs),
    /// Run the paper's methods on your data at equal CPU time
    Compare(Box<CompareArgs>),
    /// Make two views from raw data: texts, a corpus, one matrix
    Views(views::ViewsArgs),
    /// Write a matrix in another format
    Convert(ConvertArgs),
    /// Say what a file holds
    Info(InfoArgs),
    /// Print a completion script for a shell
    Completions(CompletionsArgs),
}

/// Flags that every command that computes has.
#[derive(Args)]
pub struct Common {
    /// Threads to use [default: all cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub threads: Option<u32>,
    /// Print one JSON object to standard output instead of text
    #[arg(long)]
    pub json: bool,
    /// No progress bar, no remarks
    #[arg(long, short)]
    pub quiet: bool,
}

/// How svmlight files, which do not say, are to be read.
#[derive(Args)]
pub struct Reading {
    /// Columns of X, for svmlight files, which do not say [default: the largest seen]
    #[arg(long, value_name = "N")]
    pub x_cols: Option<usize>,
    /// Columns of Y, likewise
    #[arg(long, value_name = "N")]
    pub y_cols: Option<usize>,
    /// svmlight files count columns from 0, not 1
    #[arg(long)]
    pub zero_based: bool,
}

/// Find the canonical variables of two views.
#[derive(Args)]
#[command(after_help = FIT_EXAMPLES, allow_negative_numbers = true)]
pub struct FitArgs {
    /// The first view: one row a sample
    pub x: PathBuf,
    /// The second view: the same rows
    pub y: PathBuf,
    /// Pairs of canonical variables [default: 20, or as many as the data allow]
    #[arg(short, value_name = "K")]
    pub k: Option<usize>,
    /// Where to write the model (a safetensors file)
    #[arg(long, short, value_name = "MODEL")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub method: MethodArgs,
    #[command(flatten)]
    pub problem: ProblemArgs,
    /// Ridges to choose from, such as 0.001,0.01,0.1: each is tried on rows held out
    ///
    /// Rows are dealt to --folds folds at random. For each fold every ridge is fitted to the other rows and scored on the fold;
    /// the model is then fitted to all rows with the ridge chosen by --select. Fits along the path start from each other.
    #[arg(long, value_name = "RIDGES", value_delimiter = ',', conflicts_with_all = ["ridge", "ridge_y", "resume"])]
    pub ridge_path: Vec<f64>,
    /// Folds that rows are dealt to
    #[arg(long, value_name = "K", default_value_t = 5, requires = "ridge_path")]
    pub folds: usize,
    /// Which ridge to take: simplest is the largest within one standard error of the best
    #[arg(long, value_name = "RULE", default_value = "simplest", requires = "ridge_path")]
    pub select: Select,
    /// Draw how the ridges did: a .svg or .png file
    #[arg(long, value_name = "FILE", requires = "ridge_path")]
    pub path_figure: Option<PathBuf>,
    /// What may be missing from the total, relative to it, to count as converged
    #[arg(long, value_name = "TOL", default_value_t = 1e-4)]
    pub tol: f64,
    /// Begin no iteration after this many passes over the rows or their Gram matrices
    #[arg(long, value_name = "N")]
    pub max_passes: Option<f64>,
    /// Bound how far each objective value is from a true one, by more passes over the rows
    ///
    /// Where both views have a ridge the bounds are rigorous. Elsewhere they are conditional: they hold if no direction of
    /// the data has a share of its columns' variance between 0 and 1e-12. They do not prove that no larger pair was missed.
    /// A fit that is shown to miss more than the tolerance allows no longer counts as converged. The model has the same numbers
    /// and keeps the bounds for lcca report. --max-passes does not count these passes.
    #[arg(long)]
    pub certify: bool,
    /// Save where the fit stands in FILE as it goes and on Ctrl-C; where FILE exists, go on from it
    #[arg(long, value_name = "FILE")]
    pub resume: Option<PathBuf>,
    /// Seconds between savings, at least
    #[arg(long, value_name = "SECONDS", default_value_t = lcca_io::Saver::EVERY_SECONDS, requires = "resume")]
    pub save_every: f64,
    /// Look for no structure (one-hot views, equal rows, empty columns, Gram matrices) that makes the problem smaller
    #[arg(long)]
    pub no_structure: bool,
    /// Exit with code 1 where the tolerance was not reached
    #[arg(long)]
    pub strict: bool,
    #[command(flatten)]
    pub reading: Reading,
    #[command(flatten)]
    pub common: Common,
}

/// Which of several ridges to take.
#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Select {
    Simplest,
    Best,
}

const FIT_EXAMPLES: &str = "\
Examples:
  lcca fit x.npz y.npz -k 20 -o model
  lcca fit x.npz y.npz -k 20 --method d-cca --t1 100 --no-center
  lcca fit x.svm.gz y.svm.gz --method l-cca --k-pc 100 --t2 38 --ridge 0.01 -o model
  lcca fit x.npy y.npy --json > result.json
  lcca fit x.npz y.npz --ridge 0.01 --certify
  lcca fit x.npz y.npz --ridge-path 0.001,0.01,0.1,1 -o model     the ridge that does best on rows held out
  lcca fit x.npz y.npz -k 20 -o model --resume state     stop it at any time; the same command goes on

Methods:
  auto          the exact answer by whichever of the next four suits the data
  lobpcg        the exact answer in tens to a hundred and some passes over the rows (--tol --max-passes --oversample)
  shift-invert  lobpcg on the Gram matrices of sparse views, with one large Cholesky factor: few iterations, much memory
  gram          the exact answer from Gram matrices: for narrow views
  exact         the exact answer by QR and SVD: for small data
Methods of Lu & Foster 2014:
  l-cca         alternating least squares by LING: singular vectors, then gradient descent (--t1 --t2 --k-pc)
  g-cca         the same by gradient descent alone (--t1 --t2)
  d-cca         the same with the Gram matrix's diagonal: fast, exact for one-hot views (--t1)
  als           the same solved exactly by Cholesky factorisation or, with --inner cg, by conjugate gradients (--t1 --t2)
  rp-cca        exact between leading principal components (--k-rpcca)";

/// What is to be solved, whatever the method.
#[derive(Args)]
pub struct ProblemArgs {
    /// Subtract no column means
    #[arg(long)]
    pub no_center: bool,
    /// Ridge of both views, relative: C + RIDGE·(tr C/p)·I
    #[arg(long, value_name = "RIDGE", default_value_t = 0.0)]
    pub ridge: f64,
    /// Ridge of Y alone [default: the same]
    #[arg(long, value_name = "RIDGE")]
    pub ridge_y: Option<f64>,
    /// A weight for every row: a .npy file with one column
    #[arg(long, value_name = "FILE")]
    pub row_weights: Option<PathBuf>,
    /// Seed of all random numbers
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// Memory that factorisations and components may take, such as 500MB or 8GiB [default: half of the machine's]
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
}

/// The method and its parameters.
#[derive(Args)]
pub struct MethodArgs {
    /// How to compute
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = PossibleValuesParser::new(Method::NAMES))]
    pub method: String,
    /// Iterations of the alternating loop [default: 5 for l-cca and g-cca, 30 for d-cca and als]
    #[arg(long, value_name = "N")]
    pub t1: Option<usize>,
    /// Gradient steps for each least-squares problem [default: 38 for l-cca, 51 for g-cca, at most 500 for als --inner cg]
    #[arg(long, value_name = "N")]
    pub t2: Option<usize>,
    /// How als solves its least-squares problems: cg forms no matrix of columns by columns [default: cholesky]
    #[arg(long, value_name = "SOLVER", value_parser = PossibleValuesParser::new(Inner::NAMES))]
    pub inner: Option<String>,
    /// Singular vectors of l-cca [default: 100]
    #[arg(long, value_name = "N")]
    pub k_pc: Option<usize>,
    /// Principal components of rp-cca [default: 500]
    #[arg(long, value_name = "N")]
    pub k_rpcca: Option<usize>,
    /// Extra columns carried along [default: half of k for lobpcg, 10 for the randomized SVD]
    #[arg(long, value_name = "N")]
    pub oversample: Option<usize>,
    /// Power iterations of the randomized SVD
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub power: usize,
}

/// Compute the canonical variables of rows, with a model.
#[derive(Args)]
#[command(after_help = "Example:\n  lcca transform model --x x_test.npz -o zx.npy")]
#[group(id = "side", required = true, multiple = false, args = ["x", "y"])]
pub struct TransformArgs {
    /// A model written by `lcca fit`
    pub model: PathBuf,
    /// Rows of the first view
    #[arg(long, value_name = "FILE")]
    pub x: Option<PathBuf>,
    /// Rows of the second view
    #[arg(long, value_name = "FILE")]
    pub y: Option<PathBuf>,
    /// Where to write them: a .npy file, one row a sample
    #[arg(long, short, value_name = "SCORES.npy")]
    pub output: PathBuf,
    /// svmlight files count columns from 0, not 1
    #[arg(long)]
    pub zero_based: bool,
    #[command(flatten)]
    pub common: Common,
}

/// Correlate the canonical variables of given rows, with a model.
#[derive(Args)]
#[command(after_help = "Examples:\n  lcca score model x_test.npz y_test.npz --json\n  \
                        lcca score model x_test.npz y_test.npz --permutations 999    p-values")]
pub struct ScoreArgs {
    /// A model written by `lcca fit`
    pub model: PathBuf,
    /// Rows of the first view
    pub x: PathBuf,
    /// The same rows of the second view
    pub y: PathBuf,
    /// Test each correlation against this many random orders of the rows, such as 999; for rows not trained on
    ///
    /// Prints a p-value for each pair alone, and one adjusted so that the chance of any false finding among all pairs is
    /// controlled. On training rows p-values mean nothing: the weights have seen them.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub permutations: Option<u32>,
    /// Seed of the random orders
    #[arg(long, default_value_t = 0, requires = "permutations")]
    pub seed: u64,
    /// svmlight files count columns from 0, not 1
    #[arg(long)]
    pub zero_based: bool,
    #[command(flatten)]
    pub common: Common,
}

/// Write a page about a model: one HTML file that needs nothing else.
///
/// It says how the fit ended and shows the correlations, the columns that lead each component, by name where the views
/// have names, and how the fit converged. With rows, seen in training or not, it also shows the correlations on these and the
/// canonical variables of up to 2,000 of them. It is under 2 MB, fetches nothing and prints well.
#[derive(Args)]
#[command(after_help = REPORT_EXAMPLES)]
pub struct ReportArgs {
    /// A model written by `lcca fit`
    pub model: PathBuf,
    /// Rows of the first view
    #[arg(requires = "y")]
    pub x: Option<PathBuf>,
    /// The same rows of the second view
    pub y: Option<PathBuf>,
    /// Where to write the page
    #[arg(long, short, value_name = "REPORT.html")]
    pub output: PathBuf,
    /// svmlight files count columns from 0, not 1
    #[arg(long)]
    pub zero_based: bool,
    #[command(flatten)]
    pub common: Common,
}

const REPORT_EXAMPLES: &str = "\
Examples:
  lcca report model -o report.html
  lcca report model x_test.npz y_test.npz -o report.html     with correlations on these rows

From raw texts to a page in three commands:
  lcca views text pairs.tsv --x english --y french --lowercase -o views
  lcca fit views/x.safetensors views/y.safetensors --ridge 0.01 -o model
  lcca report model views/x.safetensors views/y.safetensors -o report.html";

/// Write a matrix in another format, chosen by the extension.
#[derive(Args)]
#[command(after_help = "Example:\n  lcca convert x.svm.gz x.safetensors --cols 20000")]
pub struct ConvertArgs {
    /// Any file lcca reads
    pub input: PathBuf,
    /// .safetensors (the store), .npz, .npy or .mtx
    pub output: PathBuf,
    /// Columns, for svmlight files, which do not say [default: the largest seen]
    #[arg(long, value_name = "N")]
    pub cols: Option<usize>,
    /// svmlight files count columns from 0, not 1
    #[arg(long)]
    pub zero_based: bool,
    #[command(flatten)]
    pub common: Common,
}

/// Say what a matrix or model file holds.
#[derive(Args)]
#[command(after_help = "Example:\n  lcca info model --json")]
pub struct InfoArgs {
    /// A matrix or a model
    pub file: PathBuf,
    /// svmlight files count columns from 0, not 1
    #[arg(long)]
    pub zero_based: bool,
    #[command(flatten)]
    pub common: Common,
}

/// Run the paper's methods on generated data.
#[derive(Args)]
#[command(after_help = "Example:\n  lcca demo -o figures")]
pub struct DemoArgs {
    /// Folder for the figures, made if it is not there
    #[arg(long, short, value_name = "DIR", default_value = "lcca-demo")]
    pub output: PathBuf,
    #[command(flatten)]
    pub common: Common,
}

/// Print a completion script.
#[derive(Args)]
#[command(after_help = "Example:\n  lcca completions bash > ~/.local/share/bash-completion/completions/lcca")]
pub struct CompletionsArgs {
    /// The shell
    pub shell: clap_complete::Shell,
}
