//! What can be typed after `lcca export` and `lcca neighbors`.

use super::Common;
use clap::{Args, ValueEnum};
use lcca::data::Side;
use std::path::PathBuf;

const EXPORT_EXAMPLES: &str = "\
Examples:
  lcca export model -o words.vec --what vectors        for gensim and others that read word2vec's text
  lcca export model --view y --what loadings -o y.csv
  lcca export model -o weights.npy                     and weights.npy.names.txt, a name a line

What:
  weights     the canonical variables of a view are its columns, less their means, times these
  loadings    the correlation of each column with each canonical variable of its view
  vectors     word vectors (eigenwords: Dhillon, Foster, Ungar 2015): where each row is one word, the
              whitened projection of that word. They are the weights times the square root of the
              number of rows, which gives canonical variables of variance one (where rows have no
              weights or ridge); their directions are those of the weights

Formats, by extension:
  .txt .vec   word2vec's text: a line with both sizes, then a name and its numbers a line; white space
              in names is written _, and so is an empty name
  .npy        for NumPy; the names go to FILE.names.txt, one a line, with \\n for a line feed, \\r, \\t
              and \\\\ likewise
  .parquet    columns name, component_1, component_2 and so on
  .csv .tsv   the same as text; names are quoted where they must be
Columns without names are named by their numbers, from 0. Numbers are exact to the last bit.";

/// Which numbers of a model.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum What {
    Weights,
    Loadings,
    Vectors,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum ViewArg {
    X,
    Y,
}

impl From<ViewArg> for Side {
    fn from(typed: ViewArg) -> Self {
        match typed {
            ViewArg::X => Side::X,
            ViewArg::Y => Side::Y,
        }
    }
}

/// Write weights, loadings or word vectors of a model for other programs.
#[derive(Args)]
#[command(after_help = EXPORT_EXAMPLES)]
pub struct ExportArgs {
    /// A model written by `lcca fit`
    pub model: PathBuf,
    /// Where to write: .txt or .vec (word2vec), .npy, .parquet, .csv or .tsv
    #[arg(long, short, value_name = "FILE")]
    pub output: PathBuf,
    /// The view whose columns are written
    #[arg(long, value_enum, value_name = "VIEW", default_value = "x")]
    pub view: ViewArg,
    /// What is written of each column; see below
    #[arg(long, value_enum, value_name = "WHAT", default_value = "weights")]
    pub what: What,
    /// Scale the numbers of each column to length one
    #[arg(long)]
    pub normalize: bool,
    /// Write the first N columns only; `lcca views text` and `words` put the most frequent first
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// Write the first N components only [default: all]
    #[arg(long, value_name = "N")]
    pub components: Option<usize>,
    #[command(flatten)]
    pub common: Common,
}

const NEIGHBORS_EXAMPLES: &str = "\
Examples:
  lcca neighbors model house                   a word of x: the nearest words of x and of y
  lcca neighbors model house dog --in y        English words, the nearest French ones
  lcca neighbors model maison --view y --in x
  lcca neighbors model 17 -n 5 --json          a column of a model without names, from 0

Near is what has a large cosine: of the weights of two columns (or, with --what, of their loadings).
Both views live in one space, so columns of x and y can be compared. Lengths do not count, and
nothing is scaled by the correlations, which made no difference where it was measured. On
English-French sentences (ridge 0.01) the nearest French word of 181 common English ones is a
translation for 83% by weights and 70% by loadings at k = 20, for 92% and 90% at k = 100. With a
strong ridge loadings can be better: as good at 0.1, 93% against 76% at 1 (k = 50).";

/// Find the columns nearest to a column, in its own view and in the other.
#[derive(Args)]
#[command(after_help = NEIGHBORS_EXAMPLES)]
pub struct NeighborsArgs {
    /// A model written by `lcca fit`
    pub model: PathBuf,
    /// Names of columns, or numbers from 0 where columns have no names
    #[arg(required = true, value_name = "WORD")]
    pub words: Vec<String>,
    /// The view that the words are looked up in [default: x, then y]
    #[arg(long, value_enum, value_name = "VIEW")]
    pub view: Option<ViewArg>,
    /// The views whose columns are looked through
    #[arg(long = "in", value_enum, value_name = "VIEW", default_value = "both")]
    pub among: super::views::Which,
    /// How many columns of each view to show
    #[arg(short = 'n', value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..))]
    pub count: u32,
    /// What of two columns is compared; vectors and weights have the same directions
    #[arg(long, value_enum, value_name = "WHAT", default_value = "weights")]
    pub what: What,
    /// Compare the first N components only [default: all]
    #[arg(long, value_name = "N")]
    pub components: Option<usize>,
    #[command(flatten)]
    pub common: Common,
}
