//! The arguments and flags of `lcca report`.

use super::{CommonArgs, ModelRowsArgs};
use clap::Args;
use std::path::PathBuf;

const REPORT_EXAMPLES: &str = "\
Examples:
  lcca report model -o report.html
  lcca report model x_test.npz y_test.npz -o report.html     with correlations on these rows
  lcca report model x.npz y.npz --label labels.txt -o report.html    with rows colored by label
  lcca report model --bootstrap bootstrap.json -o report.html   with intervals and stability

From raw texts to a page in three commands:
  lcca views text pairs.tsv --x english --y french --lowercase -o views
  lcca fit views/x.safetensors views/y.safetensors --ridge 0.01 -o model
  lcca report model views/x.safetensors views/y.safetensors -o report.html

The words of the page (component or pair, objective, captured total, pass, missing) are explained in
docs/glossary.md.";

/// Write a page about a model: what was found, how sure it is, and pictures of it.
///
/// It is one HTML file that needs nothing else. It says in plain words what was found, how sure it is and
/// what to do next. It shows the correlations, the columns that lead each component (by name if the views
/// have names), how columns go together, and how the fit converged. Given rows, it says whether the model was
/// trained on them, and shows the correlations on them and the canonical variables of up to 2,000 of them,
/// colored by label. The file is under 2 MB, fetches nothing and prints well.
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
    /// Show the intervals and stability of this file, printed by `lcca bootstrap --json`
    #[arg(long, value_name = "FILE")]
    pub bootstrap: Option<PathBuf>,
    /// Show the p-values of this file, printed by `lcca score --permutations N --json`
    #[arg(long, value_name = "FILE")]
    pub scores: Option<PathBuf>,
    /// Color the rows by this file: one label per row of X
    ///
    /// A text file with one label per line, as `lcca views text --label` writes labels.txt, a .npy file of
    /// one column, or a .csv or .tsv file of two columns, row names and labels, which is put in the order of
    /// X by name. If there is one line more than rows, the first is a header. Without this flag, labels.txt
    /// beside views that `lcca views` wrote is taken.
    #[arg(long, value_name = "FILE", requires = "x")]
    pub label: Option<PathBuf>,
    /// Write the page to this file
    #[arg(long, short, value_name = "REPORT.html")]
    pub output: PathBuf,
    #[command(flatten)]
    pub rows: ModelRowsArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}
