//! The arguments and flags of `lcca export`.

use super::{CommonArgs, ContentChoice, SideChoice, TableOutputArgs};
use clap::Args;
use std::path::PathBuf;

const EXPORT_EXAMPLES: &str = "\
Examples:
  lcca export model -o words.vec --what vectors        for gensim and others that read word2vec
  lcca export model --view y --what loadings -o y.csv
  lcca export model -o weights.npy                     and weights.npy.names.txt, one name per line

What:
  weights     the canonical variables of a view are its columns, less their means, times these
  loadings    the correlation of each column with each canonical variable of its view
  vectors     word vectors (eigenwords: Dhillon, Foster, Ungar 2015): if each row is one word, the
              whitened projection of that word. They are the weights times the square root of the
              number of rows, which gives canonical variables of variance one (if there are no row
              weights and no ridge); their directions are those of the weights

Formats, by extension:
  .txt .vec   word2vec's text: one line with both sizes, then one line per column with its name and
              numbers; white space in names, and an empty name, are written as _
  .npy        for NumPy; the names go to FILE.names.txt, one per line, with \\n for a line feed, and
              \\r, \\t and \\\\ likewise
  .parquet    columns name, component_1, component_2 and so on
  .csv .tsv   the same as text; names are quoted if they must be
Columns without names are named by their numbers, from 0. Numbers are exact to the last bit.";

/// Write weights, loadings or word vectors of a model for other programs.
#[derive(Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub struct ExportArgs {
    /// A model written by `lcca fit`
    pub model: PathBuf,
    /// The file to write: .txt or .vec (word2vec), .npy, .parquet, .csv or .tsv; - for standard output, as
    /// .tsv
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// The view whose columns are written
    #[arg(long, value_enum, value_name = "VIEW", default_value = "x")]
    pub view: SideChoice,
    /// The numbers to write for each column; see below
    #[arg(long, value_enum, value_name = "WHAT", default_value = "weights")]
    pub what: ContentChoice,
    /// Scale the numbers of each column to length one
    #[arg(long)]
    pub normalize: bool,
    /// Write the first N columns only; `lcca views text` and `words` put the most frequent first [default:
    /// all]
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Write the first N components only [default: all]
    #[arg(long, value_name = "N")]
    pub components: Option<usize>,
    #[command(flatten)]
    pub table: TableOutputArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}
