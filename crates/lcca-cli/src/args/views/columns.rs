//! The arguments and flags of `lcca views columns`.

use crate::args::{CommonArgs, TableArgs};
use clap::Args;
use lcca_io::views::Selection;
use std::path::PathBuf;

const COLUMNS_EXAMPLES: &str = "\
Examples:
  lcca views columns urls.svm --x first:35% --y last:35% --boolean-only --top 20000 -o views
  lcca views columns m.npz --x 0..5000,7000..8000 --y 5000..7000 -o views
  lcca views columns cells.safetensors --x 'gene_*' --y 'protein_*' -o views

Columns are a list of parts, separated by commas:
  first:35%   last:100     a share or a number of columns from either end
  0..5000     17           numbers from 0, the last not included; or a single one
  'gene_*'                 names, if the columns have them: * matches anything, ? one character

Columns keep their order and their names; columns without names are named by their numbers. The
frequency of a column is the number of rows that have an entry in it.

The folder holds x.safetensors, y.safetensors, x_columns.tsv and y_columns.tsv (name and
entries), and views.json; with --hold-out also x_test.safetensors and y_test.safetensors.";

/// Cut one matrix into two views by columns.
#[derive(Args)]
#[command(after_help = COLUMNS_EXAMPLES)]
pub struct ColumnsArgs {
    /// Any matrix lcca reads
    pub matrix: PathBuf,
    /// Columns of x; see below
    #[arg(long, value_name = "COLUMNS")]
    pub x: Selection,
    /// Columns of y; see below
    #[arg(long, value_name = "COLUMNS")]
    pub y: Selection,
    /// Write the views to this folder, which must not exist
    #[arg(long, short, value_name = "DIR")]
    pub output: PathBuf,
    /// Take the first N rows only [default: all]
    #[arg(long, value_name = "N")]
    pub rows: Option<usize>,
    /// Hold out rows 1, N+1, 2N+1 and so on: they go to x_test and y_test, the others to x and y
    ///
    /// Columns are chosen from all rows, so that both parts have the same columns; x_columns.tsv counts all
    /// rows as well.
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
    /// Drop the N most frequent columns of x [default: the value of --skip]
    #[arg(long, value_name = "N")]
    pub x_skip: Option<usize>,
    /// Drop the N most frequent columns of y [default: the value of --skip]
    #[arg(long, value_name = "N")]
    pub y_skip: Option<usize>,
    /// Keep the N most frequent of the remaining columns [default: all]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Number of columns of an svmlight file [default: the largest index in the file]
    #[arg(long, value_name = "N")]
    pub cols: Option<usize>,
    #[command(flatten)]
    pub tables: TableArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}
