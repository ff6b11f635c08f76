//! What can be typed after `lcca views columns`.

use crate::args::Common;
use clap::Args;
use lcca_io::views::Selection;
use std::path::PathBuf;

const COLUMNS_EXAMPLES: &str = "\
Examples:
  lcca views columns urls.svm --x first:35% --y last:35% --boolean-only --top 20000 -o views
  lcca views columns m.npz --x 0..5000,7000..8000 --y 5000..7000 -o views
  lcca views columns cells.safetensors --x 'gene_*' --y 'protein_*' -o views

Columns are parts with commas between them:
  first:35%   last:100     a share or a number of columns from either end
  0..5000     17           numbers from 0, the last not included; or a single one
  'gene_*'                 names, where columns have them: * is anything, ? one character

Columns keep their order, and their names; where they have none, their numbers become their
names. How frequent a column is, is how many of the rows have an entry in it.

The folder holds x.safetensors, y.safetensors, x_columns.tsv and y_columns.tsv (name and
entries), and views.json; with --hold-out also x_test.safetensors and y_test.safetensors.";

/// One matrix cut into two by columns.
#[derive(Args)]
#[command(after_help = COLUMNS_EXAMPLES)]
pub struct ColumnsArgs {
    /// Any matrix lcca reads
    pub matrix: PathBuf,
    /// Columns of x
    #[arg(long, value_name = "COLUMNS")]
    pub x: Selection,
    /// Columns of y
    #[arg(long, value_name = "COLUMNS")]
    pub y: Selection,
    /// Folder to write, which must not be there
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// Take the first N rows only
    #[arg(long, value_name = "N")]
    pub rows: Option<usize>,
    /// Hold out rows 1, N+1, 2N+1 and so on: they go to x_test and y_test, the others to x and y
    ///
    /// Columns are chosen from all rows, so that both parts have the same; x_columns.tsv counts all rows as well.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..))]
    pub hold_out: Option<u32>,
    /// Drop columns with values other than 0 and 1
    #[arg(long)]
    pub boolean_only: bool,
    /// Keep columns with at least N entries
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub min_count: u64,
    /// Drop the N most frequent columns of each view
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub skip: usize,
    /// The same for x alone
    #[arg(long, value_name = "N")]
    pub x_skip: Option<usize>,
    /// The same for y alone
    #[arg(long, value_name = "N")]
    pub y_skip: Option<usize>,
    /// Keep the N most frequent of the others
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Columns of the matrix, for svmlight files, which do not say [default: the largest seen]
    #[arg(long, value_name = "N")]
    pub cols: Option<usize>,
    /// svmlight files count columns from 0, not 1
    #[arg(long)]
    pub zero_based: bool,
    #[command(flatten)]
    pub common: Common,
}
